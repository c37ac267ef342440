-- No index holds a column that changes with every step, and most steps only append to the history.

CREATE TABLE executions (
  eid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization TEXT NOT NULL,
  workflow TEXT NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL,
  live INTEGER NOT NULL,
  ready INTEGER NOT NULL,          -- it has not begun, or it has mail
  mail INTEGER NOT NULL DEFAULT 0, -- how many messages are in its inbox
  wake_at INTEGER,
  owner TEXT,
  epoch INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL DEFAULT 0,  -- how many facts there were when the row was written; while it is owned, there may be more
  waiting TEXT,
  output TEXT,
  error TEXT,
  "trigger" TEXT NOT NULL,
  correlation_id TEXT,
  parent TEXT,
  parent_op INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  start TEXT,                      -- how it is to begin, until it has
  born INTEGER NOT NULL            -- the last event before it
) STRICT;
CREATE INDEX executions_ready ON executions (eid) WHERE ready = 1 AND owner IS NULL;
CREATE INDEX executions_wake ON executions (wake_at) WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL;
CREATE INDEX executions_owned ON executions (owner) WHERE owner IS NOT NULL;
CREATE INDEX executions_owned_with_mail ON executions (owner) WHERE owner IS NOT NULL AND mail > 0;
CREATE INDEX executions_by_status ON executions (organization, status, eid) WHERE owner IS NULL;

CREATE TABLE history (
  pos INTEGER PRIMARY KEY,
  eid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  scope INTEGER,                   -- the forEach or loop whose results it belongs to
  parts INTEGER NOT NULL DEFAULT 0, -- how many pieces of it are in payloads
  data TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX history_of ON history (eid, seq);
CREATE INDEX history_within ON history (eid, scope, seq) WHERE scope IS NOT NULL;

CREATE TABLE payloads (
  eid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  number INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (eid, seq, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
  eid INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  form INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;

CREATE TABLE consumed (
  eid INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (eid, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
  pos INTEGER PRIMARY KEY AUTOINCREMENT, -- never given again
  eid INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX inbox_of ON inbox (eid, pos);

CREATE TABLE dedups (
  eid INTEGER NOT NULL,
  dedup TEXT NOT NULL,
  PRIMARY KEY (eid, dedup)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  organization TEXT NOT NULL,
  key TEXT NOT NULL,
  execution TEXT NOT NULL,
  PRIMARY KEY (organization, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE waits (
  eid INTEGER NOT NULL,
  op INTEGER NOT NULL,
  organization TEXT NOT NULL,
  pattern TEXT NOT NULL,
  look_back INTEGER NOT NULL,
  PRIMARY KEY (eid, op)
) STRICT, WITHOUT ROWID;
CREATE INDEX waits_by_pattern ON waits (organization, pattern, eid);
CREATE INDEX waits_to_look_back ON waits (eid, op) WHERE look_back = 1;

CREATE TABLE events (
  pos INTEGER PRIMARY KEY AUTOINCREMENT,
  organization TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  routed INTEGER NOT NULL DEFAULT 0,
  data TEXT NOT NULL,
  declined TEXT,                   -- workflows that it did not start although it fits, and why
  UNIQUE (organization, id)
) STRICT;
CREATE INDEX events_unrouted ON events (pos) WHERE routed = 0;
CREATE INDEX events_of ON events (organization, pos);

CREATE TABLE deliveries (
  eid INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (eid, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  eid INTEGER NOT NULL,
  op INTEGER NOT NULL,
  organization TEXT NOT NULL,
  status TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX approvals_of ON approvals (eid, op);
CREATE INDEX approvals_open ON approvals (organization, id) WHERE status = 'pending';

CREATE TABLE models (
  digest TEXT PRIMARY KEY,
  data BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workflows (
  organization TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (organization, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE subscriptions (
  organization TEXT NOT NULL,
  workflow TEXT NOT NULL,
  number INTEGER NOT NULL,
  digest TEXT NOT NULL,
  pattern TEXT NOT NULL,
  PRIMARY KEY (organization, workflow, number)
) STRICT, WITHOUT ROWID;
