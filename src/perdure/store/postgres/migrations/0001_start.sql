-- The tables of the SQLite store, in the words of Postgres. Three things are its own:
--
-- A place (`pos`) in the history of all, among events or in an inbox is the number of its transaction, shifted, and a number within it. Whoever
-- reads up to the oldest transaction that is still under way misses nothing that commits later.
-- What an execution was born after is a snapshot: an event lies before it exactly if it could be seen then.
-- Texts are compared by their bytes, as everywhere else.

CREATE TABLE executions (
  eid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  organization text COLLATE "C" NOT NULL,
  workflow text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  live boolean NOT NULL,
  ready boolean NOT NULL,          -- it has not begun, or it has mail
  mail bigint NOT NULL DEFAULT 0,  -- how many messages are in its inbox
  wake_at bigint,
  owner text COLLATE "C",
  epoch bigint NOT NULL DEFAULT 0,
  crashes bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,   -- how many facts there were when the row was written; while it is owned, there may be more
  waiting text,
  output text,
  error text,
  "trigger" text NOT NULL,
  correlation_id text COLLATE "C",
  parent text COLLATE "C",
  parent_op bigint NOT NULL,
  depth bigint NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  start text,                      -- how it is to begin, until it has
  born pg_snapshot NOT NULL DEFAULT pg_current_snapshot()
) WITH (fillfactor = 80);
CREATE INDEX executions_ready ON executions (eid) WHERE ready AND owner IS NULL;
CREATE INDEX executions_wake ON executions (wake_at) WHERE owner IS NULL AND live AND wake_at IS NOT NULL;
CREATE INDEX executions_owned ON executions (owner) WHERE owner IS NOT NULL;
CREATE INDEX executions_owned_with_mail ON executions (owner) WHERE owner IS NOT NULL AND mail > 0;
CREATE INDEX executions_by_status ON executions (organization, status, eid) WHERE owner IS NULL;
CREATE INDEX executions_ended ON executions (ended_at) WHERE NOT live AND owner IS NULL;
CREATE INDEX executions_of ON executions (organization, eid);
CREATE INDEX executions_of_workflow ON executions (organization, workflow, eid);
CREATE INDEX executions_started ON executions (organization, started_at);
CREATE INDEX executions_correlated ON executions (organization, correlation_id, eid) WHERE correlation_id IS NOT NULL;
CREATE INDEX executions_of_parent ON executions (parent, eid) WHERE parent IS NOT NULL;

CREATE TABLE history (
  pos bigint PRIMARY KEY,
  eid bigint NOT NULL,
  seq bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  scope bigint,                    -- the forEach or loop whose results it belongs to
  parts bigint NOT NULL DEFAULT 0, -- how many pieces of it are in payloads
  data text NOT NULL,
  UNIQUE (eid, seq)
);
CREATE INDEX history_within ON history (eid, scope, seq) WHERE scope IS NOT NULL;

CREATE TABLE payloads (
  eid bigint NOT NULL,
  seq bigint NOT NULL,
  number bigint NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (eid, seq, number)
);

CREATE TABLE snapshots (
  eid bigint PRIMARY KEY,
  seq bigint NOT NULL,
  form bigint NOT NULL,
  data bytea NOT NULL
);

CREATE TABLE consumed (
  eid bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  PRIMARY KEY (eid, event)
);

CREATE TABLE inbox (
  pos bigint PRIMARY KEY,
  eid bigint NOT NULL,
  data text NOT NULL
);
CREATE INDEX inbox_of ON inbox (eid, pos);

CREATE TABLE dedups (
  eid bigint NOT NULL,
  dedup text COLLATE "C" NOT NULL,
  PRIMARY KEY (eid, dedup)
);

CREATE TABLE idempotency (
  organization text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  execution text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, key)
);
CREATE INDEX idempotency_of ON idempotency (execution);

CREATE TABLE workers (
  id text COLLATE "C" PRIMARY KEY,
  lease_until bigint NOT NULL,     -- by the clock of the database
  tasks text NOT NULL DEFAULT '[]', -- JSON: the names of the tasks that it has
  barred boolean NOT NULL DEFAULT false -- something of it was taken over: whatever it writes for what it owned is refused
);

