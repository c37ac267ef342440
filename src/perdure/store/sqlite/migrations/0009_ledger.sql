-- What a server remembers beside the work: answers to requests that carry a key, what has triggered something or was to, and when keys
-- were last used.

CREATE TABLE answers (
  organization TEXT NOT NULL,
  key TEXT NOT NULL,
  request TEXT NOT NULL,           -- the hash of what was asked
  promised_by TEXT NOT NULL,
  promised_at INTEGER NOT NULL,
  until INTEGER NOT NULL,          -- from then on, the promise is void
  answered_at INTEGER,
  status INTEGER,
  content_type TEXT,
  headers TEXT,                    -- JSON
  body BLOB,
  PRIMARY KEY (organization, key),
  CHECK ((status IS NULL) = (answered_at IS NULL) AND (status IS NULL) = (body IS NULL))
) STRICT;
CREATE INDEX answers_by_time ON answers (promised_at);

CREATE TABLE trigger_log (
  pos INTEGER PRIMARY KEY AUTOINCREMENT,
  organization TEXT NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,           -- the webhook, the type of the event, or the schedule
  outcome TEXT NOT NULL,
  reason TEXT,
  execution TEXT,
  delivery TEXT,
  request TEXT,
  times INTEGER NOT NULL,          -- so many of this outcome it stands for
  last_at INTEGER NOT NULL
) STRICT;
CREATE INDEX trigger_log_of ON trigger_log (organization);
CREATE INDEX trigger_log_by_outcome ON trigger_log (organization, outcome);
CREATE INDEX trigger_log_by_subject ON trigger_log (organization, subject);

CREATE TABLE key_uses (
  organization TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (organization, id)
) STRICT, WITHOUT ROWID;
