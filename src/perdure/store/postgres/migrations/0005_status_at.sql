-- When the status of an execution last changed; and the look-ups of seed 002: by status and time, by workflow, by correlation, by the
-- pattern that is waited for, and by the step that it waits at. The views of that dialect say the very words of these indexes.

ALTER TABLE executions ADD COLUMN status_at bigint NOT NULL DEFAULT 0;
UPDATE executions SET status_at = coalesce(ended_at, (
  SELECT number_in(readable(history.data), 'at') FROM history
  WHERE history.eid = executions.eid AND history.data <> '' ORDER BY history.seq DESC LIMIT 1
), started_at);

-- What a worker holds is not in it: like `executions_by_status`, it is not touched while an execution runs.
CREATE INDEX executions_by_status_at ON executions ((CASE status WHEN 'pending' THEN 'CREATED' WHEN 'running' THEN 'RUNNING'
  WHEN 'completed' THEN 'COMPLETED' WHEN 'failed' THEN 'FAILED' WHEN 'cancelled' THEN 'CANCELLED'
  WHEN 'waiting' THEN CASE WHEN substr(waiting, 1, 14) IN ('{"kind":"event', '{"kind":"appro') THEN 'WAITING_FOR_EVENT' ELSE 'RUNNING' END END), status_at)
WHERE owner IS NULL;

-- A part of what an execution waits for, if that is an event (or, `of_people`, an approval). What is in an index must never fail, and knows no
-- other function of ours.
CREATE FUNCTION waited(status text, waiting text, part text, of_people boolean) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF status = 'waiting' AND (substr(waiting, 1, 14) = '{"kind":"event' OR of_people AND substr(waiting, 1, 14) = '{"kind":"appro') THEN
    waiting := replace(waiting, '\u0000', '\ufffd');
    IF pg_input_is_valid(waiting, 'jsonb') THEN RETURN waiting::json ->> part; END IF;
  END IF;
  RETURN NULL;
END $$;
-- Only what waits is in them.
CREATE INDEX executions_waiting_for ON executions (waited(status, waiting, 'on', false)) WHERE waited(status, waiting, 'on', false) IS NOT NULL;
CREATE INDEX executions_waiting_at ON executions (waited(status, waiting, 'step', true)) WHERE waited(status, waiting, 'step', true) IS NOT NULL;

-- What is asked with the organization is as well served the other way round, and what is asked without it only so.
DROP INDEX executions_of_workflow;
CREATE INDEX executions_of_workflow ON executions (workflow, organization, eid);
DROP INDEX executions_correlated;
CREATE INDEX executions_correlated ON executions (correlation_id, organization, eid) WHERE correlation_id IS NOT NULL;

CREATE INDEX workflow_versions_called ON workflow_versions ((organization || '/' || workflow || '@' || version));

-- A failure as seed 002 tells it, its `ErrorInfo`.
CREATE FUNCTION error_info(failure json, at bigint) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_object_agg(key, value) FROM (VALUES
    ('message', failure -> 'message'), ('category', coalesce(failure -> 'category', '"UNKNOWN"')), ('retriable', coalesce(failure -> 'retriable', 'true')),
    ('code', failure -> 'code'), ('details', failure -> 'details'), ('stackTrace', failure -> 'stack'), ('timestamp', to_json(iso(at)))
  ) AS each (key, value) WHERE value IS NOT NULL
$$;
