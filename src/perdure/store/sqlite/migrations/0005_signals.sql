-- What an organization keeps card by card, and who changed what; waits that are found by what an event has to say.

CREATE TABLE cards (
  organization TEXT NOT NULL,
  register TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  data TEXT NOT NULL,              -- JSON
  PRIMARY KEY (register, organization, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX cards_anywhere ON cards (register, id);

CREATE TABLE audit (
  pos INTEGER PRIMARY KEY AUTOINCREMENT,
  organization TEXT NOT NULL,
  writer TEXT NOT NULL,
  number INTEGER NOT NULL,         -- in the chain of its writer
  data TEXT NOT NULL               -- JSON
) STRICT;
CREATE UNIQUE INDEX audit_chain ON audit (organization, writer, number);
CREATE INDEX audit_of ON audit (organization);

ALTER TABLE waits ADD COLUMN wild INTEGER NOT NULL DEFAULT 0; -- the pattern stands for several types
ALTER TABLE waits ADD COLUMN place TEXT NOT NULL DEFAULT '';  -- where in an event
ALTER TABLE waits ADD COLUMN key TEXT NOT NULL DEFAULT '';    -- which key has to be
UPDATE waits SET wild = 1 WHERE instr(pattern, '*') OR instr(pattern, '#');
DROP INDEX waits_by_pattern;
CREATE INDEX waits_by_pattern ON waits (organization, pattern, place, key, eid);
CREATE INDEX waits_wild ON waits (organization, pattern) WHERE wild = 1;

ALTER TABLE events ADD COLUMN reached INTEGER NOT NULL DEFAULT 0; -- the last execution that it was delivered to, while it is
-- What executions tell of themselves is most of it, and hardly anybody looks back to that.
CREATE INDEX events_by_type ON events (organization, type) WHERE type NOT GLOB 'workflow.*';
CREATE INDEX consumed_by ON consumed (event);
CREATE INDEX deliveries_of ON deliveries (event);
