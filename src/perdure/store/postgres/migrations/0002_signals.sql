-- What an organization keeps card by card, and who changed what; waits that are found by what an event has to say.

CREATE TABLE cards (
  organization text COLLATE "C" NOT NULL,
  register text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  changed_at bigint NOT NULL,
  data text NOT NULL,              -- JSON
  PRIMARY KEY (register, organization, id)
);
CREATE INDEX cards_anywhere ON cards (register, id);

CREATE TABLE audit (
  pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization text COLLATE "C" NOT NULL,
  writer text COLLATE "C" NOT NULL,
  number bigint NOT NULL,          -- in the chain of its writer
  data text NOT NULL               -- JSON
);
CREATE UNIQUE INDEX audit_chain ON audit (organization, writer, number);
CREATE INDEX audit_of ON audit (organization, pos);

ALTER TABLE waits ADD COLUMN wild smallint NOT NULL DEFAULT 0;             -- the pattern stands for several types
ALTER TABLE waits ADD COLUMN place text COLLATE "C" NOT NULL DEFAULT '';   -- where in an event
ALTER TABLE waits ADD COLUMN key text COLLATE "C" NOT NULL DEFAULT '';     -- which key has to be
UPDATE waits SET wild = 1 WHERE strpos(pattern, '*') > 0 OR strpos(pattern, '#') > 0;
DROP INDEX waits_by_pattern;
CREATE INDEX waits_by_pattern ON waits (organization, pattern, place, key, eid);
CREATE INDEX waits_wild ON waits (organization, pattern) WHERE wild = 1;

ALTER TABLE events ADD COLUMN reached bigint NOT NULL DEFAULT 0; -- the last execution that it was delivered to, while it is
-- What executions tell of themselves is most of it, and hardly anybody looks back to that.
CREATE INDEX events_by_type ON events (organization, type, pos) WHERE type NOT LIKE 'workflow.%';
CREATE INDEX consumed_by ON consumed (event, eid);
CREATE INDEX deliveries_of ON deliveries (event, eid);
