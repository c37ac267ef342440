-- The schedules of active versions, each with the first slot that nobody has dealt with.

CREATE TABLE schedules (
  organization TEXT NOT NULL,
  workflow TEXT NOT NULL,          -- its id
  id TEXT NOT NULL,
  digest TEXT NOT NULL,            -- of the version that it starts
  spec TEXT NOT NULL,              -- JSON
  form INTEGER NOT NULL,           -- of the spec; who does not know it leaves it to newer programs
  paused INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER,
  last_slot INTEGER,
  last_execution TEXT,
  skipped INTEGER NOT NULL DEFAULT 0, -- slots since then that have started nothing
  PRIMARY KEY (organization, workflow, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0;
