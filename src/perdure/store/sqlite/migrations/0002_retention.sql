-- What retention looks for: executions that have ended, by when, and the keys that they were started with.

CREATE INDEX executions_ended ON executions (ended_at) WHERE live = 0 AND owner IS NULL;
CREATE INDEX idempotency_of ON idempotency (execution);
