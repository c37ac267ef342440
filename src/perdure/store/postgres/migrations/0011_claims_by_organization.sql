-- Claims are shared out between organizations.
CREATE INDEX executions_ready_of ON executions (organization, eid) WHERE ready AND owner IS NULL;
CREATE INDEX executions_wake_of ON executions (organization, wake_at) WHERE owner IS NULL AND live AND wake_at IS NOT NULL;
