-- What others may read with SQL. A view is made whenever a store is opened for writing and it is not what stands here.

-- name: facts
-- What has happened in every execution, each fact whole: what is long is kept in pieces, and so are the items of a loop.
CREATE VIEW "facts" AS
SELECT h.eid, h.seq, h.kind, CASE WHEN h.parts = 0 THEN h.data WHEN h.data = '' THEN (
  SELECT group_concat(data, '') FROM (SELECT piece.data FROM payloads AS piece WHERE piece.eid = h.eid AND piece.seq = h.seq ORDER BY piece.number)
) ELSE replace(h.data, '"items":[]', '"items":[' || (
  SELECT group_concat(substr(data, 2, length(data) - 2), ',') FROM (
    SELECT piece.data FROM payloads AS piece WHERE piece.eid = h.eid AND piece.seq = h.seq ORDER BY piece.number
  )
) || ']') END AS body
FROM history AS h;

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
      CAST(e.model AS TEXT) ->> ('$.steps[' || (entered.body ->> '$.step') || '].id')) FROM facts AS entered
    WHERE entered.eid = e.eid AND entered.kind IN (
      'step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started', 'step.completed', 'step.failed')
    AND (entered.kind NOT IN ('step.completed', 'step.failed') OR entered.body ->> '$.op' IS NULL)
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
      SELECT first.body FROM facts AS first WHERE first.eid = executions.eid AND first.seq = 1
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
  CASE WHEN a.body ->> '$.decided_by' <> 'system' THEN max(a.body ->> '$.decided_at', a.body ->> '$.opened_at') END AS "reviewedAt",
  max(a.body ->> '$.decided_at', a.body ->> '$.opened_at') AS "decidedAt",
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

-- name: ports_definitions
-- What each workflow of the dialect ports says: `template` is its definition, `steps` are its steps, wherever the document has them.
CREATE VIEW "ports_definitions" AS
SELECT *, CASE WHEN json_type(document) = 'array' THEN document -> '$[1]'
  ELSE coalesce(document -> '$.stepsConfig', document -> '$.steps', template -> '$.stepsConfig', template -> '$.steps') END AS steps
FROM (
  SELECT v.*, CASE WHEN json_type(document) = 'array' THEN document -> '$[0]'
    WHEN json_type(document, '$.workflowConfig') = 'object' THEN document -> '$.workflowConfig'
    WHEN json_type(document, '$.workflow') = 'object' THEN document -> '$.workflow'
    WHEN json_type(document, '$.template') = 'object' THEN document -> '$.template'
    WHEN json_type(document, '$.definition') = 'object' THEN document -> '$.definition'
    ELSE document END AS template
  FROM workflows AS w JOIN workflow_versions AS v ON v.organization = w.organization AND v.workflow = w.id AND v.number = coalesce(w.active, w.newest)
  WHERE v.dialect = 'ports'
);

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
FROM ports_definitions AS d;

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
  FROM ports_definitions AS d, json_each(d.steps) AS each
) AS s;

-- name: ports_executions
-- What each execution of the dialect ports was begun with, and the document that it runs: what came with it, else what was saved.
CREATE VIEW "ports_executions" AS
SELECT *, CASE WHEN json_type(document) = 'array' THEN document -> '$[1]'
  ELSE coalesce(document -> '$.stepsConfig', document -> '$.steps', template -> '$.stepsConfig', template -> '$.steps') END AS steps
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
    )) AS document,
    -- What it was started with; of a fork, what it was given instead.
    coalesce((
      SELECT forked.body -> '$.input' FROM facts AS forked
      WHERE forked.eid = begun.eid AND forked.kind = 'execution.forked' AND forked.body ->> '$.edited_input' ORDER BY forked.seq DESC LIMIT 1
    ), begun.body -> '$.input') AS input
    FROM (
      SELECT *, CASE WHEN body -> '$.metadata.isInlineExecution' = 'true' THEN body -> '$.metadata' END AS inline,
        -- What waits for an operator waits at no step.
        CASE WHEN status = 'waiting' AND waiting ->> '$.step' <> '' THEN waiting END AS waits
      FROM (
        SELECT executions.*, CAST(models.data AS TEXT) AS model, coalesce(executions.start, (
          SELECT first.body FROM facts AS first WHERE first.eid = executions.eid AND first.seq = 1
        )) AS body
        FROM executions JOIN models ON models.digest = executions.digest AND models.dialect = 'ports'
      )
    ) AS begun
  )
);

