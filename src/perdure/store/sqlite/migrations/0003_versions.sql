-- Workflows with an id, a name and versions; lists of executions; and the table of seed 004 as a view.
-- What was saved before becomes version 1 of a workflow whose id is its name.

CREATE TABLE workflow_versions (
  organization TEXT NOT NULL,
  workflow TEXT NOT NULL,          -- its id
  number INTEGER NOT NULL,
  version TEXT NOT NULL,
  dialect TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  document TEXT                    -- JSON; none, if a program built the model
) STRICT;
CREATE UNIQUE INDEX workflow_versions_of ON workflow_versions (organization, workflow, number);
CREATE INDEX workflow_versions_with ON workflow_versions (digest);

ALTER TABLE workflows RENAME TO workflows_before;
CREATE TABLE workflows (
  organization TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,              -- of its active version; of its newest, if none is
  newest INTEGER NOT NULL,
  active INTEGER,                  -- the number of its active version, if there is one
  digest TEXT,                     -- and the model of that
  PRIMARY KEY (organization, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflows_by_name ON workflows (organization, name, id);
INSERT INTO workflow_versions (organization, workflow, number, version, dialect, name, digest, status, created_at)
SELECT organization, name, 1, '1', 'model', name, digest, 'active', unixepoch() * 1000 FROM workflows_before;
INSERT INTO workflows (organization, id, name, newest, active, digest) SELECT organization, name, name, 1, 1, digest FROM workflows_before;
DROP TABLE workflows_before;

ALTER TABLE models ADD COLUMN dialect TEXT NOT NULL DEFAULT 'model';

-- Executions in the order in which they came, by what is never changed. By status there is `executions_by_status`, and beside it
-- those that a worker has.
CREATE INDEX executions_of ON executions (organization);
CREATE INDEX executions_of_workflow ON executions (organization, workflow);
CREATE INDEX executions_started ON executions (organization, started_at);
CREATE INDEX executions_correlated ON executions (organization, correlation_id) WHERE correlation_id IS NOT NULL;
CREATE INDEX executions_of_parent ON executions (parent) WHERE parent IS NOT NULL;

-- Executions of the dialect graph, in the words of seed 004, as the dialect's own view tells them; times are ISO-8601. What the engine
-- started by itself says so, of any other `_trigger` in the input is believed.
CREATE VIEW "Execution" AS
SELECT
  e.id AS "id",
  e.workflow AS "workflowId",
  CASE e.status WHEN 'waiting' THEN 'WAITING' WHEN 'completed' THEN 'SUCCESS' WHEN 'failed' THEN 'FAILED' WHEN 'cancelled' THEN 'FAILED'
    ELSE 'RUNNING' END AS "status",
  e.body ->> '$.event_id' AS "inngestEventId",
  coalesce(e.fired, nullif(CASE json_type(e.body, '$.input._trigger.type') WHEN 'text' THEN e.body ->> '$.input._trigger.type' END, ''),
    'MANUAL_TRIGGER') AS "triggerType",
  CASE WHEN e.fired IS NULL AND json_type(e.body, '$.input._trigger.depth') IN ('integer', 'real')
    THEN max(e.depth, min(CAST(e.body ->> '$.input._trigger.depth' AS INTEGER), 1000000)) ELSE e.depth END AS "triggerDepth",
  CASE WHEN e.ended_at IS NULL THEN (
    SELECT CAST(e.model AS TEXT) ->> ('$.steps[' || (entered.body ->> '$.step') || '].id') FROM (
      SELECT coalesce(nullif(h.data, ''), (
        SELECT group_concat(data, '') FROM (
          SELECT pieces.data FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq ORDER BY pieces.number
        )
      )) AS body
      FROM history AS h WHERE h.eid = e.eid AND (
        h.kind IN ('step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started', 'foreach.opened', 'loop.opened')
        OR (h.kind = 'step.completed' AND json_valid(h.data) AND h.data ->> '$.op' IS NULL AND h.data ->> '$.scope' IS NULL))
      ORDER BY h.seq DESC LIMIT 1
    ) AS entered) END AS "currentNodeId",
  e.waiting ->> '$.step' AS "waitingAtNodeId",
  strftime('%Y-%m-%dT%H:%M:%fZ', (e.waiting ->> '$.until') / 1000.0, 'unixepoch') AS "nextStepAt",
  strftime('%Y-%m-%dT%H:%M:%fZ', e.started_at / 1000.0, 'unixepoch') AS "startedAt",
  strftime('%Y-%m-%dT%H:%M:%fZ', e.ended_at / 1000.0, 'unixepoch') AS "completeAt",
  e.output AS "output",
  CASE WHEN e.status = 'cancelled' THEN 'canceled' ELSE e.error ->> '$.message' END AS "error",
  e.error ->> '$.stack' AS "errorStack",
  e.organization AS "organization"
FROM (
  SELECT *, CASE "trigger" WHEN 'schedule' THEN 'SCHEDULE_TRIGGER' WHEN 'webhook' THEN 'WEBHOOK_TRIGGER' WHEN 'chain' THEN 'WORKFLOW_TRIGGER'
      WHEN 'event' THEN CASE body ->> '$.trigger_data.type' WHEN 'workflows/execute.workflow' THEN NULL
        WHEN 'workflow.completed' THEN 'WORKFLOW_TRIGGER' ELSE 'EVENT_TRIGGER' END END AS fired
  FROM (
    SELECT executions.*, models.data AS model, coalesce(executions.start, (
      SELECT coalesce(nullif(h.data, ''), (
        SELECT group_concat(data, '') FROM (
          SELECT pieces.data FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq ORDER BY pieces.number
        )
      )) FROM history AS h WHERE h.eid = executions.eid AND h.seq = 1
    )) AS body
    FROM executions JOIN models ON models.digest = executions.digest AND models.dialect = 'graph'
  )
) AS e;
