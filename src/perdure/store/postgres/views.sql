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
    SELECT coalesce(readable(convert_from(models.data, 'UTF8')) -> 'steps' -> number_in(entered.body, 'step')::integer ->> 'part_of',
      readable(convert_from(models.data, 'UTF8')) -> 'steps' -> number_in(entered.body, 'step')::integer ->> 'id') FROM (
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

-- name: wfDefinitions
-- Workflows of the dialect ports, in the words of seeds 000 and 001: each with its active version, else with its newest; values are JSON.
CREATE VIEW "wfDefinitions" AS
SELECT
  v.workflow AS "id",
  v.organization AS "organizationId",
  v.name AS "name",
  template ->> 'description' AS "description",
  v.version AS "version",
  v.status AS "status",
  template -> 'config' AS "config",
  template -> 'metadata' AS "metadata"
FROM workflows AS w
JOIN workflow_versions AS v ON v.organization = w.organization AND v.workflow = w.id AND v.number = coalesce(w.active, w.newest) AND v.dialect = 'ports'
CROSS JOIN LATERAL (SELECT readable(v.document) AS written OFFSET 0) AS read
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(written) = 'array' THEN written -> 0
    WHEN json_typeof(written -> 'workflowConfig') = 'object' THEN written -> 'workflowConfig'
    WHEN json_typeof(written -> 'workflow') = 'object' THEN written -> 'workflow'
    WHEN json_typeof(written -> 'template') = 'object' THEN written -> 'template'
    WHEN json_typeof(written -> 'definition') = 'object' THEN written -> 'definition'
    ELSE written END AS template
) AS told;

-- name: wfStepDefs
-- The steps of what "wfDefinitions" tells, however the document has them: in a list or by their slugs, beside the definition or in it.
CREATE VIEW "wfStepDefs" AS
SELECT
  v.workflow || '/' || slug AS "id",
  v.organization AS "organizationId",
  v.workflow AS "wfDefinitionId",
  slug AS "stepSlug",
  coalesce(nullif(step ->> 'name', ''), CASE json_typeof(step #> '{config,name}') WHEN 'string' THEN nullif(step #>> '{config,name}', '') END, slug) AS "name",
  step ->> 'description' AS "description",
  CASE step ->> 'stepType' WHEN 'start' THEN 'trigger' ELSE step ->> 'stepType' END AS "stepType",
  CASE json_typeof(step -> 'order') WHEN 'number' THEN (step ->> 'order')::double precision ELSE place - 1 END AS "order",
  CASE json_typeof(step -> 'nextSteps') WHEN 'object' THEN step -> 'nextSteps' ELSE '{}' END AS "nextSteps",
  CASE json_typeof(step -> 'config') WHEN 'object' THEN step -> 'config' ELSE '{}' END AS "config",
  step -> 'inputMapping' AS "inputMapping",
  step -> 'outputMapping' AS "outputMapping",
  step -> 'metadata' AS "metadata"
FROM workflows AS w
JOIN workflow_versions AS v ON v.organization = w.organization AND v.workflow = w.id AND v.number = coalesce(w.active, w.newest) AND v.dialect = 'ports'
CROSS JOIN LATERAL (SELECT readable(v.document) AS written OFFSET 0) AS read
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(written) = 'array' THEN written -> 0
    WHEN json_typeof(written -> 'workflowConfig') = 'object' THEN written -> 'workflowConfig'
    WHEN json_typeof(written -> 'workflow') = 'object' THEN written -> 'workflow'
    WHEN json_typeof(written -> 'template') = 'object' THEN written -> 'template'
    WHEN json_typeof(written -> 'definition') = 'object' THEN written -> 'definition'
    ELSE written END AS template
) AS told
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(written) = 'array' THEN written -> 1
    ELSE coalesce(written -> 'stepsConfig', written -> 'steps', template -> 'stepsConfig', template -> 'steps') END AS steps OFFSET 0
) AS listed
CROSS JOIN LATERAL (
  SELECT each.value AS step, NULL AS key, each.place
  FROM json_array_elements(CASE json_typeof(steps) WHEN 'array' THEN steps ELSE '[]' END) WITH ORDINALITY AS each (value, place)
  UNION ALL
  SELECT each.value, each.key, each.place
  FROM json_each(CASE json_typeof(steps) WHEN 'object' THEN steps ELSE '{}' END) WITH ORDINALITY AS each (key, value, place)
) AS every
CROSS JOIN LATERAL (SELECT coalesce(step ->> 'stepSlug', key) AS slug) AS named;