-- name: ports_loops_left
-- Loops of executions, by the number of the fact that opened them, and the facts with which control was outside of them: they are done, control
-- was taken out of them, or it is in one around them.
CREATE VIEW "ports_loops_left" AS
SELECT opened.eid, opened.seq AS loop, later.seq, later.kind
FROM history AS opened JOIN facts AS later ON later.eid = opened.eid AND later.seq > opened.seq
WHERE opened.kind = 'loop.opened' AND CASE later.kind
  WHEN 'step.completed' THEN later.body ->> '$.scope' = opened.seq
  WHEN 'loop.ticked' THEN later.body ->> '$.scope' < opened.seq
  WHEN 'step.failed' THEN later.body ->> '$.loop' < opened.seq
  WHEN 'loops.left' THEN opened.seq IN (SELECT value FROM json_each(later.body, '$.scopes'))
  WHEN 'execution.forked' THEN json_type(later.body, '$.steps') = 'array' END;

-- name: ports_ticks
-- What a loop came to with each batch that it handed out: the batch, and what has failed before it.
CREATE VIEW "ports_ticks" AS
SELECT eid, seq, CASE batch_size WHEN 1 THEN json_set(data, '$.item', json(opened -> ('$.items[' || start || ']'))) ELSE data END AS data, (
  SELECT CASE WHEN count(*) THEN json_object('errors', json_group_array(json(error))) END FROM (
    SELECT json_object('message', failed.body ->> '$.error.message', 'category', coalesce(failed.body ->> '$.error.category', 'UNKNOWN'),
      'code', failed.body ->> '$.error.code', 'retriable', json(coalesce(failed.body -> '$.error.retriable', 'true')),
      'details', json(coalesce(failed.body -> '$.error.details', 'null'))) AS error
    FROM facts AS failed
    WHERE failed.eid = tick.eid AND failed.kind = 'step.failed' AND failed.seq < tick.seq AND failed.body ->> '$.loop' = tick.loop ORDER BY failed.seq
  )
) AS meta
FROM (
  SELECT *, json_object(
    'state', json_object('currentIndex', start, 'totalItems', total, 'iterations', start / batch_size, 'batchesProcessed', start / batch_size,
      'isComplete', json('false')),
    'batch', json_object('index', start / batch_size, 'size', min(batch_size, total - start), 'startIndex', start,
      'endIndex', min(start + batch_size, total) - 1, 'items', json((
        SELECT json_group_array(json(CASE item.type WHEN 'text' THEN json_quote(item.value) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
          WHEN 'null' THEN 'null' ELSE item.value END))
        FROM json_each(opened, '$.items') AS item WHERE item.key BETWEEN start AND start + batch_size - 1
      )))
  ) AS data
  FROM (
    SELECT ticked.eid, ticked.seq, opened.seq AS loop, opened.body AS opened, ticked.body ->> '$.start' AS start,
      json_array_length(opened.body, '$.items') AS total, opened.body ->> '$.batch_size' AS batch_size
    FROM facts AS ticked JOIN facts AS opened ON opened.eid = ticked.eid AND opened.seq = ticked.body ->> '$.scope'
    WHERE ticked.kind = 'loop.ticked'
  )
) AS tick;

