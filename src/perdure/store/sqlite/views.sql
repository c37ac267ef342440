-- What others may read with SQL. A view is made whenever a store is opened for writing and it is not what stands here.

-- name: Execution
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
  -- The node that it waits at; else the one that was entered last.
  CASE WHEN e.ended_at IS NULL THEN coalesce(e.waits ->> '$.step', (
    SELECT CAST(e.model AS TEXT) ->> ('$.steps[' || (entered.body ->> '$.step') || '].id') FROM (
      SELECT h.seq, h.kind, coalesce(nullif(h.data, ''), (
        SELECT group_concat(data, '') FROM (
          SELECT pieces.data FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq ORDER BY pieces.number
        )
      )) AS body
      FROM history AS h WHERE h.eid = e.eid AND h.kind IN (
        'step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started', 'step.completed', 'step.failed')
    ) AS entered
    WHERE entered.kind NOT IN ('step.completed', 'step.failed') OR entered.body ->> '$.op' IS NULL
    ORDER BY entered.seq DESC LIMIT 1
  )) END AS "currentNodeId",
  e.waits ->> '$.step' AS "waitingAtNodeId",
  strftime('%Y-%m-%dT%H:%M:%fZ', (e.waits ->> '$.until') / 1000.0, 'unixepoch') AS "nextStepAt",
  strftime('%Y-%m-%dT%H:%M:%fZ', e.started_at / 1000.0, 'unixepoch') AS "startedAt",
  strftime('%Y-%m-%dT%H:%M:%fZ', e.ended_at / 1000.0, 'unixepoch') AS "completeAt",
  CASE e.status WHEN 'completed' THEN e.output END AS "output",
  CASE e.status WHEN 'cancelled' THEN 'canceled' WHEN 'failed' THEN e.error ->> '$.message' END AS "error",
  CASE e.status WHEN 'failed' THEN e.error ->> '$.stack' END AS "errorStack",
  e.organization AS "organization"
FROM (
  SELECT *, CASE "trigger" WHEN 'schedule' THEN 'SCHEDULE_TRIGGER' WHEN 'webhook' THEN 'WEBHOOK_TRIGGER' WHEN 'chain' THEN 'WORKFLOW_TRIGGER'
      WHEN 'event' THEN CASE body ->> '$.trigger_data.type' WHEN 'workflows/execute.workflow' THEN NULL
        WHEN 'workflow.completed' THEN 'WORKFLOW_TRIGGER' ELSE 'EVENT_TRIGGER' END END AS fired,
    -- What waits for an operator waits at no node.
    CASE WHEN status = 'waiting' AND waiting ->> '$.step' <> '' THEN waiting END AS waits
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

-- name: approvals
-- What people are asked, in the words of seed 001; times are milliseconds since 1970, values are JSON. The deep link begins where the public
-- URL ends.
CREATE VIEW "approvals" AS
SELECT
  a.id AS "id",
  a.organization AS "organizationId",
  a.body ->> '$.execution' AS "workflowExecutionId",
  a.body ->> '$.step' AS "stepSlug",
  a.body ->> '$.asked.member' AS "approverMemberId",
  a.body ->> '$.asked.role' AS "approverRole",
  a.status AS "status",
  a.body -> '$.request' AS "submittedData",
  a.body ->> '$.decision' AS "decision",
  a.body ->> '$.comments' AS "comments",
  CASE WHEN a.body ->> '$.decided_by' <> 'system' THEN a.body ->> '$.decided_at' END AS "reviewedAt",
  a.body ->> '$.decided_at' AS "decidedAt",
  coalesce(a.body ->> '$.claimed_at', CASE WHEN coalesce(a.body ->> '$.asked.member', a.body ->> '$.asked.role') IS NOT NULL
    THEN a.body ->> '$.opened_at' END) AS "assignedAt",
  a.body ->> '$.asked.resource_type' AS "resourceType",
  coalesce(a.body ->> '$.asked.resource_id', a.body ->> '$.execution') AS "resourceId",
  a.body ->> '$.asked.route_hint' AS "routeHint",
  '/approvals/' || a.id AS "deeplink",
  coalesce(a.body ->> '$.asked.priority', 'medium') AS "priority",
  a.body ->> '$.due_at' AS "dueDate",
  a.body -> '$.asked.metadata' AS "metadata",
  coalesce(a.body ->> '$.overdue', 0) AS "overdue",
  a.body -> '$.escalated_to' AS "escalatedTo",
  coalesce(a.body ->> '$.votes_required', 1) AS "votesRequired",
  coalesce(a.body -> '$.votes', '[]') AS "votes",
  a.body ->> '$.claimed_by' AS "claimedBy",
  a.body ->> '$.decided_by' AS "decidedBy",
  a.body -> '$.data' AS "modifiedData",
  a.body ->> '$.opened_at' AS "createdAt"
FROM (SELECT id, organization, status, CASE WHEN json_valid(data) THEN data END AS body FROM approval_items) AS a;
