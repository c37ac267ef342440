-- What a server remembers beside the work: answers to requests that carry a key, what has triggered something or was to, and when keys
-- were last used.

CREATE TABLE answers (
  organization text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  request text NOT NULL,           -- the hash of what was asked
  promised_by text NOT NULL,
  promised_at bigint NOT NULL,
  until bigint NOT NULL,           -- from then on, the promise is void
  answered_at bigint,
  status bigint,
  content_type text,
  headers text,                    -- JSON
  body bytea,
  PRIMARY KEY (organization, key),
  CHECK ((status IS NULL) = (answered_at IS NULL) AND (status IS NULL) = (body IS NULL))
);
CREATE INDEX answers_by_time ON answers (promised_at);

CREATE TABLE trigger_log (
  pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  kind text NOT NULL,
  subject text COLLATE "C" NOT NULL, -- the webhook, the type of the event, or the schedule
  outcome text COLLATE "C" NOT NULL,
  reason text,
  execution text COLLATE "C",
  delivery text,
  request text,
  times bigint NOT NULL,           -- so many of this outcome it stands for
  last_at bigint NOT NULL
);
CREATE INDEX trigger_log_of ON trigger_log (organization, pos);
CREATE INDEX trigger_log_by_outcome ON trigger_log (organization, outcome, pos);
CREATE INDEX trigger_log_by_subject ON trigger_log (organization, subject, pos);

CREATE TABLE key_uses (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (organization, id)
);