-- name: wfExecutions
-- Executions of the dialect ports, in the words of seeds 000 and 001, as the dialect's own view tells them; times are milliseconds since 1970, values are
-- JSON. `variables` are folded from every fact of an execution, which is more than SQL can be asked for: they are left empty, and told by
-- `perdure executions show ID --view`.
CREATE VIEW "wfExecutions" AS
SELECT
  e.id AS "id",
  e.organization AS "organizationId",
  CASE WHEN inline IS NULL AND written IS NOT NULL THEN e.workflow END AS "wfDefinitionId",
  CASE e.status WHEN 'waiting' THEN 'running' WHEN 'cancelled' THEN 'failed' ELSE e.status END AS "status",
  -- The step that it waits at; else the one that was entered last. What is a part of a step is told as that step.
  (SELECT coalesce(step.value ->> 'part_of', step.value ->> 'id')
    FROM json_array_elements(readable(convert_from(models.data, 'UTF8')) -> 'steps') WITH ORDINALITY AS step (value, place)
    WHERE CASE WHEN waits IS NULL THEN step.place - 1 = (
      SELECT number_in(readable(coalesce(nullif(h.data, ''), (
        SELECT string_agg(pieces.data, '' ORDER BY pieces.number) FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq
      ))), 'step')
      FROM history AS h WHERE h.eid = e.eid AND h.kind IN ('step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started',
        'foreach.opened', 'step.completed', 'step.failed', 'loop.ticked')
      ORDER BY h.seq DESC LIMIT 1
    ) ELSE step.value ->> 'id' = waits ->> 'step' END) AS "currentStepSlug",
  CASE WHEN e.status = 'waiting' AND readable(e.waiting) ->> 'kind' IN ('approval', 'event', 'timer') THEN readable(e.waiting) ->> 'kind' END AS "waitingFor",
  e.started_at AS "startedAt",
  greatest(e.ended_at, coalesce((
    SELECT number_in(readable(coalesce(nullif(h.data, ''), (
      SELECT string_agg(pieces.data, '' ORDER BY pieces.number) FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq
    ))), 'at') FROM history AS h WHERE h.eid = e.eid ORDER BY h.seq DESC LIMIT 1
  ), e.started_at)) AS "updatedAt",
  CASE WHEN e.status IN ('completed', 'failed', 'cancelled') THEN e.ended_at END AS "completedAt",
  e.id AS "componentWorkflowId",
  NULL::json AS "variables",
  CASE WHEN written IS NOT NULL THEN CASE json_typeof(template -> 'config') WHEN 'object' THEN template -> 'config' ELSE '{}' END END AS "workflowConfig",
  CASE WHEN written IS NOT NULL THEN coalesce((
    SELECT json_object_agg(coalesce(step ->> 'stepSlug', key), CASE json_typeof(step -> 'config') WHEN 'object' THEN step -> 'config' ELSE '{}' END)
    FROM (
      SELECT each.value AS step, NULL AS key, each.place
      FROM json_array_elements(CASE json_typeof(steps) WHEN 'array' THEN steps ELSE '[]' END) WITH ORDINALITY AS each (value, place)
      UNION ALL
      SELECT each.value, each.key, each.place
      FROM json_each(CASE json_typeof(steps) WHEN 'object' THEN steps ELSE '{}' END) WITH ORDINALITY AS each (key, value, place)
    ) AS every
  ), '{}') END AS "stepsConfig",
  -- What it was started with; of a fork, what it was given instead.
  coalesce((
    SELECT forked.body -> 'input' FROM (
      SELECT h.seq, readable(coalesce(nullif(h.data, ''), (
        SELECT string_agg(pieces.data, '' ORDER BY pieces.number) FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq
      ))) AS body
      FROM history AS h WHERE h.eid = e.eid AND h.kind = 'execution.forked' OFFSET 0
    ) AS forked WHERE forked.body ->> 'edited_input' = 'true' ORDER BY forked.seq DESC LIMIT 1
  ), body -> 'input') AS "input",
  CASE e.status WHEN 'completed' THEN readable(e.output) END AS "output",
  CASE e.status WHEN 'cancelled' THEN 'canceled' WHEN 'failed' THEN readable(e.error) ->> 'message' END AS "error",
  e."trigger" AS "triggeredBy",
  body -> 'trigger_data' AS "triggerData",
  -- On which port it went on when somebody had decided.
  (CASE json_typeof(body -> 'metadata') WHEN 'object' THEN (body -> 'metadata')::jsonb ELSE '{}' END || coalesce((
    SELECT jsonb_build_object('resumeWithPort', ended.body ->> 'port') FROM (
      SELECT h.seq, readable(coalesce(nullif(h.data, ''), (
        SELECT string_agg(pieces.data, '' ORDER BY pieces.number) FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq
      ))) AS body
      FROM history AS h WHERE h.eid = e.eid AND h.kind = 'step.completed' OFFSET 0
    ) AS ended
    WHERE number_in(ended.body, 'op') > 0
      AND readable(convert_from(models.data, 'UTF8')) -> 'steps' -> number_in(ended.body, 'step')::integer #>> '{work,kind}' = 'approval'
    ORDER BY ended.seq DESC LIMIT 1
  ), '{}'))::json AS "metadata"