-- name: ports_variables
-- What the variables of each execution are made of: what its steps came to, `{steps, lastOutput}`, and the loop that control is in.
CREATE VIEW "ports_variables" AS
SELECT e.eid, (
  SELECT json_object(
    'steps', json_group_object(slug, json_object('stepType', type, 'name', name, 'output', json(output))),
    'lastOutput', json(coalesce(max(CASE WHEN step = (
      SELECT came.body ->> '$.step' FROM facts AS came WHERE came.eid = e.eid AND came.kind IN ('step.completed', 'loop.ticked')
      AND e.model ->> ('$.steps[' || (came.body ->> '$.step') || '].part_of') IS NULL ORDER BY came.seq DESC LIMIT 1
    ) THEN output END), 'null')))
  FROM (
    SELECT ended.step, ended.slug, coalesce(titled.type, 'action') AS type, coalesce(titled.name, ended.slug) AS name,
      CASE WHEN coalesce(ended.meta, 'null') = 'null' THEN json_object('type', coalesce(titled.type, 'action'), 'data', json(coalesce(ended.data, 'null')))
        ELSE json_object('type', coalesce(titled.type, 'action'), 'data', json(coalesce(ended.data, 'null')), 'meta', json(ended.meta)) END AS output
    FROM (
      SELECT step.key AS step, step.value ->> '$.id' AS slug,
        CASE last.kind WHEN 'loop.ticked' THEN (SELECT tick.data FROM ports_ticks AS tick WHERE tick.eid = e.eid AND tick.seq = last.seq) ELSE last.data END AS data,
        CASE last.kind WHEN 'loop.ticked' THEN (SELECT tick.meta FROM ports_ticks AS tick WHERE tick.eid = e.eid AND tick.seq = last.seq) ELSE last.meta END AS meta
      FROM (
        SELECT step, kind, data, meta, max(seq) AS seq FROM ( -- the others are those of the greatest
          SELECT f.seq, f.kind, f.body ->> '$.step' AS step, f.body -> '$.output' AS data, f.body -> '$.meta' AS meta
          FROM facts AS f WHERE f.eid = e.eid AND f.kind IN ('step.completed', 'loop.ticked')
          UNION ALL
          SELECT f.seq, f.kind, CAST(changed.key AS INTEGER), f.body -> ('$.outputs.' || changed.key), NULL
          FROM facts AS f, json_each(f.body, '$.outputs') AS changed WHERE f.eid = e.eid AND f.kind = 'execution.forked'
        ) GROUP BY step
      ) AS last JOIN json_each(e.model, '$.steps') AS step ON step.key = last.step WHERE step.value ->> '$.part_of' IS NULL
    ) AS ended LEFT JOIN (
      SELECT coalesce(each.value ->> '$.stepSlug', each.key) AS slug,
        CASE each.value ->> '$.stepType' WHEN 'start' THEN 'trigger' ELSE each.value ->> '$.stepType' END AS type,
        coalesce(nullif(each.value ->> '$.name', ''), CASE json_type(each.value, '$.config.name') WHEN 'text' THEN nullif(each.value ->> '$.config.name', '') END) AS name
      FROM json_each(e.steps) AS each
    ) AS titled ON titled.slug = ended.slug
  )
) AS outcomes, (
  SELECT CASE WHEN is_open AND start IS NOT NULL AND batch_size = 1
    THEN json_object('state', json(state), 'item', json(body -> ('$.items[' || start || ']')), 'index', start, 'items', json(body -> '$.items'))
    ELSE json_object('state', json(state), 'items', json(body -> '$.items')) END
  FROM (
    SELECT *, CASE WHEN is_open
      THEN json_object('currentIndex', coalesce(start, 0), 'totalItems', total, 'iterations', coalesce(start / batch_size, 0),
        'batchesProcessed', coalesce(start / batch_size, 0), 'isComplete', json('false'))
      ELSE json_object('currentIndex', total, 'totalItems', total, 'iterations', (total + batch_size - 1) / batch_size,
        'batchesProcessed', (total + batch_size - 1) / batch_size, 'isComplete', json('true')) END AS state
    FROM (
      SELECT body, is_open, json_array_length(body, '$.items') AS total, body ->> '$.batch_size' AS batch_size, (
        SELECT ticked.body ->> '$.start' FROM facts AS ticked
        WHERE ticked.eid = e.eid AND ticked.seq > loop AND ticked.kind = 'loop.ticked' AND ticked.body ->> '$.scope' = loop ORDER BY ticked.seq DESC LIMIT 1
      ) AS start
      FROM (
        -- The innermost that control is in; or the one that was done last, if none was around it and nothing else was begun since.
        SELECT opened.seq AS loop, true AS is_open FROM history AS opened WHERE opened.eid = e.eid AND opened.kind = 'loop.opened'
        AND NOT EXISTS (SELECT 1 FROM ports_loops_left AS been WHERE been.eid = e.eid AND been.loop = opened.seq)
        UNION ALL
        SELECT done.loop, false FROM ports_loops_left AS done WHERE done.eid = e.eid AND done.kind = 'step.completed'
        AND NOT EXISTS (SELECT 1 FROM history AS other WHERE other.eid = e.eid AND other.kind = 'loop.opened' AND (other.seq > done.seq
          OR (other.seq < done.loop AND NOT EXISTS (
            SELECT 1 FROM ports_loops_left AS been WHERE been.eid = e.eid AND been.loop = other.seq AND been.seq < done.loop
          ))))
        ORDER BY 2 DESC, 1 DESC LIMIT 1
      ) AS found JOIN facts AS opened ON opened.eid = e.eid AND opened.seq = found.loop
    )
  )
) AS loop
FROM ports_executions AS e;

