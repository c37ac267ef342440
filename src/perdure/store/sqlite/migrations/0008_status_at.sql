-- When the status of an execution last changed; and the look-ups of seed 002: by status and time, by workflow, by correlation, by the
-- pattern that is waited for, and by the step that it waits at. The views of that dialect say the very words of these indexes.

ALTER TABLE executions ADD COLUMN status_at INTEGER NOT NULL DEFAULT 0;
UPDATE executions SET status_at = coalesce(ended_at, (
  SELECT history.data ->> '$.at' FROM history
  WHERE history.eid = executions.eid AND history.data <> '' AND json_valid(history.data) ORDER BY history.seq DESC LIMIT 1
), started_at);

-- What a worker holds is not in it: like `executions_by_status`, it is not touched while an execution runs.
CREATE INDEX executions_by_status_at ON executions (CASE status WHEN 'pending' THEN 'CREATED' WHEN 'running' THEN 'RUNNING'
  WHEN 'completed' THEN 'COMPLETED' WHEN 'failed' THEN 'FAILED' WHEN 'cancelled' THEN 'CANCELLED'
  WHEN 'waiting' THEN CASE WHEN substr(waiting, 1, 14) IN ('{"kind":"event', '{"kind":"appro') THEN 'WAITING_FOR_EVENT' ELSE 'RUNNING' END END, status_at)
WHERE owner IS NULL;

-- Only what waits is in them.
CREATE INDEX executions_waiting_for ON executions (CASE WHEN status = 'waiting' AND substr(waiting, 1, 14) = '{"kind":"event' THEN waiting ->> '$.on' END)
WHERE CASE WHEN status = 'waiting' AND substr(waiting, 1, 14) = '{"kind":"event' THEN waiting ->> '$.on' END IS NOT NULL;
CREATE INDEX executions_waiting_at ON executions (
  CASE WHEN status = 'waiting' AND substr(waiting, 1, 14) IN ('{"kind":"event', '{"kind":"appro') THEN waiting ->> '$.step' END)
WHERE CASE WHEN status = 'waiting' AND substr(waiting, 1, 14) IN ('{"kind":"event', '{"kind":"appro') THEN waiting ->> '$.step' END IS NOT NULL;

-- What is asked with the organization is as well served the other way round, and what is asked without it only so.
DROP INDEX executions_of_workflow;
CREATE INDEX executions_of_workflow ON executions (workflow, organization);
DROP INDEX executions_correlated;
CREATE INDEX executions_correlated ON executions (correlation_id, organization) WHERE correlation_id IS NOT NULL;

CREATE INDEX workflow_versions_called ON workflow_versions (organization || '/' || workflow || '@' || version);
