-- What others may read with SQL. A view is made whenever a store is opened for writing and it is not what stands here.

-- name: facts
-- What has happened in every execution, each fact whole: what is long is kept in pieces, and so are the items of a loop.
CREATE VIEW "facts" AS
SELECT h.eid, h.seq, h.kind, body
FROM history AS h CROSS JOIN LATERAL (
  SELECT readable(CASE WHEN h.parts = 0 THEN h.data WHEN h.data = '' THEN (
    SELECT string_agg(piece.data, '' ORDER BY piece.number) FROM payloads AS piece WHERE piece.eid = h.eid AND piece.seq = h.seq
  ) ELSE replace(h.data, '"items":[]', '"items":[' || (
    SELECT string_agg(substr(piece.data, 2, length(piece.data) - 2), ',' ORDER BY piece.number) FROM payloads AS piece
    WHERE piece.eid = h.eid AND piece.seq = h.seq
  ) || ']') END) AS body OFFSET 0 -- once, however often it is asked
) AS read;

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
      readable(convert_from(models.data, 'UTF8')) -> 'steps' -> number_in(entered.body, 'step')::integer ->> 'id') FROM facts AS entered
    WHERE entered.eid = e.eid AND entered.kind IN (
      'step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started', 'step.completed', 'step.failed')
    AND (entered.kind NOT IN ('step.completed', 'step.failed') OR entered.body ->> 'op' IS NULL)
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
    SELECT coalesce(readable(e.start), (SELECT first.body FROM facts AS first WHERE first.eid = e.eid AND first.seq = 1)) AS body OFFSET 0
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
  CASE WHEN body ->> 'decided_by' <> 'system' THEN CASE WHEN number_in(body, 'decided_at') IS NOT NULL THEN greatest(number_in(body, 'decided_at'), number_in(body, 'opened_at')) END END AS "reviewedAt",
  CASE WHEN number_in(body, 'decided_at') IS NOT NULL THEN greatest(number_in(body, 'decided_at'), number_in(body, 'opened_at')) END AS "decidedAt",
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

-- name: ports_definitions
-- What each workflow of the dialect ports says: `template` is its definition, `steps` are its steps, wherever the document has them.
CREATE VIEW "ports_definitions" AS
SELECT v.organization, v.workflow, v.name, v.version, v.status, template, steps
FROM workflows AS w
JOIN workflow_versions AS v ON v.organization = w.organization AND v.workflow = w.id AND v.number = coalesce(w.active, w.newest) AND v.dialect = 'ports'
CROSS JOIN LATERAL (SELECT readable(v.document) AS document OFFSET 0) AS read
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(read.document) = 'array' THEN read.document -> 0
    WHEN json_typeof(read.document -> 'workflowConfig') = 'object' THEN read.document -> 'workflowConfig'
    WHEN json_typeof(read.document -> 'workflow') = 'object' THEN read.document -> 'workflow'
    WHEN json_typeof(read.document -> 'template') = 'object' THEN read.document -> 'template'
    WHEN json_typeof(read.document -> 'definition') = 'object' THEN read.document -> 'definition'
    ELSE read.document END AS template OFFSET 0
) AS told
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(read.document) = 'array' THEN read.document -> 1
    ELSE coalesce(read.document -> 'stepsConfig', read.document -> 'steps', template -> 'stepsConfig', template -> 'steps') END AS steps OFFSET 0
) AS listed;

-- name: wfDefinitions
-- Workflows of the dialect ports, in the words of seeds 000 and 001: each with its active version, else with its newest; values are JSON.
CREATE VIEW "wfDefinitions" AS
SELECT
  d.workflow AS "id",
  d.organization AS "organizationId",
  d.name AS "name",
  d.template ->> 'description' AS "description",
  d.version AS "version",
  d.status AS "status",
  d.template -> 'config' AS "config",
  d.template -> 'metadata' AS "metadata"
FROM ports_definitions AS d;

-- name: wfStepDefs
-- The steps of what "wfDefinitions" tells, however the document has them: in a list or by their slugs, beside the definition or in it.
CREATE VIEW "wfStepDefs" AS
SELECT
  d.workflow || '/' || slug AS "id",
  d.organization AS "organizationId",
  d.workflow AS "wfDefinitionId",
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
FROM ports_definitions AS d
CROSS JOIN LATERAL (
  SELECT each.value AS step, NULL AS key, each.place
  FROM json_array_elements(CASE json_typeof(d.steps) WHEN 'array' THEN d.steps ELSE '[]' END) WITH ORDINALITY AS each (value, place)
  UNION ALL
  SELECT each.value, each.key, each.place
  FROM json_each(CASE json_typeof(d.steps) WHEN 'object' THEN d.steps ELSE '{}' END) WITH ORDINALITY AS each (key, value, place)
) AS every
CROSS JOIN LATERAL (SELECT coalesce(step ->> 'stepSlug', key) AS slug) AS named;