-- name: wfExecutions
-- Executions of the dialect ports, in the words of seeds 000 and 001, as the dialect's own view tells them; times are milliseconds since 1970, values are
-- JSON. `variables` are put together from all that has happened in an execution: ask for them where you have its id.
CREATE VIEW "wfExecutions" AS
SELECT
  e.id AS "id",
  e.organization AS "organizationId",
  CASE WHEN e.inline IS NULL AND e.document IS NOT NULL THEN e.workflow END AS "wfDefinitionId",
  CASE e.status WHEN 'waiting' THEN 'running' WHEN 'cancelled' THEN 'failed' ELSE e.status END AS "status",
  -- The step that it waits at; else the one that was entered last. What is a part of a step is told as that step.
  (SELECT coalesce(step.value ->> '$.part_of', step.value ->> '$.id') FROM json_each(e.model, '$.steps') AS step
    WHERE CASE WHEN e.waits IS NULL THEN step.key = (
      SELECT entered.body ->> '$.step' FROM facts AS entered
      WHERE entered.eid = e.eid AND entered.kind IN ('step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started',
        'foreach.opened', 'step.completed', 'step.failed', 'loop.ticked')
      ORDER BY entered.seq DESC LIMIT 1
    ) ELSE step.value ->> '$.id' = e.waits ->> '$.step' END) AS "currentStepSlug",
  CASE WHEN e.status = 'waiting' AND e.waiting ->> '$.kind' IN ('approval', 'event', 'timer') THEN e.waiting ->> '$.kind' END AS "waitingFor",
  e.started_at AS "startedAt",
  max(coalesce(e.ended_at, 0), coalesce((
    SELECT last.body ->> '$.at' FROM facts AS last WHERE last.eid = e.eid ORDER BY last.seq DESC LIMIT 1
  ), e.started_at)) AS "updatedAt",
  CASE WHEN e.status IN ('completed', 'failed', 'cancelled') THEN e.ended_at END AS "completedAt",
  e.id AS "componentWorkflowId",
  (SELECT json_group_object(name, json(value)) FROM (
    SELECT name, value, max(rank) FROM ( -- the value is that of the greatest
      SELECT each.key AS name, CASE each.type WHEN 'text' THEN json_quote(each.value) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null' ELSE each.value END AS value, 1 AS rank
      FROM json_each(CASE json_type(e.input) WHEN 'object' THEN e.input ELSE '{}' END) AS each
      UNION ALL
      SELECT each.key, CASE each.type WHEN 'text' THEN json_quote(each.value) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null' ELSE each.value END, 2
      FROM json_each(e.body, '$.assigned.config') AS each WHERE json_type(e.body, '$.assigned.config') = 'object' AND each.key <> 'config'
      UNION ALL
      SELECT name, value, 3 FROM (
        SELECT name, value, max(seq) FROM (
          SELECT each.key AS name, CASE each.type WHEN 'text' THEN json_quote(each.value) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null' ELSE each.value END AS value, f.seq
          FROM facts AS f, json_each(f.body, '$.assigned') AS each
          WHERE f.eid = e.eid AND f.kind IN ('step.completed', 'execution.forked') AND json_type(f.body, '$.assigned') = 'object' AND each.key <> 'config' AND each.key NOT LIKE 'secrets/%'
          UNION ALL
          SELECT each.value, NULL, f.seq + 0.5 FROM facts AS f, json_each(f.body, '$.unassigned') AS each
          WHERE f.eid = e.eid AND f.kind = 'step.completed'
        ) GROUP BY name
      ) WHERE value IS NOT NULL
    ) WHERE name NOT IN ('steps', 'lastOutput', 'loop', 'organizationId', 'input', 'secrets') GROUP BY name
    UNION ALL SELECT 'organizationId', json_quote(e.organization), 0
    UNION ALL SELECT 'input', e.input, 0 WHERE e.input <> 'null'
    UNION ALL SELECT 'secrets', json_group_object(name, '***'), 0 FROM (
      SELECT secret.value ->> '$.name' AS name FROM json_each(e.model, '$.secrets') AS secret
      UNION
      SELECT substr(each.key, length('secrets/') + 1) FROM facts AS f, json_each(f.body, '$.assigned') AS each
      WHERE f.eid = e.eid AND f.kind = 'step.completed' AND json_type(f.body, '$.assigned') = 'object' AND each.key LIKE 'secrets/%'
    ) HAVING count(*)
    UNION ALL SELECT 'steps', made.outcomes -> '$.steps', 0 FROM ports_variables AS made WHERE made.eid = e.eid
    UNION ALL SELECT 'lastOutput', made.outcomes -> '$.lastOutput', 0 FROM ports_variables AS made WHERE made.eid = e.eid
    UNION ALL SELECT 'loop', made.loop, 0 FROM ports_variables AS made WHERE made.eid = e.eid AND made.loop IS NOT NULL
  )) AS "variables",
  CASE WHEN e.document IS NOT NULL THEN CASE json_type(e.template, '$.config') WHEN 'object' THEN e.template -> '$.config' ELSE '{}' END END AS "workflowConfig",
  CASE WHEN e.document IS NOT NULL THEN (
    SELECT json_group_object(coalesce(each.value ->> '$.stepSlug', each.key), json(CASE json_type(each.value, '$.config') WHEN 'object'
      THEN each.value -> '$.config' ELSE '{}' END))
    FROM json_each(e.steps) AS each
  ) END AS "stepsConfig",
  e.input AS "input",
  CASE e.status WHEN 'completed' THEN e.output END AS "output",
  CASE e.status WHEN 'cancelled' THEN 'canceled' WHEN 'failed' THEN e.error ->> '$.message' END AS "error",
  e."trigger" AS "triggeredBy",
  e.body -> '$.trigger_data' AS "triggerData",
  -- On which port it went on when somebody had decided.
  json_patch(CASE json_type(e.body, '$.metadata') WHEN 'object' THEN e.body -> '$.metadata' ELSE '{}' END, json_object('resumeWithPort', (
    SELECT ended.body ->> '$.port' FROM facts AS ended
    WHERE ended.eid = e.eid AND ended.kind = 'step.completed' AND ended.body ->> '$.op' > 0
      AND e.model ->> ('$.steps[' || (ended.body ->> '$.step') || '].work.kind') = 'approval'
    ORDER BY ended.seq DESC LIMIT 1
  ))) AS "metadata"
