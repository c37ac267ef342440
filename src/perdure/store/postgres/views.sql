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
  begun.body ->> 'event_id' AS "inngestEventId",
  coalesce(begun.fired, nullif(CASE json_typeof(begun.body #> '{input,_trigger,type}') WHEN 'string' THEN begun.body #>> '{input,_trigger,type}' END, ''),
    'MANUAL_TRIGGER') AS "triggerType",
  CASE WHEN begun.fired IS NULL AND json_typeof(begun.body #> '{input,_trigger,depth}') = 'number'
    THEN greatest(e.depth, least(trunc((begun.body #>> '{input,_trigger,depth}')::numeric), 1000000))::bigint ELSE e.depth END AS "triggerDepth",
  -- The node that it waits at; else the one that was entered last.
  CASE WHEN e.ended_at IS NULL THEN coalesce(begun.waits ->> 'step', (
    SELECT readable(convert_from(models.data, 'UTF8')) -> 'steps' -> number_in(entered.body, 'step')::integer ->> 'id' FROM (
      SELECT h.seq, h.kind, readable(coalesce(nullif(h.data, ''), (
        SELECT string_agg(pieces.data, '' ORDER BY pieces.number) FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq
      ))) AS body
      FROM history AS h WHERE h.eid = e.eid AND h.kind IN (
        'step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started', 'step.completed', 'step.failed')
    ) AS entered
    WHERE entered.kind NOT IN ('step.completed', 'step.failed') OR entered.body ->> 'op' IS NULL
    ORDER BY entered.seq DESC LIMIT 1
  )) END AS "currentNodeId",
  begun.waits ->> 'step' AS "waitingAtNodeId",
  iso(number_in(begun.waits, 'until')) AS "nextStepAt",
  iso(e.started_at) AS "startedAt",
  iso(e.ended_at) AS "completeAt",
  CASE e.status WHEN 'completed' THEN e.output END AS "output",
  CASE e.status WHEN 'cancelled' THEN 'canceled' WHEN 'failed' THEN readable(e.error) ->> 'message' END AS "error",
  CASE e.status WHEN 'failed' THEN readable(e.error) ->> 'stack' END AS "errorStack",
  e.organization AS "organization"
FROM executions AS e JOIN models ON models.digest = e.digest AND models.dialect = 'graph'
CROSS JOIN LATERAL (
  SELECT body, CASE e."trigger" WHEN 'schedule' THEN 'SCHEDULE_TRIGGER' WHEN 'webhook' THEN 'WEBHOOK_TRIGGER' WHEN 'chain' THEN 'WORKFLOW_TRIGGER'
      WHEN 'event' THEN CASE body #>> '{trigger_data,type}' WHEN 'workflows/execute.workflow' THEN NULL
        WHEN 'workflow.completed' THEN 'WORKFLOW_TRIGGER' ELSE 'EVENT_TRIGGER' END END AS fired,
    -- What waits for an operator waits at no node.
    CASE WHEN e.status = 'waiting' AND readable(e.waiting) ->> 'step' <> '' THEN readable(e.waiting) END AS waits
  FROM (
    SELECT readable(coalesce(e.start, (
      SELECT coalesce(nullif(h.data, ''), (
        SELECT string_agg(pieces.data, '' ORDER BY pieces.number) FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq
      )) FROM history AS h WHERE h.eid = e.eid AND h.seq = 1
    ))) AS body OFFSET 0 -- once, however often it is asked
  ) AS read OFFSET 0
) AS begun;

-- name: approvals
-- What people are asked, in the words of seed 001; times are milliseconds since 1970, values are JSON. The deep link begins where the public
-- URL ends.
CREATE VIEW "approvals" AS
SELECT
  a.id AS "id",
  a.organization AS "organizationId",
  body ->> 'execution' AS "workflowExecutionId",
  body ->> 'step' AS "stepSlug",
  body #>> '{asked,member}' AS "approverMemberId",
  body #>> '{asked,role}' AS "approverRole",
  a.status AS "status",
  body -> 'request' AS "submittedData",
  body ->> 'decision' AS "decision",
  body ->> 'comments' AS "comments",
  CASE WHEN body ->> 'decided_by' <> 'system' THEN number_in(body, 'decided_at') END AS "reviewedAt",
  number_in(body, 'decided_at') AS "decidedAt",
  coalesce(number_in(body, 'claimed_at'), CASE WHEN coalesce(body #>> '{asked,member}', body #>> '{asked,role}') IS NOT NULL
    THEN number_in(body, 'opened_at') END) AS "assignedAt",
  body #>> '{asked,resource_type}' AS "resourceType",
  coalesce(body #>> '{asked,resource_id}', body ->> 'execution') AS "resourceId",
  body #>> '{asked,route_hint}' AS "routeHint",
  '/approvals/' || a.id AS "deeplink",
  coalesce(body #>> '{asked,priority}', 'medium') AS "priority",
  number_in(body, 'due_at') AS "dueDate",
  body #> '{asked,metadata}' AS "metadata",
  coalesce((body ->> 'overdue')::boolean, false) AS "overdue",
  body -> 'escalated_to' AS "escalatedTo",
  coalesce(number_in(body, 'votes_required'), 1) AS "votesRequired",
  coalesce(body -> 'votes', '[]'::json) AS "votes",
  body ->> 'claimed_by' AS "claimedBy",
  body ->> 'decided_by' AS "decidedBy",
  body -> 'data' AS "modifiedData",
  number_in(body, 'opened_at') AS "createdAt"
FROM approval_items AS a CROSS JOIN LATERAL (SELECT readable(a.data) AS body OFFSET 0) AS read;
