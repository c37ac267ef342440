-- The schedules of active versions, each with the first slot that nobody has dealt with.

CREATE TABLE schedules (
  organization text COLLATE "C" NOT NULL,
  workflow text COLLATE "C" NOT NULL, -- its id
  id text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,   -- of the version that it starts
  spec text NOT NULL,                 -- JSON
  form bigint NOT NULL,               -- of the spec; who does not know it leaves it to newer programs
  paused smallint NOT NULL DEFAULT 0,
  next_at bigint,
  last_slot bigint,
  last_execution text COLLATE "C",
  skipped bigint NOT NULL DEFAULT 0,  -- slots since then that have started nothing
  PRIMARY KEY (organization, workflow, id)
);
CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0;