FROM ports_executions AS e;

-- name: workflow_definitions
-- The versions of workflows of the dialect orchestration, in the words of seed 002; times are ISO-8601, values are JSON.
CREATE VIEW "workflow_definitions" AS
SELECT
  v.organization || '/' || v.workflow || '@' || v.version AS "id",
  v.workflow AS "workflow_id",
  v.name AS "name",
  v.document ->> '$.description' AS "description",
  v.version AS "version",
  v.document -> '$.steps' AS "steps",
  v.document -> '$.inputSchema' AS "input_schema",
  v.document -> '$.triggers' AS "triggers",
  v.document -> '$.cancellationTriggers' AS "cancellation_triggers",
  v.document -> '$.compensationSteps' AS "compensation_steps",
  strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') AS "created_at",
  strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') AS "updated_at",
  v.organization AS "organization",
  v.status AS "status"
FROM workflow_versions AS v WHERE v.dialect = 'orchestration';

-- name: orchestration_steps
-- What has become of the steps of each execution of the dialect orchestration, but for parts of steps and for steps that undo others. A step is
-- told by the fact that opened it last (`entered`), the last that said something of it (`came`), and what a fork has put in the place of its
-- output since (`edited`); and by whether it runs (`runs_since`: it was opened, or taken up again by a retry) and was given up with the execution.
CREATE VIEW "orchestration_steps" AS
SELECT e.eid, (
  WITH touched AS MATERIALIZED (
    SELECT f.seq, f.body ->> '$.step' AS step, false AS edits, f.kind NOT IN ('step.completed', 'step.failed') OR f.body ->> '$.op' IS NULL AS opens
    FROM facts AS f WHERE f.eid = e.eid AND f.kind IN ('step.scheduled', 'wait.opened', 'approval.opened', 'step.completed', 'step.failed')
    UNION ALL
    SELECT f.seq, CAST(changed.key AS INTEGER), true, false FROM facts AS f, json_each(f.body, '$.outputs') AS changed
    WHERE f.eid = e.eid AND f.kind = 'execution.forked'
  ), been AS MATERIALIZED (
    SELECT step, coalesce(max(CASE WHEN opens THEN seq END), min(seq)) AS entered, coalesce(told, min(seq)) AS came,
      min(CASE WHEN edits AND seq > coalesce(told, 0) THEN seq END) AS edited_at, max(CASE WHEN edits AND seq > coalesce(told, 0) THEN seq END) AS edited_last
    FROM (SELECT *, max(CASE WHEN NOT edits THEN seq END) OVER (PARTITION BY step) AS told FROM touched) GROUP BY step
  ), known AS MATERIALIZED (
    SELECT been.*, step.value ->> '$.id' AS id, opened.body AS opened, said.kind AS said_kind, said.body AS said, (
      SELECT forked.body -> ('$.outputs.' || been.step) FROM facts AS forked WHERE forked.eid = e.eid AND forked.seq = been.edited_last
    ) AS edited, (
      SELECT max(again.seq) FROM history AS again WHERE again.eid = e.eid AND again.kind = 'execution.retried'
        AND again.seq > been.came AND again.seq < coalesce(been.edited_at, again.seq + 1)
    ) AS taken_up
    FROM been JOIN json_each(CAST(models.data AS TEXT), '$.steps') AS step ON step.key = been.step
    JOIN facts AS opened ON opened.eid = e.eid AND opened.seq = been.entered JOIN facts AS said ON said.eid = e.eid AND said.seq = been.came
    WHERE step.value ->> '$.part_of' IS NULL AND step.value ->> '$.id' NOT IN (
      SELECT undoing.value ->> '$.by' FROM json_each(CAST(models.data AS TEXT), '$.compensations') AS undoing
    )
  ), running AS MATERIALIZED (
    SELECT *, CASE WHEN said_kind IN ('step.completed', 'execution.forked') THEN NULL
      -- What has failed is taken up again if it is what the execution failed with; what failed on the spot, when it is entered.
      WHEN said_kind = 'step.failed' THEN CASE WHEN entered < came AND taken_up > (
        SELECT min(gone.seq) FROM facts AS gone, json_each(gone.body, '$.steps') AS each
        WHERE gone.eid = e.eid AND gone.seq > came AND gone.kind IN ('execution.failed', 'execution.retrying') AND each.value = step
      ) THEN taken_up END
      ELSE coalesce(taken_up, came) END AS runs_since
    FROM known
  ), leaving AS MATERIALIZED (
    SELECT *, CASE WHEN runs_since IS NOT NULL THEN (
      SELECT gone.body FROM facts AS gone
      WHERE gone.eid = e.eid AND gone.seq > runs_since AND gone.seq < coalesce(edited_at, gone.seq + 1)
        AND gone.kind IN ('execution.failed', 'execution.retrying', 'execution.cancelled', 'compensation.planned')
        AND NOT EXISTS (SELECT 1 FROM json_each(gone.body, '$.settling') AS each WHERE each.value ->> 0 = entered)
      ORDER BY gone.seq LIMIT 1
    ) END AS given_up
    FROM running
  ), told AS MATERIALIZED (
    SELECT *, CASE WHEN edited IS NOT NULL OR said_kind = 'step.completed' THEN 'COMPLETED'
        WHEN runs_since IS NULL OR given_up IS NOT NULL THEN 'FAILED' ELSE 'RUNNING' END AS status,
      strftime('%Y-%m-%dT%H:%M:%fZ', CASE WHEN runs_since IS NULL THEN said ELSE given_up END ->> '$.at' / 1000.0, 'unixepoch') AS ended,
      CASE WHEN runs_since IS NULL THEN said -> '$.error' WHEN given_up ->> '$.kind' = 'compensation.planned'
        THEN '{"message":"nobody knows whether it was done","category":"SYSTEM","code":"UNKNOWN_OUTCOME","retriable":false}'
        ELSE '{"message":"the execution ended before it was done","category":"SYSTEM","code":"GIVEN_UP","retriable":false}' END AS failure
    FROM leaving
  )
  SELECT json_group_object(id, json_remove(
    json_object('status', status, 'startedAt', strftime('%Y-%m-%dT%H:%M:%fZ', opened ->> '$.at' / 1000.0, 'unixepoch'),
      'input', json(coalesce(opened -> '$.input', opened -> '$.request', 'null')), 'output', json(coalesce(edited, said -> '$.output', 'null')),
      'error', json_remove(
        json_object('message', failure ->> '$.message', 'category', coalesce(failure ->> '$.category', 'UNKNOWN'),
          'retriable', json(coalesce(failure -> '$.retriable', 'true')), 'code', failure ->> '$.code',
          'details', json(coalesce(failure -> '$.details', 'null')), 'stackTrace', failure ->> '$.stack', 'timestamp', ended),
        CASE WHEN failure ->> '$.code' IS NULL THEN '$.code' ELSE '$.none' END,
        CASE WHEN failure ->> '$.details' IS NULL THEN '$.details' ELSE '$.none' END,
        CASE WHEN failure ->> '$.stack' IS NULL THEN '$.stackTrace' ELSE '$.none' END),
      'completedAt', ended),
    CASE WHEN opened ->> '$.kind' IN ('step.scheduled', 'approval.opened') THEN '$.none' ELSE '$.input' END,
    CASE status WHEN 'COMPLETED' THEN '$.none' ELSE '$.output' END,
    CASE status WHEN 'FAILED' THEN '$.none' ELSE '$.error' END,
    CASE WHEN ended IS NULL THEN '$.completedAt' ELSE '$.none' END))
  FROM told
) AS steps
FROM executions AS e JOIN models ON models.digest = e.digest AND models.dialect = 'orchestration';