-- name: ports_executions
-- What each execution of the dialect ports was begun with, and the document that it runs: what came with it, else what was saved.
CREATE VIEW "ports_executions" AS
SELECT e.eid, e.id, e.organization, e.workflow, e.status, e."trigger", e.started_at, e.ended_at, e.output, e.error, begun.waiting, waits, model, body, inline, input,
  document, template, steps
FROM executions AS e JOIN models ON models.digest = e.digest AND models.dialect = 'ports'
CROSS JOIN LATERAL (SELECT readable(convert_from(models.data, 'UTF8')) AS model OFFSET 0) AS modelled
CROSS JOIN LATERAL (
  SELECT coalesce(readable(e.start), (SELECT first.body FROM facts AS first WHERE first.eid = e.eid AND first.seq = 1)) AS body,
    readable(e.waiting) AS waiting OFFSET 0
) AS begun
CROSS JOIN LATERAL (
  SELECT CASE WHEN body #>> '{metadata,isInlineExecution}' = 'true' THEN body -> 'metadata' END AS inline,
    -- What waits for an operator waits at no step.
    CASE WHEN e.status = 'waiting' AND begun.waiting ->> 'step' <> '' THEN begun.waiting END AS waits,
    -- What it was started with; of a fork, what it was given instead.
    coalesce((
      SELECT forked.body -> 'input' FROM facts AS forked
      WHERE forked.eid = e.eid AND forked.kind = 'execution.forked' AND forked.body ->> 'edited_input' = 'true' ORDER BY forked.seq DESC LIMIT 1
    ), body -> 'input') AS input OFFSET 0
) AS how
CROSS JOIN LATERAL (
  SELECT coalesce(inline, readable((
    SELECT v.document FROM workflow_versions AS v WHERE v.organization = e.organization AND v.workflow = e.workflow AND v.digest = e.digest
    ORDER BY v.created_at <= e.started_at DESC, v.number DESC LIMIT 1
  ))) AS document OFFSET 0
) AS read
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(document) = 'array' THEN document -> 0
    WHEN json_typeof(document -> 'workflowConfig') = 'object' THEN document -> 'workflowConfig'
    WHEN json_typeof(document -> 'workflow') = 'object' THEN document -> 'workflow'
    WHEN json_typeof(document -> 'template') = 'object' THEN document -> 'template'
    WHEN json_typeof(document -> 'definition') = 'object' THEN document -> 'definition'
    ELSE document END AS template OFFSET 0
) AS told
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(document) = 'array' THEN document -> 1
    ELSE coalesce(document -> 'stepsConfig', document -> 'steps', template -> 'stepsConfig', template -> 'steps') END AS steps OFFSET 0
) AS listed;

-- name: ports_loops_left
-- Loops of executions, by the number of the fact that opened them, and the facts with which control was outside of them: they are done, control
-- was taken out of them, or it is in one around them.
CREATE VIEW "ports_loops_left" AS
SELECT opened.eid, opened.seq AS loop, later.seq, later.kind
FROM history AS opened JOIN facts AS later ON later.eid = opened.eid AND later.seq > opened.seq
  AND later.kind IN ('step.completed', 'loop.ticked', 'step.failed', 'loops.left', 'execution.forked')
WHERE opened.kind = 'loop.opened' AND CASE later.kind
  WHEN 'step.completed' THEN number_in(later.body, 'scope') = opened.seq
  WHEN 'loop.ticked' THEN number_in(later.body, 'scope') < opened.seq
  WHEN 'step.failed' THEN number_in(later.body, 'loop') < opened.seq
  WHEN 'loops.left' THEN opened.seq::text IN (SELECT json_array_elements_text(later.body -> 'scopes'))
  WHEN 'execution.forked' THEN json_typeof(later.body -> 'steps') = 'array' END;