CREATE TABLE uncalled (            -- calls of tasks that the last owner did not have
  eid bigint NOT NULL,
  op bigint NOT NULL,
  task text COLLATE "C" NOT NULL,
  PRIMARY KEY (eid, op)
);
CREATE INDEX uncalled_by_task ON uncalled (task, eid);

CREATE TABLE waits (
  eid bigint NOT NULL,
  op bigint NOT NULL,
  organization text COLLATE "C" NOT NULL,
  pattern text COLLATE "C" NOT NULL,
  look_back boolean NOT NULL,
  PRIMARY KEY (eid, op)
);
CREATE INDEX waits_by_pattern ON waits (organization, pattern, eid);
CREATE INDEX waits_to_look_back ON waits (eid, op) WHERE look_back;

CREATE TABLE events (
  pos bigint PRIMARY KEY,
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  routed boolean NOT NULL,
  data text NOT NULL,
  declined text,                   -- workflows that it did not start although it fits, and why
  UNIQUE (organization, id)
);
CREATE INDEX events_unrouted ON events (pos) WHERE NOT routed;
CREATE INDEX events_of ON events (organization, pos);

CREATE TABLE deliveries (
  eid bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  PRIMARY KEY (eid, event)
);

CREATE TABLE approvals (
  id text COLLATE "C" PRIMARY KEY,
  eid bigint NOT NULL,
  op bigint NOT NULL,
  organization text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  data text NOT NULL
);
CREATE UNIQUE INDEX approvals_of ON approvals (eid, op);
CREATE INDEX approvals_open ON approvals (organization, id) WHERE status = 'pending';

CREATE TABLE models (
  digest text COLLATE "C" PRIMARY KEY,
  data bytea NOT NULL,
  dialect text COLLATE "C" NOT NULL
);

CREATE TABLE workflows (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,  -- of its active version; of its newest, if none is
  newest bigint NOT NULL,
  active bigint,                   -- the number of its active version, if there is one
  digest text COLLATE "C",         -- and the model of that
  PRIMARY KEY (organization, id)
);
CREATE INDEX workflows_by_name ON workflows (organization, name, id);

CREATE TABLE workflow_versions (
  organization text COLLATE "C" NOT NULL,
  workflow text COLLATE "C" NOT NULL, -- its id
  number bigint NOT NULL,
  version text COLLATE "C" NOT NULL,
  dialect text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  document text,                   -- JSON; none, if a program built the model
  PRIMARY KEY (organization, workflow, number)
);
CREATE INDEX workflow_versions_with ON workflow_versions (digest);

CREATE TABLE subscriptions (
  organization text COLLATE "C" NOT NULL,
  workflow text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  pattern text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, workflow, number)
);

-- Where the places of this transaction begin; of another one; which transaction a place is of; and before which place nothing can come any more.
CREATE FUNCTION base_place() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT pg_current_xact_id()::text::bigint << 24 $$;
CREATE FUNCTION place_of(xid8) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT $1::text::bigint << 24 $$;
CREATE FUNCTION transaction_of(bigint) RETURNS xid8 LANGUAGE sql IMMUTABLE AS $$ SELECT ($1 >> 24)::text::xid8 $$;
CREATE FUNCTION horizon() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 24 $$;
CREATE FUNCTION worker_lock(text) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT hashtextextended(current_schema() || ':' || $1, 1885696356) $$;

-- A JSON text to look into, or nothing if it is none: what Postgres cannot say in its own words, a NUL, is another character there. One
-- statement would be reckoned out at once where the text is known, also what must not be reached.
CREATE FUNCTION readable(given text) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  sayable text := replace(given, '\u0000', '\ufffd');
BEGIN
  IF pg_input_is_valid(sayable, 'jsonb') THEN RETURN sayable::json; END IF;
  RETURN NULL;
END $$;
-- A number in it; nothing, if something else is there.
CREATE FUNCTION number_in(given json, name text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF pg_input_is_valid(given ->> name, 'bigint') THEN RETURN (given ->> name)::bigint; END IF;
  RETURN NULL;
END $$;
-- A time in milliseconds as ISO 8601; nothing, if it is in no year of four digits.
CREATE FUNCTION iso(bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN $1 BETWEEN -62135596800000 AND 253402300799999 THEN
    to_char(to_timestamp(floor($1 / 1000.0)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.') || lpad(($1 - floor($1 / 1000.0) * 1000)::text, 3, '0') || 'Z'
  END
$$;