-- name: orchestration_undone
-- How far what executions of the dialect orchestration have done was undone: seed 002's `CompensationState`.
CREATE VIEW "orchestration_undone" AS
SELECT e.eid, (
  WITH began AS MATERIALIZED (
    SELECT ended.seq, ended.body FROM facts AS ended WHERE ended.eid = e.eid AND ended.kind IN ('execution.failed', 'execution.cancelled')
      AND ended.body ->> '$.compensate' ORDER BY ended.seq LIMIT 1
  ), planned AS MATERIALIZED (
    SELECT began.body AS began, planned.seq AS at, planned.body AS plan, (
      SELECT finished.body FROM facts AS finished
      WHERE finished.eid = e.eid AND finished.seq > began.seq AND finished.kind = 'compensation.finished' ORDER BY finished.seq DESC LIMIT 1
    ) AS finished
    FROM began LEFT JOIN facts AS planned ON planned.eid = e.eid AND planned.kind = 'compensation.planned' AND planned.seq > began.seq
    ORDER BY planned.seq DESC LIMIT 1
  ), ended AS MATERIALIZED (
    SELECT done.kind, done.body, CAST(models.data AS TEXT) ->> ('$.steps[' || (done.body ->> '$.step') || '].id') AS id
    FROM planned JOIN facts AS done ON done.eid = e.eid AND done.seq > planned.at AND done.kind IN ('step.completed', 'step.failed')
    WHERE done.body ->> '$.step' IN (SELECT each.value ->> 0 FROM json_each(planned.plan, '$.plan') AS each) ORDER BY done.seq
  )
  SELECT json_remove(
    json_object('status', CASE WHEN finished IS NULL THEN 'IN_PROGRESS' WHEN json_array_length(finished, '$.failed') > 0 THEN 'COMPLETED_WITH_ERRORS'
        ELSE 'COMPLETED' END,
      'startedAt', strftime('%Y-%m-%dT%H:%M:%fZ', began ->> '$.at' / 1000.0, 'unixepoch'),
      'plan', json((
        SELECT json_group_array(CAST(models.data AS TEXT) ->> ('$.steps[' || (each.value ->> 0) || '].id')) FROM json_each(plan, '$.plan') AS each
      )),
      'completed', json((SELECT json_group_array(id) FROM ended WHERE kind = 'step.completed')),
      'failed', json((
        SELECT json_group_array(json_object('stepId', id, 'error', body ->> '$.error.message',
          'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', body ->> '$.at' / 1000.0, 'unixepoch'))) FROM ended WHERE kind = 'step.failed'
      )),
      'unknown', json((
        SELECT json_group_array(CAST(models.data AS TEXT) ->> ('$.steps[' || each.value || '].id')) FROM json_each(plan, '$.unknown') AS each
      )),
      'completedAt', strftime('%Y-%m-%dT%H:%M:%fZ', finished ->> '$.at' / 1000.0, 'unixepoch')),
    CASE WHEN json_array_length(plan, '$.unknown') > 0 THEN '$.none' ELSE '$.unknown' END,
    CASE WHEN finished IS NULL THEN '$.completedAt' ELSE '$.none' END)
  FROM planned
) AS state
FROM executions AS e JOIN models ON models.digest = e.digest AND models.dialect = 'orchestration';