-- name: ports_ticks
-- What a loop came to with each batch that it handed out: the batch, and what has failed before it.
CREATE VIEW "ports_ticks" AS
SELECT ticked.eid, ticked.seq, (json_build_object(
    'state', json_build_object('currentIndex', start, 'totalItems', total, 'iterations', start / batch_size, 'batchesProcessed', start / batch_size,
      'isComplete', false),
    'batch', json_build_object('index', start / batch_size, 'size', least(batch_size, total - start), 'startIndex', start,
      'endIndex', least(start + batch_size, total) - 1, 'items', (
        SELECT json_agg(item.value ORDER BY item.place) FROM json_array_elements(opened.body -> 'items') WITH ORDINALITY AS item (value, place)
        WHERE item.place - 1 BETWEEN start AND start + batch_size - 1
      ))
  )::jsonb || CASE batch_size WHEN 1 THEN jsonb_build_object('item', opened.body -> 'items' -> start::integer) ELSE '{}' END)::json AS data, (
  SELECT json_build_object('errors', json_agg(json_build_object('message', failed.body #>> '{error,message}',
    'category', coalesce(failed.body #>> '{error,category}', 'UNKNOWN'), 'code', failed.body #>> '{error,code}',
    'retriable', coalesce(failed.body #>> '{error,retriable}', 'true') = 'true', 'details', failed.body #> '{error,details}') ORDER BY failed.seq))
  FROM facts AS failed
  WHERE failed.eid = ticked.eid AND failed.kind = 'step.failed' AND failed.seq < ticked.seq AND number_in(failed.body, 'loop') = opened.seq
  HAVING count(*) > 0
) AS meta
FROM facts AS ticked JOIN facts AS opened ON opened.eid = ticked.eid AND opened.seq = number_in(ticked.body, 'scope')
CROSS JOIN LATERAL (
  SELECT number_in(ticked.body, 'start') AS start, json_array_length(opened.body -> 'items') AS total, number_in(opened.body, 'batch_size') AS batch_size OFFSET 0
) AS counted
WHERE ticked.kind = 'loop.ticked';

-- name: ports_variables
-- What the variables of each execution are made of: what its steps came to, `{steps, lastOutput}`, and the loop that control is in.
CREATE VIEW "ports_variables" AS
SELECT e.eid, (
  SELECT json_build_object(
    'steps', coalesce(json_object_agg(slug, json_build_object('stepType', type, 'name', name, 'output', output)), '{}'),
    'lastOutput', (array_agg(output) FILTER (WHERE step = (
      SELECT number_in(came.body, 'step') FROM facts AS came WHERE came.eid = e.eid AND came.kind IN ('step.completed', 'loop.ticked')
      AND e.model -> 'steps' -> number_in(came.body, 'step')::integer ->> 'part_of' IS NULL ORDER BY came.seq DESC LIMIT 1
    )))[1])
  FROM (
    SELECT ended.step, ended.slug, coalesce(titled.type, 'action') AS type, coalesce(titled.name, ended.slug) AS name,
      CASE WHEN coalesce(json_typeof(ended.meta), 'null') = 'null' THEN json_build_object('type', coalesce(titled.type, 'action'), 'data', ended.data)
        ELSE json_build_object('type', coalesce(titled.type, 'action'), 'data', ended.data, 'meta', ended.meta) END AS output
    FROM (
      SELECT last.step, step.value ->> 'id' AS slug,
        CASE last.kind WHEN 'loop.ticked' THEN (SELECT tick.data FROM ports_ticks AS tick WHERE tick.eid = e.eid AND tick.seq = last.seq) ELSE last.data END AS data,
        CASE last.kind WHEN 'loop.ticked' THEN (SELECT tick.meta FROM ports_ticks AS tick WHERE tick.eid = e.eid AND tick.seq = last.seq) ELSE last.meta END AS meta
      FROM (
        SELECT DISTINCT ON (step) step, kind, data, meta, seq FROM (
          SELECT f.seq, f.kind, number_in(f.body, 'step') AS step, f.body -> 'output' AS data, f.body -> 'meta' AS meta
          FROM facts AS f WHERE f.eid = e.eid AND f.kind IN ('step.completed', 'loop.ticked')
          UNION ALL
          SELECT f.seq, f.kind, changed.key::bigint, changed.value, NULL
          FROM facts AS f CROSS JOIN LATERAL json_each(coalesce(f.body -> 'outputs', '{}')) AS changed WHERE f.eid = e.eid AND f.kind = 'execution.forked'
        ) AS came ORDER BY step, seq DESC
      ) AS last JOIN json_array_elements(e.model -> 'steps') WITH ORDINALITY AS step (value, place) ON step.place - 1 = last.step
      WHERE step.value ->> 'part_of' IS NULL
    ) AS ended LEFT JOIN (
      SELECT coalesce(each.step ->> 'stepSlug', each.key) AS slug, CASE each.step ->> 'stepType' WHEN 'start' THEN 'trigger' ELSE each.step ->> 'stepType' END AS type,
        coalesce(nullif(each.step ->> 'name', ''), CASE json_typeof(each.step #> '{config,name}') WHEN 'string' THEN nullif(each.step #>> '{config,name}', '') END) AS name
      FROM (
        SELECT value AS step, NULL AS key FROM json_array_elements(CASE json_typeof(e.steps) WHEN 'array' THEN e.steps ELSE '[]' END)
        UNION ALL
        SELECT value, key FROM json_each(CASE json_typeof(e.steps) WHEN 'object' THEN e.steps ELSE '{}' END)
      ) AS each
    ) AS titled ON titled.slug = ended.slug
  ) AS told
) AS outcomes, (
  SELECT CASE WHEN is_open AND start IS NOT NULL AND batch_size = 1
    THEN json_build_object('state', state, 'item', items -> start::integer, 'index', start, 'items', items)
    ELSE json_build_object('state', state, 'items', items) END
  FROM (
    SELECT *, CASE WHEN is_open
      THEN json_build_object('currentIndex', coalesce(start, 0), 'totalItems', total, 'iterations', coalesce(start / batch_size, 0),
        'batchesProcessed', coalesce(start / batch_size, 0), 'isComplete', false)
      ELSE json_build_object('currentIndex', total, 'totalItems', total, 'iterations', (total + batch_size - 1) / batch_size,
        'batchesProcessed', (total + batch_size - 1) / batch_size, 'isComplete', true) END AS state
    FROM (
      SELECT is_open, opened.body -> 'items' AS items, json_array_length(opened.body -> 'items') AS total, number_in(opened.body, 'batch_size') AS batch_size, (
        SELECT number_in(ticked.body, 'start') FROM facts AS ticked
        WHERE ticked.eid = e.eid AND ticked.seq > loop AND ticked.kind = 'loop.ticked' AND number_in(ticked.body, 'scope') = loop ORDER BY ticked.seq DESC LIMIT 1
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
    ) AS counted
  ) AS stated
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
  (SELECT coalesce(step.value ->> 'part_of', step.value ->> 'id') FROM json_array_elements(e.model -> 'steps') WITH ORDINALITY AS step (value, place)
    WHERE CASE WHEN e.waits IS NULL THEN step.place - 1 = (
      SELECT number_in(entered.body, 'step') FROM facts AS entered
      WHERE entered.eid = e.eid AND entered.kind IN ('step.scheduled', 'timer.opened', 'wait.opened', 'approval.opened', 'child.started',
        'foreach.opened', 'step.completed', 'step.failed', 'loop.ticked')
      ORDER BY entered.seq DESC LIMIT 1
    ) ELSE step.value ->> 'id' = e.waits ->> 'step' END) AS "currentStepSlug",
  CASE WHEN e.status = 'waiting' AND e.waiting ->> 'kind' IN ('approval', 'event', 'timer') THEN e.waiting ->> 'kind' END AS "waitingFor",
  e.started_at AS "startedAt",
  greatest(e.ended_at, coalesce((
    SELECT number_in(last.body, 'at') FROM facts AS last WHERE last.eid = e.eid ORDER BY last.seq DESC LIMIT 1
  ), e.started_at)) AS "updatedAt",
  CASE WHEN e.status IN ('completed', 'failed', 'cancelled') THEN e.ended_at END AS "completedAt",
  e.id AS "componentWorkflowId",
  (SELECT json_object_agg(name, value) FROM (
    (SELECT DISTINCT ON (name) name, value FROM (
      SELECT each.key AS name, each.value, 1 AS rank FROM json_each(CASE json_typeof(e.input) WHEN 'object' THEN e.input ELSE '{}' END) AS each
      UNION ALL
      SELECT each.key, each.value, 2
      FROM json_each(CASE json_typeof(e.body #> '{assigned,config}') WHEN 'object' THEN e.body #> '{assigned,config}' ELSE '{}' END) AS each WHERE each.key <> 'config'
      UNION ALL
      SELECT name, value, 3 FROM (
        SELECT DISTINCT ON (name) name, value FROM (
          SELECT each.key AS name, each.value, f.seq, false AS is_unset
          FROM facts AS f CROSS JOIN LATERAL json_each(CASE json_typeof(f.body -> 'assigned') WHEN 'object' THEN f.body -> 'assigned' ELSE '{}' END) AS each
          WHERE f.eid = e.eid AND f.kind IN ('step.completed', 'execution.forked') AND each.key <> 'config' AND each.key NOT LIKE 'secrets/%'
          UNION ALL
          SELECT each.value, NULL, f.seq, true FROM facts AS f CROSS JOIN LATERAL json_array_elements_text(coalesce(f.body -> 'unassigned', '[]')) AS each (value)
          WHERE f.eid = e.eid AND f.kind = 'step.completed'
        ) AS every ORDER BY name, seq DESC, is_unset DESC
      ) AS assigned WHERE value IS NOT NULL
    ) AS spread WHERE name NOT IN ('steps', 'lastOutput', 'loop', 'organizationId', 'input', 'secrets') ORDER BY name, rank DESC)
    UNION ALL SELECT 'organizationId', to_json(e.organization)
    UNION ALL SELECT 'input', e.input WHERE json_typeof(e.input) <> 'null'
    UNION ALL SELECT 'secrets', json_object_agg(name, '***') FROM (
      SELECT secret.value ->> 'name' AS name FROM json_array_elements(coalesce(e.model -> 'secrets', '[]')) AS secret (value)
      UNION
      SELECT substr(each.key, length('secrets/') + 1)
      FROM facts AS f CROSS JOIN LATERAL json_each(CASE json_typeof(f.body -> 'assigned') WHEN 'object' THEN f.body -> 'assigned' ELSE '{}' END) AS each
      WHERE f.eid = e.eid AND f.kind = 'step.completed' AND each.key LIKE 'secrets/%'
    ) AS named HAVING count(*) > 0
    UNION ALL SELECT 'steps', made.outcomes -> 'steps' FROM ports_variables AS made WHERE made.eid = e.eid
    UNION ALL SELECT 'lastOutput', made.outcomes -> 'lastOutput' FROM ports_variables AS made WHERE made.eid = e.eid
    UNION ALL SELECT 'loop', made.loop FROM ports_variables AS made WHERE made.eid = e.eid AND made.loop IS NOT NULL
  ) AS every
  ) AS "variables",
  CASE WHEN e.document IS NOT NULL THEN CASE json_typeof(e.template -> 'config') WHEN 'object' THEN e.template -> 'config' ELSE '{}' END END AS "workflowConfig",
  CASE WHEN e.document IS NOT NULL THEN coalesce((
    SELECT json_object_agg(coalesce(step ->> 'stepSlug', key), CASE json_typeof(step -> 'config') WHEN 'object' THEN step -> 'config' ELSE '{}' END)
    FROM (
      SELECT value AS step, NULL AS key FROM json_array_elements(CASE json_typeof(e.steps) WHEN 'array' THEN e.steps ELSE '[]' END)
      UNION ALL
      SELECT value, key FROM json_each(CASE json_typeof(e.steps) WHEN 'object' THEN e.steps ELSE '{}' END)
    ) AS every
  ), '{}') END AS "stepsConfig",
  e.input AS "input",
  CASE e.status WHEN 'completed' THEN readable(e.output) END AS "output",
  CASE e.status WHEN 'cancelled' THEN 'canceled' WHEN 'failed' THEN readable(e.error) ->> 'message' END AS "error",
  e."trigger" AS "triggeredBy",
  e.body -> 'trigger_data' AS "triggerData",
  -- On which port it went on when somebody had decided.
  (CASE json_typeof(e.body -> 'metadata') WHEN 'object' THEN (e.body -> 'metadata')::jsonb ELSE '{}' END || coalesce((
    SELECT jsonb_build_object('resumeWithPort', ended.body ->> 'port') FROM facts AS ended
    WHERE ended.eid = e.eid AND ended.kind = 'step.completed' AND number_in(ended.body, 'op') > 0
      AND e.model -> 'steps' -> number_in(ended.body, 'step')::integer #>> '{work,kind}' = 'approval'
    ORDER BY ended.seq DESC LIMIT 1
  ), '{}'))::json AS "metadata"
FROM ports_executions AS e;

-- name: workflow_definitions
-- The versions of workflows of the dialect orchestration, in the words of seed 002; times are ISO-8601, values are JSON.
CREATE VIEW "workflow_definitions" AS
SELECT
  v.organization || '/' || v.workflow || '@' || v.version AS "id",
  v.workflow AS "workflow_id",
  v.name AS "name",
  read.document ->> 'description' AS "description",
  v.version AS "version",
  read.document -> 'steps' AS "steps",
  read.document -> 'inputSchema' AS "input_schema",
  read.document -> 'triggers' AS "triggers",
  read.document -> 'cancellationTriggers' AS "cancellation_triggers",
  read.document -> 'compensationSteps' AS "compensation_steps",
  iso(v.created_at) AS "created_at",
  iso(v.created_at) AS "updated_at",
  v.organization AS "organization",
  v.status AS "status"
FROM workflow_versions AS v CROSS JOIN LATERAL (SELECT readable(v.document) AS document OFFSET 0) AS read
WHERE v.dialect = 'orchestration';

-- name: orchestration_steps
-- What has become of the steps of each execution of the dialect orchestration, but for parts of steps and for steps that undo others. A step is
-- told by the fact that opened it last (`entered`), the last that said something of it (`came`), and what a fork has put in the place of its
-- output since (`edited`); and by whether it runs (`runs_since`: it was opened, or taken up again by a retry) and was given up with the execution.
CREATE VIEW "orchestration_steps" AS
SELECT e.eid, (
  WITH workflow AS MATERIALIZED (
    SELECT readable(convert_from(models.data, 'UTF8')) AS model
  ), touched AS MATERIALIZED (
    SELECT f.seq, number_in(f.body, 'step') AS step, false AS edits, f.kind NOT IN ('step.completed', 'step.failed') OR f.body ->> 'op' IS NULL AS opens
    FROM facts AS f WHERE f.eid = e.eid AND f.kind IN ('step.scheduled', 'wait.opened', 'approval.opened', 'step.completed', 'step.failed')
    UNION ALL
    SELECT f.seq, changed.key::bigint, true, false FROM facts AS f CROSS JOIN LATERAL json_each(coalesce(f.body -> 'outputs', '{}')) AS changed
    WHERE f.eid = e.eid AND f.kind = 'execution.forked'
  ), been AS MATERIALIZED (
    SELECT step, coalesce(max(seq) FILTER (WHERE opens), min(seq)) AS entered, coalesce(told, min(seq)) AS came,
      min(seq) FILTER (WHERE edits AND seq > coalesce(told, 0)) AS edited_at, max(seq) FILTER (WHERE edits AND seq > coalesce(told, 0)) AS edited_last
    FROM (SELECT *, max(seq) FILTER (WHERE NOT edits) OVER (PARTITION BY step) AS told FROM touched) AS every GROUP BY step, told
  ), known AS MATERIALIZED (
    SELECT been.*, step.value ->> 'id' AS id, opened.kind AS opened_kind, opened.body AS opened, said.kind AS said_kind, said.body AS said, (
      SELECT forked.body -> 'outputs' -> been.step::text FROM facts AS forked WHERE forked.eid = e.eid AND forked.seq = been.edited_last
    ) AS edited, (
      SELECT max(again.seq) FROM history AS again WHERE again.eid = e.eid AND again.kind = 'execution.retried'
        AND again.seq > been.came AND again.seq < coalesce(been.edited_at, again.seq + 1)
    ) AS taken_up
    FROM workflow CROSS JOIN LATERAL json_array_elements(model -> 'steps') WITH ORDINALITY AS step (value, place) JOIN been ON been.step = step.place - 1
    JOIN facts AS opened ON opened.eid = e.eid AND opened.seq = been.entered JOIN facts AS said ON said.eid = e.eid AND said.seq = been.came
    WHERE step.value ->> 'part_of' IS NULL AND step.value ->> 'id' NOT IN (
      SELECT undoing.value ->> 'by' FROM json_array_elements(coalesce(model -> 'compensations', '[]')) AS undoing (value)
    )
  ), running AS MATERIALIZED (
    SELECT *, CASE WHEN said_kind IN ('step.completed', 'execution.forked') THEN NULL
      -- What has failed is taken up again if it is what the execution failed with; what failed on the spot, when it is entered.
      WHEN said_kind = 'step.failed' THEN CASE WHEN entered < came AND taken_up > (
        SELECT min(gone.seq) FROM facts AS gone CROSS JOIN LATERAL json_array_elements_text(coalesce(gone.body -> 'steps', '[]')) AS each (value)
        WHERE gone.eid = e.eid AND gone.seq > came AND gone.kind IN ('execution.failed', 'execution.retrying') AND each.value = step::text
      ) THEN taken_up END
      ELSE coalesce(taken_up, came) END AS runs_since
    FROM known
  ), leaving AS MATERIALIZED (
    SELECT *, CASE WHEN runs_since IS NOT NULL THEN (
      SELECT gone.body FROM facts AS gone
      WHERE gone.eid = e.eid AND gone.seq > runs_since AND gone.seq < coalesce(edited_at, gone.seq + 1)
        AND gone.kind IN ('execution.failed', 'execution.retrying', 'execution.cancelled', 'compensation.planned') AND NOT EXISTS (
          SELECT 1 FROM json_array_elements(coalesce(gone.body -> 'settling', '[]')) AS each (value) WHERE each.value ->> 0 = entered::text
        )
      ORDER BY gone.seq LIMIT 1
    ) END AS given_up
    FROM running
  ), told AS MATERIALIZED (
    SELECT *, CASE WHEN edited IS NOT NULL OR said_kind = 'step.completed' THEN 'COMPLETED'
        WHEN runs_since IS NULL OR given_up IS NOT NULL THEN 'FAILED' ELSE 'RUNNING' END AS status,
      number_in(CASE WHEN runs_since IS NULL THEN said ELSE given_up END, 'at') AS ended,
      CASE WHEN runs_since IS NULL THEN said -> 'error' WHEN given_up ->> 'kind' = 'compensation.planned'
        THEN '{"message":"nobody knows whether it was done","category":"SYSTEM","code":"UNKNOWN_OUTCOME","retriable":false}'
        ELSE '{"message":"the execution ended before it was done","category":"SYSTEM","code":"GIVEN_UP","retriable":false}' END AS failure
    FROM leaving
  )
  SELECT coalesce(json_object_agg(id, (
    SELECT json_object_agg(key, value) FROM (VALUES
      ('status', to_json(status)), ('startedAt', to_json(iso(number_in(opened, 'at')))),
      ('input', CASE opened_kind WHEN 'step.scheduled' THEN coalesce(opened -> 'input', 'null') WHEN 'approval.opened' THEN coalesce(opened -> 'request', 'null') END),
      ('output', CASE status WHEN 'COMPLETED' THEN coalesce(edited, said -> 'output', 'null') END),
      ('error', CASE status WHEN 'FAILED' THEN error_info(failure, ended) END), ('completedAt', to_json(iso(ended)))
    ) AS each (key, value) WHERE value IS NOT NULL
  )), '{}') FROM told
) AS steps
FROM executions AS e JOIN models ON models.digest = e.digest AND models.dialect = 'orchestration';

-- name: orchestration_undone
-- How far what executions of the dialect orchestration have done was undone: seed 002's `CompensationState`.
CREATE VIEW "orchestration_undone" AS
SELECT e.eid, (
  WITH began AS MATERIALIZED (
    SELECT ended.seq, ended.body FROM facts AS ended WHERE ended.eid = e.eid AND ended.kind IN ('execution.failed', 'execution.cancelled')
      AND ended.body ->> 'compensate' = 'true' ORDER BY ended.seq LIMIT 1
  ), planned AS MATERIALIZED (
    SELECT began.body AS began, planned.seq AS at, planned.body AS plan, readable(convert_from(models.data, 'UTF8')) AS model, (
      SELECT finished.body FROM facts AS finished
      WHERE finished.eid = e.eid AND finished.seq > began.seq AND finished.kind = 'compensation.finished' ORDER BY finished.seq DESC LIMIT 1
    ) AS finished
    FROM began LEFT JOIN facts AS planned ON planned.eid = e.eid AND planned.kind = 'compensation.planned' AND planned.seq > began.seq
    ORDER BY planned.seq DESC LIMIT 1
  ), ended AS MATERIALIZED (
    SELECT done.seq, done.kind, done.body, model -> 'steps' -> number_in(done.body, 'step')::integer -> 'id' AS id
    FROM planned JOIN facts AS done ON done.eid = e.eid AND done.seq > planned.at AND done.kind IN ('step.completed', 'step.failed')
    WHERE done.body ->> 'step' IN (SELECT each.value ->> 0 FROM json_array_elements(planned.plan -> 'plan') AS each (value))
  )
  SELECT json_object_agg(key, value) FROM planned CROSS JOIN LATERAL (VALUES
    ('status', to_json(CASE WHEN finished IS NULL THEN 'IN_PROGRESS' WHEN json_array_length(coalesce(finished -> 'failed', '[]')) > 0
      THEN 'COMPLETED_WITH_ERRORS' ELSE 'COMPLETED' END)),
    ('startedAt', to_json(iso(number_in(began, 'at')))),
    ('plan', (
      SELECT coalesce(json_agg(model -> 'steps' -> (each.value ->> 0)::integer -> 'id' ORDER BY place), '[]')
      FROM json_array_elements(coalesce(plan -> 'plan', '[]')) WITH ORDINALITY AS each (value, place)
    )),
    ('completed', (SELECT coalesce(json_agg(id ORDER BY seq), '[]') FROM ended WHERE kind = 'step.completed')),
    ('failed', (
      SELECT coalesce(json_agg(json_build_object('stepId', id, 'error', body #> '{error,message}', 'timestamp', iso(number_in(body, 'at'))) ORDER BY seq), '[]')
      FROM ended WHERE kind = 'step.failed'
    )),
    ('unknown', (
      SELECT json_agg(model -> 'steps' -> each.value::integer -> 'id' ORDER BY place)
      FROM json_array_elements_text(coalesce(plan -> 'unknown', '[]')) WITH ORDINALITY AS each (value, place)
    )),
    ('completedAt', to_json(iso(number_in(finished, 'at'))))
  ) AS each (key, value) WHERE value IS NOT NULL HAVING count(*) > 0
) AS state
FROM executions AS e JOIN models ON models.digest = e.digest AND models.dialect = 'orchestration';

-- name: orchestration_executions
-- Executions of the dialect orchestration, with the model that each runs. What a worker holds is named apart: the rest is found by indexes that
-- are not touched meanwhile.
CREATE VIEW "orchestration_executions" AS
SELECT e.eid, e.id, e.organization, e.workflow, e.digest, e.status, e.status_at, e.waiting, e.output, e.error, e.correlation_id, e.started_at, e.ended_at,
  models.data AS model
FROM executions AS e JOIN models ON models.digest = e.digest AND models.dialect = 'orchestration'
WHERE e.owner IS NULL OR e.owner IS NOT NULL;

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
  (
    SELECT json_build_object(
      'variables', (
        SELECT coalesce(json_object_agg(name, value), '{}') FROM (
          SELECT DISTINCT ON (each.key) each.key AS name, each.value
          FROM facts AS f CROSS JOIN LATERAL json_each(CASE json_typeof(f.body -> 'assigned') WHEN 'object' THEN f.body -> 'assigned' ELSE '{}' END) AS each
          WHERE f.eid = e.eid AND f.kind IN ('execution.started', 'step.completed', 'execution.forked') ORDER BY each.key, f.seq DESC
        ) AS assigned
      ),
      -- The step that it waits at; else the one that was entered last. What is a part of a step is told as that step.
      'currentStepId', CASE WHEN e.status NOT IN ('completed', 'failed', 'cancelled') THEN coalesce(
        CASE e.status WHEN 'waiting' THEN nullif(waits ->> 'step', '') END, (
          SELECT coalesce(model -> 'steps' -> number_in(entered.body, 'step')::integer ->> 'part_of', model -> 'steps' -> number_in(entered.body, 'step')::integer ->> 'id')
          FROM facts AS entered WHERE entered.eid = e.eid AND (entered.kind IN ('step.scheduled', 'wait.opened', 'approval.opened')
            OR entered.kind IN ('step.completed', 'step.failed') AND entered.body ->> 'op' IS NULL)
          ORDER BY entered.seq DESC LIMIT 1
        )) END,
      'steps', (SELECT told.steps FROM orchestration_steps AS told WHERE told.eid = e.eid),
      'waitingForEvent', CASE WHEN e.status = 'waiting' AND waits ->> 'kind' = 'event' THEN (
        SELECT json_object_agg(key, value) FROM (VALUES
          ('eventPattern', waits -> 'on'), ('since', to_json(iso(number_in(waits, 'since')))),
          -- As its author wrote it.
          ('eventCondition', (
            SELECT coalesce((
                SELECT written.value -> 1 FROM json_array_elements(coalesce(model -> 'written', '[]')) WITH ORDINALITY AS written (value, place)
                WHERE written.value ->> 0 = step.value #>> '{work,condition,source}' ORDER BY written.place DESC LIMIT 1
              ), step.value #> '{work,condition,source}')
            FROM json_array_elements(model -> 'steps') AS step (value)
            WHERE step.value ->> 'id' = waits ->> 'step' AND step.value #>> '{work,condition,kind}' = 'expression'
          ))
        ) AS each (key, value) WHERE value IS NOT NULL
      ) END
    )
    FROM (SELECT readable(convert_from(e.model, 'UTF8')) AS model, readable(e.waiting) AS waits OFFSET 0) AS read
  ) AS "state",
  -- What it was started with; of a fork, what it was given instead.
  coalesce((
    SELECT coalesce(forked.body -> 'input', 'null') FROM facts AS forked
    WHERE forked.eid = e.eid AND forked.kind = 'execution.forked' AND forked.body ->> 'edited_input' = 'true' ORDER BY forked.seq DESC LIMIT 1
  ), (SELECT started.body -> 'input' FROM facts AS started WHERE started.eid = e.eid AND started.seq = 1)) AS "input",
  e.correlation_id AS "correlation_id",
  (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = e.eid) AS "version",
  iso(e.started_at) AS "created_at",
  iso(greatest(e.ended_at, coalesce((
    SELECT number_in(last.body, 'at') FROM facts AS last WHERE last.eid = e.eid ORDER BY last.seq DESC LIMIT 1
  ), e.started_at))) AS "updated_at",
  iso(e.started_at) AS "started_at",
  CASE WHEN e.status IN ('completed', 'failed', 'cancelled') THEN iso(e.ended_at) END AS "completed_at",
  (
    SELECT (SELECT json_object_agg(key, value) FROM (VALUES
      ('reason', gone.body -> 'reason'), ('requestedBy', gone.body -> 'by'), ('requestedAt', to_json(iso(number_in(gone.body, 'at')))),
      ('source', gone.body -> 'source'), ('eventId', gone.body -> 'event_id')
    ) AS each (key, value) WHERE value IS NOT NULL)
    FROM facts AS gone WHERE gone.eid = e.eid AND gone.kind = 'execution.cancelled' ORDER BY gone.seq DESC LIMIT 1
  ) AS "cancellation",
  (SELECT undone.state FROM orchestration_undone AS undone WHERE undone.eid = e.eid) AS "compensation_state",
  CASE e.status WHEN 'completed' THEN readable(e.output) END AS "output",
  CASE e.status WHEN 'failed' THEN error_info(readable(e.error), e.ended_at) END AS "error",
  e.workflow AS "workflow_id",
  v.version AS "workflow_version",
  (SELECT started.body ->> 'event_id' FROM facts AS started WHERE started.eid = e.eid AND started.seq = 1) AS "trigger_event_id",
  e.organization AS "organization",
  e.status_at AS "status_at",
  waited(e.status, e.waiting, 'on', false) AS "waiting_for_pattern",
  waited(e.status, e.waiting, 'step', true) AS "waiting_at_step"
FROM orchestration_executions AS e LEFT JOIN workflow_versions AS v ON v.organization = e.organization AND v.workflow = e.workflow AND v.number = (
  SELECT kept.number FROM workflow_versions AS kept WHERE kept.organization = e.organization AND kept.workflow = e.workflow AND kept.digest = e.digest
  ORDER BY kept.created_at <= e.started_at DESC, kept.number DESC LIMIT 1
);