FROM executions AS e JOIN models ON models.digest = e.digest AND models.dialect = 'ports'
CROSS JOIN LATERAL (
  SELECT readable(coalesce(e.start, (
    SELECT coalesce(nullif(h.data, ''), (
      SELECT string_agg(pieces.data, '' ORDER BY pieces.number) FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq
    )) FROM history AS h WHERE h.eid = e.eid AND h.seq = 1
  ))) AS body OFFSET 0 -- once, however often it is asked
) AS begun
CROSS JOIN LATERAL (
  SELECT CASE WHEN body #>> '{metadata,isInlineExecution}' = 'true' THEN body -> 'metadata' END AS inline,
    -- What waits for an operator waits at no step.
    CASE WHEN e.status = 'waiting' AND readable(e.waiting) ->> 'step' <> '' THEN readable(e.waiting) END AS waits OFFSET 0
) AS how
CROSS JOIN LATERAL (
  SELECT coalesce(inline, readable((
    SELECT v.document FROM workflow_versions AS v WHERE v.organization = e.organization AND v.workflow = e.workflow AND v.digest = e.digest
    ORDER BY v.created_at <= e.started_at DESC, v.number DESC LIMIT 1
  ))) AS written OFFSET 0
) AS read
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(written) = 'array' THEN written -> 0
    WHEN json_typeof(written -> 'workflowConfig') = 'object' THEN written -> 'workflowConfig'
    WHEN json_typeof(written -> 'workflow') = 'object' THEN written -> 'workflow'
    WHEN json_typeof(written -> 'template') = 'object' THEN written -> 'template'
    WHEN json_typeof(written -> 'definition') = 'object' THEN written -> 'definition'
    ELSE written END AS template OFFSET 0
) AS told
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(written) = 'array' THEN written -> 1
    ELSE coalesce(written -> 'stepsConfig', written -> 'steps', template -> 'stepsConfig', template -> 'steps') END AS steps OFFSET 0
) AS listed;