-- name: orchestration_executions
-- Executions of the dialect orchestration, with the model that each runs. What a worker holds is read apart: the rest is found by indexes that
-- are not touched meanwhile.
CREATE VIEW "orchestration_executions" AS
SELECT e.*, CAST(models.data AS TEXT) AS model
FROM (SELECT * FROM executions WHERE owner IS NULL UNION ALL SELECT * FROM executions WHERE owner IS NOT NULL) AS e
JOIN models ON models.digest = e.digest AND models.dialect = 'orchestration';

-- name: workflow_instances
-- Executions of the dialect orchestration, in the words of seed 002, as the dialect's own view tells them; times are ISO-8601, values are JSON.
-- They are looked for by id, status and status_at (which stands in for updated_at: it changes with the status only, and is in milliseconds
-- since 1970), correlation_id, workflow_id, workflow_definition_id, waiting_for_pattern and waiting_at_step. `state` is put together from all
-- that has happened in an execution: ask for it where you have its id.
CREATE VIEW "workflow_instances" AS
SELECT
  e.id AS "id",
  v.organization || '/' || v.workflow || '@' || v.version AS "workflow_definition_id",
  CASE e.status WHEN 'pending' THEN 'CREATED' WHEN 'running' THEN 'RUNNING' WHEN 'completed' THEN 'COMPLETED' WHEN 'failed' THEN 'FAILED'
    WHEN 'cancelled' THEN 'CANCELLED' WHEN 'waiting' THEN CASE WHEN substr(e.waiting, 1, 14) IN ('{"kind":"event', '{"kind":"appro')
    THEN 'WAITING_FOR_EVENT' ELSE 'RUNNING' END END AS "status",
  json_object(
    'variables', json((
      SELECT json_group_object(name, json(value)) FROM (
        SELECT each.key AS name, CASE each.type WHEN 'text' THEN json_quote(each.value) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null' ELSE each.value END AS value,
          max(f.seq) -- the value is that of the greatest
        FROM facts AS f, json_each(f.body, '$.assigned') AS each
        WHERE f.eid = e.eid AND f.kind IN ('execution.started', 'step.completed', 'execution.forked') AND json_type(f.body, '$.assigned') = 'object'
        GROUP BY each.key
      )
    )),
    -- The step that it waits at; else the one that was entered last. What is a part of a step is told as that step.
    'currentStepId', CASE WHEN e.status NOT IN ('completed', 'failed', 'cancelled') THEN coalesce(
      CASE e.status WHEN 'waiting' THEN nullif(e.waiting ->> '$.step', '') END, (
        SELECT coalesce(e.model ->> ('$.steps[' || (entered.body ->> '$.step') || '].part_of'), e.model ->> ('$.steps[' || (entered.body ->> '$.step') || '].id'))
        FROM facts AS entered WHERE entered.eid = e.eid AND (entered.kind IN ('step.scheduled', 'wait.opened', 'approval.opened')
          OR entered.kind IN ('step.completed', 'step.failed') AND entered.body ->> '$.op' IS NULL)
        ORDER BY entered.seq DESC LIMIT 1
      )) END,
    'steps', json((SELECT told.steps FROM orchestration_steps AS told WHERE told.eid = e.eid)),
    'waitingForEvent', json(CASE WHEN e.status = 'waiting' AND e.waiting ->> '$.kind' = 'event' THEN (
      SELECT json_remove(
        json_object('eventPattern', e.waiting ->> '$.on', 'since', strftime('%Y-%m-%dT%H:%M:%fZ', e.waiting ->> '$.since' / 1000.0, 'unixepoch'),
          'eventCondition', condition),
        CASE WHEN condition IS NULL THEN '$.eventCondition' ELSE '$.none' END)
      FROM (
        -- As its author wrote it.
        SELECT CASE step.value ->> '$.work.condition.kind' WHEN 'expression' THEN coalesce((
            SELECT written.value ->> 1 FROM json_each(e.model, '$.written') AS written
            WHERE written.value ->> 0 = step.value ->> '$.work.condition.source' ORDER BY written.key DESC LIMIT 1
          ), step.value ->> '$.work.condition.source') END AS condition
        FROM json_each(e.model, '$.steps') AS step WHERE step.value ->> '$.id' = e.waiting ->> '$.step'
      )
    ) ELSE 'null' END)
  ) AS "state",
  -- What it was started with; of a fork, what it was given instead.
  coalesce((
    SELECT coalesce(forked.body -> '$.input', 'null') FROM facts AS forked
    WHERE forked.eid = e.eid AND forked.kind = 'execution.forked' AND forked.body ->> '$.edited_input' ORDER BY forked.seq DESC LIMIT 1
  ), (SELECT started.body -> '$.input' FROM facts AS started WHERE started.eid = e.eid AND started.seq = 1)) AS "input",
  e.correlation_id AS "correlation_id",
  (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = e.eid) AS "version",
  strftime('%Y-%m-%dT%H:%M:%fZ', e.started_at / 1000.0, 'unixepoch') AS "created_at",
  strftime('%Y-%m-%dT%H:%M:%fZ', max(coalesce(e.ended_at, 0), coalesce((
    SELECT last.body ->> '$.at' FROM facts AS last WHERE last.eid = e.eid ORDER BY last.seq DESC LIMIT 1
  ), e.started_at)) / 1000.0, 'unixepoch') AS "updated_at",
  strftime('%Y-%m-%dT%H:%M:%fZ', e.started_at / 1000.0, 'unixepoch') AS "started_at",
  CASE WHEN e.status IN ('completed', 'failed', 'cancelled') THEN strftime('%Y-%m-%dT%H:%M:%fZ', e.ended_at / 1000.0, 'unixepoch') END AS "completed_at",
  (
    SELECT json_remove(
      json_object('reason', gone.body ->> '$.reason', 'requestedBy', gone.body ->> '$.by',
        'requestedAt', strftime('%Y-%m-%dT%H:%M:%fZ', gone.body ->> '$.at' / 1000.0, 'unixepoch'), 'source', gone.body ->> '$.source',
        'eventId', gone.body ->> '$.event_id'),
      CASE WHEN gone.body ->> '$.event_id' IS NULL THEN '$.eventId' ELSE '$.none' END)
    FROM facts AS gone WHERE gone.eid = e.eid AND gone.kind = 'execution.cancelled' ORDER BY gone.seq DESC LIMIT 1
  ) AS "cancellation",
  (SELECT undone.state FROM orchestration_undone AS undone WHERE undone.eid = e.eid) AS "compensation_state",
  CASE e.status WHEN 'completed' THEN e.output END AS "output",
  CASE e.status WHEN 'failed' THEN json_remove(
    json_object('message', e.error ->> '$.message', 'category', coalesce(e.error ->> '$.category', 'UNKNOWN'),
      'retriable', json(coalesce(e.error -> '$.retriable', 'true')), 'code', e.error ->> '$.code',
      'details', json(coalesce(e.error -> '$.details', 'null')), 'stackTrace', e.error ->> '$.stack',
      'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', e.ended_at / 1000.0, 'unixepoch')),
    CASE WHEN e.error ->> '$.code' IS NULL THEN '$.code' ELSE '$.none' END,
    CASE WHEN e.error ->> '$.details' IS NULL THEN '$.details' ELSE '$.none' END,
    CASE WHEN e.error ->> '$.stack' IS NULL THEN '$.stackTrace' ELSE '$.none' END) END AS "error",
  e.workflow AS "workflow_id",
  v.version AS "workflow_version",
  (SELECT started.body ->> '$.event_id' FROM facts AS started WHERE started.eid = e.eid AND started.seq = 1) AS "trigger_event_id",
  e.organization AS "organization",
  e.status_at AS "status_at",
  CASE WHEN e.status = 'waiting' AND substr(e.waiting, 1, 14) = '{"kind":"event' THEN e.waiting ->> '$.on' END AS "waiting_for_pattern",
  CASE WHEN e.status = 'waiting' AND substr(e.waiting, 1, 14) IN ('{"kind":"event', '{"kind":"appro') THEN e.waiting ->> '$.step' END AS "waiting_at_step"
FROM orchestration_executions AS e LEFT JOIN workflow_versions AS v ON v.organization = e.organization AND v.workflow = e.workflow AND v.number = (
  SELECT kept.number FROM (
    SELECT every.number, every.created_at <= e.started_at AS was_there FROM workflow_versions AS every
    WHERE every.organization = e.organization AND every.workflow = e.workflow AND every.digest = e.digest
  ) AS kept ORDER BY kept.was_there DESC, kept.number DESC LIMIT 1
);
