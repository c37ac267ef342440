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
    SELECT coalesce(CAST(e.model AS TEXT) ->> ('$.steps[' || (entered.body ->> '$.step') || '].part_of'),
      CAST(e.model AS TEXT) ->> ('$.steps[' || (entered.body ->> '$.step') || '].id')) FROM (
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

-- name: wfDefinitions
-- Workflows of the dialect ports, in the words of seeds 000 and 001: each with its active version, else with its newest; values are JSON.
CREATE VIEW "wfDefinitions" AS
SELECT
  d.workflow AS "id",
  d.organization AS "organizationId",
  d.name AS "name",
  d.template ->> '$.description' AS "description",
  d.version AS "version",
  d.status AS "status",
  d.template -> '$.config' AS "config",
  d.template -> '$.metadata' AS "metadata"
FROM (
  SELECT v.*, CASE WHEN json_type(document) = 'array' THEN document -> '$[0]'
    WHEN json_type(document, '$.workflowConfig') = 'object' THEN document -> '$.workflowConfig'
    WHEN json_type(document, '$.workflow') = 'object' THEN document -> '$.workflow'
    WHEN json_type(document, '$.template') = 'object' THEN document -> '$.template'
    WHEN json_type(document, '$.definition') = 'object' THEN document -> '$.definition'
    ELSE document END AS template
  FROM workflows AS w JOIN workflow_versions AS v ON v.organization = w.organization AND v.workflow = w.id AND v.number = coalesce(w.active, w.newest)
  WHERE v.dialect = 'ports'
) AS d;

-- name: wfStepDefs
-- The steps of what "wfDefinitions" tells, however the document has them: in a list or by their slugs, beside the definition or in it.
CREATE VIEW "wfStepDefs" AS
SELECT
  s.workflow || '/' || s.slug AS "id",
  s.organization AS "organizationId",
  s.workflow AS "wfDefinitionId",
  s.slug AS "stepSlug",
  coalesce(nullif(s.step ->> '$.name', ''), CASE json_type(s.step, '$.config.name') WHEN 'text' THEN nullif(s.step ->> '$.config.name', '') END, s.slug)
    AS "name",
  s.step ->> '$.description' AS "description",
  CASE s.step ->> '$.stepType' WHEN 'start' THEN 'trigger' ELSE s.step ->> '$.stepType' END AS "stepType",
  coalesce(s.step ->> '$.order', s.place) AS "order",
  CASE json_type(s.step, '$.nextSteps') WHEN 'object' THEN s.step -> '$.nextSteps' ELSE '{}' END AS "nextSteps",
  CASE json_type(s.step, '$.config') WHEN 'object' THEN s.step -> '$.config' ELSE '{}' END AS "config",
  s.step -> '$.inputMapping' AS "inputMapping",
  s.step -> '$.outputMapping' AS "outputMapping",
  s.step -> '$.metadata' AS "metadata"
FROM (
  SELECT d.organization, d.workflow, each.value AS step, coalesce(each.value ->> '$.stepSlug', each.key) AS slug,
    row_number() OVER (PARTITION BY d.organization, d.workflow ORDER BY each.id) - 1 AS place
  FROM (
    SELECT organization, workflow, CASE WHEN json_type(document) = 'array' THEN document -> '$[1]'
      ELSE coalesce(document -> '$.stepsConfig', document -> '$.steps', template -> '$.stepsConfig', template -> '$.steps') END AS steps
    FROM (
      SELECT v.organization, v.workflow, v.document, CASE WHEN json_type(document, '$.workflowConfig') = 'object' THEN document -> '$.workflowConfig'
        WHEN json_type(document, '$.workflow') = 'object' THEN document -> '$.workflow'
        WHEN json_type(document, '$.template') = 'object' THEN document -> '$.template'
        WHEN json_type(document, '$.definition') = 'object' THEN document -> '$.definition' END AS template
      FROM workflows AS w JOIN workflow_versions AS v ON v.organization = w.organization AND v.workflow = w.id AND v.number = coalesce(w.active, w.newest)
      WHERE v.dialect = 'ports'
    )
  ) AS d, json_each(d.steps) AS each
) AS s;

-- name: wfExecutions
-- Executions of the dialect ports, in the words of seeds 000 and 001, as the dialect's own view tells them; times are milliseconds since 1970, values are
-- JSON. `variables` are folded from every fact of an execution, which is more than SQL can be asked for: they are left empty, and told by
-- `perdure executions show ID --view`.
CREATE VIEW "wfExecutions" AS
SELECT
  e.id AS "id",
  e.organization AS "organizationId",
  CASE WHEN e.inline IS NULL AND e.document IS NOT NULL THEN e.workflow END AS "wfDefinitionId",
  CASE e.status WHEN 'waiting' THEN 'running' WHEN 'cancelled' THEN 'failed' ELSE e.status END AS "status",
  -- The step that it waits at; else the one that was entered last. What is a part of a step is told as that step.
  (SELECT coalesce(step.value ->> '$.part_of', step.value ->> '$.id') FROM json_each(CAST(e.model AS TEXT), '$.steps') AS step
    WHERE CASE WHEN e.waits IS NULL THEN step.key = (
      SELECT entered.body ->> '$.step' FROM (
        SELECT h.seq, coalesce(nullif(h.data, ''), (
          SELECT group_concat(data, '') FROM (
            SELECT pieces.data FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq ORDER BY pieces.number
          )
        )) AS body
        FROM history AS h WHERE h.eid = e.eid AND h.kind IN ('step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started',
          'foreach.opened', 'step.completed', 'step.failed', 'loop.ticked')
      ) AS entered ORDER BY entered.seq DESC LIMIT 1
    ) ELSE step.value ->> '$.id' = e.waits ->> '$.step' END) AS "currentStepSlug",
  CASE WHEN e.status = 'waiting' AND e.waiting ->> '$.kind' IN ('approval', 'event', 'timer') THEN e.waiting ->> '$.kind' END AS "waitingFor",
  e.started_at AS "startedAt",
  max(coalesce(e.ended_at, 0), coalesce((
    SELECT coalesce(nullif(h.data, ''), (
      SELECT group_concat(data, '') FROM (
        SELECT pieces.data FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq ORDER BY pieces.number
      )
    )) ->> '$.at' FROM history AS h WHERE h.eid = e.eid ORDER BY h.seq DESC LIMIT 1
  ), e.started_at)) AS "updatedAt",
  CASE WHEN e.status IN ('completed', 'failed', 'cancelled') THEN e.ended_at END AS "completedAt",
  e.id AS "componentWorkflowId",
  NULL AS "variables",
  CASE WHEN e.document IS NOT NULL THEN CASE json_type(e.template, '$.config') WHEN 'object' THEN e.template -> '$.config' ELSE '{}' END END AS "workflowConfig",
  CASE WHEN e.document IS NOT NULL THEN (
    SELECT json_group_object(coalesce(each.value ->> '$.stepSlug', each.key), json(CASE json_type(each.value, '$.config') WHEN 'object'
      THEN each.value -> '$.config' ELSE '{}' END))
    FROM json_each(CASE WHEN json_type(e.document) = 'array' THEN e.document -> '$[1]'
      ELSE coalesce(e.document -> '$.stepsConfig', e.document -> '$.steps', e.template -> '$.stepsConfig', e.template -> '$.steps') END) AS each
  ) END AS "stepsConfig",
  -- What it was started with; of a fork, what it was given instead.
  coalesce((
    SELECT forked.body -> '$.input' FROM (
      SELECT h.seq, coalesce(nullif(h.data, ''), (
        SELECT group_concat(data, '') FROM (
          SELECT pieces.data FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq ORDER BY pieces.number
        )
      )) AS body
      FROM history AS h WHERE h.eid = e.eid AND h.kind = 'execution.forked'
    ) AS forked WHERE forked.body ->> '$.edited_input' ORDER BY forked.seq DESC LIMIT 1
  ), e.body -> '$.input') AS "input",
  CASE e.status WHEN 'completed' THEN e.output END AS "output",
  CASE e.status WHEN 'cancelled' THEN 'canceled' WHEN 'failed' THEN e.error ->> '$.message' END AS "error",
  e."trigger" AS "triggeredBy",
  e.body -> '$.trigger_data' AS "triggerData",
  -- On which port it went on when somebody had decided.
  json_patch(CASE json_type(e.body, '$.metadata') WHEN 'object' THEN e.body -> '$.metadata' ELSE '{}' END, json_object('resumeWithPort', (
    SELECT ended.body ->> '$.port' FROM (
      SELECT h.seq, coalesce(nullif(h.data, ''), (
        SELECT group_concat(data, '') FROM (
          SELECT pieces.data FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq ORDER BY pieces.number
        )
      )) AS body
      FROM history AS h WHERE h.eid = e.eid AND h.kind = 'step.completed'
    ) AS ended
    WHERE ended.body ->> '$.op' > 0 AND CAST(e.model AS TEXT) ->> ('$.steps[' || (ended.body ->> '$.step') || '].work.kind') = 'approval'
    ORDER BY ended.seq DESC LIMIT 1
  ))) AS "metadata"
FROM (
  SELECT *, CASE WHEN json_type(document) = 'array' THEN document -> '$[0]'
    WHEN json_type(document, '$.workflowConfig') = 'object' THEN document -> '$.workflowConfig'
    WHEN json_type(document, '$.workflow') = 'object' THEN document -> '$.workflow'
    WHEN json_type(document, '$.template') = 'object' THEN document -> '$.template'
    WHEN json_type(document, '$.definition') = 'object' THEN document -> '$.definition'
    ELSE document END AS template
  FROM (
    SELECT *, coalesce(inline, (
      SELECT kept.document FROM (
        SELECT v.document, v.number, v.created_at <= begun.started_at AS was_there FROM workflow_versions AS v
        WHERE v.organization = begun.organization AND v.workflow = begun.workflow AND v.digest = begun.digest
      ) AS kept ORDER BY kept.was_there DESC, kept.number DESC LIMIT 1
    )) AS document
    FROM (
      SELECT *, CASE WHEN body -> '$.metadata.isInlineExecution' = 'true' THEN body -> '$.metadata' END AS inline,
        -- What waits for an operator waits at no step.
        CASE WHEN status = 'waiting' AND waiting ->> '$.step' <> '' THEN waiting END AS waits
      FROM (
        SELECT executions.*, models.data AS model, coalesce(executions.start, (
          SELECT coalesce(nullif(h.data, ''), (
            SELECT group_concat(data, '') FROM (
              SELECT pieces.data FROM payloads AS pieces WHERE pieces.eid = h.eid AND pieces.seq = h.seq ORDER BY pieces.number
            )
          )) FROM history AS h WHERE h.eid = executions.eid AND h.seq = 1
        )) AS body
        FROM executions JOIN models ON models.digest = executions.digest AND models.dialect = 'ports'
      )
    ) AS begun
  )
) AS e;
