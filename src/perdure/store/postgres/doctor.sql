-- What must hold, as questions that find what breaks it. Each answers with (whose it is, what is wrong); none writes. `complaints.py` says what
-- each answer means. The first is no question: it stands before each of the others.

-- name: views
-- Rows with their JSON as `body`, also of facts that are kept in pieces; what is no JSON has none.
WITH whole AS NOT MATERIALIZED (
  SELECT eid, seq, kind, readable(text) AS body FROM (
    SELECT eid, seq, kind, coalesce(nullif(data, ''), (
      SELECT string_agg(payloads.data, '' ORDER BY number) FROM payloads WHERE payloads.eid = history.eid AND payloads.seq = history.seq
    )) AS text FROM history
  ) AS texts
), fact AS NOT MATERIALIZED (
  SELECT eid, seq, kind, body, number_in(body, 'op') AS op, number_in(body, 'at') AS at FROM whole
), event AS NOT MATERIALIZED (
  SELECT pos, organization, id, type, routed, readable(data) AS body FROM events
), letter AS NOT MATERIALIZED (
  SELECT pos, eid, readable(data) AS body FROM inbox
), asked AS NOT MATERIALIZED (
  SELECT eid, op, id, organization, status, readable(data) AS body FROM approval_items
), known AS NOT MATERIALIZED (
  SELECT eid, id, organization, status, live, ready, mail, wake_at, owner, epoch, crashes, waiting, start, ended_at,
    (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) AS seq
  FROM executions
);

-- name: last_number
-- The row says which fact is the last, at least while nobody owns it; the history has another.
SELECT id, 'fact ' || seq || ' in the row, ' || last || ' in the history'
FROM (SELECT id, seq, owner, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) AS last FROM executions) AS both_say
WHERE seq > last OR (owner IS NULL AND seq < last);

-- name: unreadable_facts
-- Every fact is JSON, and of the kind that its row says.
SELECT id, 'fact ' || fact.seq || CASE
    WHEN body IS NULL THEN ' is no JSON' ELSE ' is ' || coalesce(body ->> 'kind', 'nothing') || ', its row says ' || kind END
FROM fact JOIN executions USING (eid) WHERE body IS NULL OR body ->> 'kind' IS DISTINCT FROM kind;

-- name: pieces
-- What is kept in pieces has as many as its row says, and what is empty has some.
SELECT id, 'fact ' || kept.seq || ' has ' || found || ' pieces, its row says ' || parts
FROM (
  SELECT eid, seq, parts, data, (SELECT count(*) FROM payloads WHERE payloads.eid = history.eid AND payloads.seq = history.seq) AS found,
    (SELECT max(number) + 1 FROM payloads WHERE payloads.eid = history.eid AND payloads.seq = history.seq) AS last
  FROM history
) AS kept JOIN executions USING (eid)
WHERE found <> parts OR last <> parts OR (data = '' AND parts = 0);

-- name: results
-- An operation has one result. One that failed may have another after the execution was retried.
SELECT id, 'operation ' || op || ': ' || kind || ' (fact ' || results.seq || ') after ' || before || ' (fact ' || earlier || ')' FROM (
  SELECT eid, op, seq, kind, lag(kind) OVER operation AS before, lag(seq) OVER operation AS earlier FROM fact
  WHERE kind IN ('step.completed', 'step.failed', 'item.completed', 'item.failed') AND op > 0
  WINDOW operation AS (PARTITION BY eid, op ORDER BY seq)
) AS results JOIN known USING (eid)
WHERE before IN ('step.completed', 'item.completed') OR (before IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM history WHERE history.eid = results.eid AND history.seq > earlier AND history.seq < results.seq
    AND history.kind IN ('execution.retried', 'execution.retrying')));

-- name: items
-- An item of a forEach completes once.
SELECT id, 'item ' || item || ' of ' || scope || ' has completed ' || n || ' times' FROM (
  SELECT history.eid, history.scope, body ->> 'item' AS item, count(*) AS n FROM history JOIN fact USING (eid, seq)
  WHERE history.kind = 'item.completed' GROUP BY history.eid, history.scope, item HAVING count(*) > 1
) AS often JOIN known USING (eid);

-- name: after_the_end
-- What has ended has ended: after a completion only its chains, after a failure also what settles and undoes, until a retry.
SELECT id, later.kind || ' (fact ' || later.seq || ') after ' || ended.kind || ' (fact ' || ended.seq || ')'
FROM history AS ended
JOIN history AS later ON later.eid = ended.eid AND later.seq > ended.seq AND later.seq < coalesce((
  SELECT seq FROM history AS retried
  WHERE retried.eid = ended.eid AND retried.seq > ended.seq AND retried.kind = 'execution.retried' AND ended.kind = 'execution.failed'
  ORDER BY seq LIMIT 1), 1::bigint << 62)
JOIN known ON known.eid = ended.eid
WHERE ended.kind IN ('execution.completed', 'execution.failed', 'execution.cancelled')
  AND later.kind NOT IN ('chain.planned', 'chain.advanced', 'chain.skipped', 'chain.failed')
  AND (ended.kind = 'execution.completed' OR later.kind NOT IN (
    'step.completed', 'step.failed', 'item.completed', 'item.failed', 'step.lost', 'step.retrying', 'step.attempted',
    'step.scheduled', 'step.checkpointed', 'compensation.planned', 'compensation.finished', 'warning'));

-- name: status
-- The status of the row is what the history came to.
SELECT id, 'the row says ' || status || ', the history ends with ' || coalesce(last, 'nothing') FROM (
  SELECT id, status, crashes,
    (SELECT kind FROM history WHERE history.eid = known.eid AND kind LIKE 'execution.%' ORDER BY history.seq DESC LIMIT 1) AS last
  FROM known
) AS both_say
WHERE CASE
  WHEN last IN ('execution.completed', 'execution.failed', 'execution.cancelled') THEN 'execution.' || status <> last
  WHEN last IS NULL THEN status <> 'pending' AND NOT (status = 'waiting' AND crashes >= :crashes)
  ELSE status NOT IN ('running', 'waiting') END;

-- name: words
-- Waiting says for what; what has ended says when; what has not begun says how it begins.
SELECT id, CASE
    WHEN (status = 'waiting') <> (waiting IS NOT NULL) THEN status || ', and waits for ' || coalesce(waiting, 'nothing')
    WHEN (start IS NULL) <> (seq > 0)
      THEN CASE WHEN seq > 0 THEN 'it has begun, and is to begin' ELSE 'it has not begun, and nothing will begin it' END
    ELSE status || ', and ended at ' || coalesce(ended_at::text, 'no time') END
FROM known
WHERE (status = 'waiting') <> (waiting IS NOT NULL) OR (start IS NULL) <> (seq > 0)
  OR (status IN ('completed', 'failed', 'cancelled')) <> (ended_at IS NOT NULL);

-- name: nothing_wakes
-- What is live and nobody's waits for a time, an event, a person, its mail, a child or a task; or it is to begin.
SELECT id, status || ' since fact ' || seq FROM known
WHERE live AND owner IS NULL AND NOT ready AND mail = 0 AND wake_at IS NULL AND start IS NULL AND crashes < :crashes
  AND NOT EXISTS (SELECT 1 FROM uncalled WHERE uncalled.eid = known.eid)
  AND NOT EXISTS (SELECT 1 FROM waits WHERE waits.eid = known.eid AND op > 0)
  AND NOT EXISTS (SELECT 1 FROM approval_items WHERE approval_items.eid = known.eid AND approval_items.status = 'pending')
  AND NOT EXISTS (
    SELECT 1 FROM fact JOIN executions AS child ON child.id = fact.body ->> 'child'
    WHERE fact.eid = known.eid AND fact.kind = 'child.started' AND child.live AND child.parent_op > 0);

-- name: ended_but_open
-- What is not live waits for nothing and asks nobody.
SELECT id, status || ', and ' || CASE
    WHEN wake_at IS NOT NULL THEN 'wakes at ' || coalesce(iso(wake_at), wake_at::text)
    WHEN EXISTS (SELECT 1 FROM waits WHERE waits.eid = known.eid) THEN 'waits for events'
    ELSE 'asks for an approval' END
FROM known
WHERE NOT live AND (wake_at IS NOT NULL OR EXISTS (SELECT 1 FROM waits WHERE waits.eid = known.eid)
  OR EXISTS (SELECT 1 FROM approval_items WHERE approval_items.eid = known.eid AND approval_items.status = 'pending'));

-- name: not_live
-- What has not ended is live.
SELECT id, status || ', and not live' FROM known WHERE NOT live AND status NOT IN ('completed', 'failed', 'cancelled');

-- name: mail
-- The row counts its mail.
SELECT id, mail || ' in the row, ' || found || ' in the inbox'
FROM (SELECT id, mail, (SELECT count(*) FROM inbox WHERE inbox.eid = known.eid) AS found FROM known) AS both_say WHERE mail <> found;

-- name: ready
-- It is ready if it has not begun or has mail, and only then; or if its worker stopped and gave it back in the middle of something. What is parked
-- may have mail that does not wake it.
SELECT id, CASE WHEN ready THEN 'ready, for nothing' ELSE 'not ready, and has something to do' END FROM known
WHERE ready <> (start IS NOT NULL OR mail > 0) AND NOT (ready AND live AND owner IS NULL) AND NOT (NOT ready AND owner IS NULL AND crashes >= :crashes);

-- name: epochs
-- Whoever owns it, or has advanced it, did so in an epoch.
SELECT id, 'epoch ' || epoch || ' with ' || seq || ' facts, owned by ' || coalesce(owner, 'nobody') FROM known
WHERE epoch < 0 OR (epoch = 0 AND (owner IS NOT NULL OR seq > 0));

-- name: pieces_of_nothing
-- Every piece is of a fact that there is.
SELECT DISTINCT id, 'pieces of fact ' || payloads.seq FROM payloads JOIN executions USING (eid)
WHERE NOT EXISTS (SELECT 1 FROM history WHERE history.eid = payloads.eid AND history.seq = payloads.seq);

-- name: snapshots_ahead
-- A snapshot is of a state that was.
SELECT id, 'the snapshot is of fact ' || snapshots.seq || ', the last is ' || known.seq
FROM snapshots JOIN known USING (eid) WHERE snapshots.seq > known.seq OR snapshots.seq < 1;

-- name: approvals
-- An approval says once how it stands, who asks, and how it was decided.
SELECT known.id, asked.id || CASE
    WHEN body IS NULL THEN ' is no JSON'
    WHEN coalesce(body ->> 'status', 'pending') <> asked.status
      THEN ' is ' || asked.status || ', its record says ' || coalesce(body ->> 'status', 'pending')
    WHEN body ->> 'execution' <> known.id THEN ' says it is of ' || (body ->> 'execution')
    ELSE ' is ' || asked.status || ', decided: ' || coalesce(body ->> 'decision', 'not') END
FROM asked JOIN known USING (eid)
WHERE body IS NULL OR coalesce(body ->> 'status', 'pending') <> asked.status OR body ->> 'execution' <> known.id
  OR coalesce(body ->> 'decision', '') <> CASE asked.status WHEN 'approved' THEN 'approve' WHEN 'rejected' THEN 'reject' ELSE '' END;

-- name: decisions
-- The history says what the approval was decided to be.
SELECT known.id, asked.id || ' is ' || asked.status || ', the history says ' || (fact.body #>> '{output,decision}')
FROM fact JOIN asked ON asked.eid = fact.eid AND asked.op = fact.op JOIN known ON known.eid = fact.eid
WHERE fact.kind IN ('step.completed', 'item.completed') AND asked.body IS NOT NULL
  AND fact.body #>> '{output,decision}' <> coalesce(asked.body ->> 'decision', '');

-- name: early
-- Nothing that waits for a time goes on before it.
SELECT id, 'operation ' || op || ' went on ' || (due - at) || ' ms early' FROM (
  SELECT fact.eid, fact.op, fact.at, number_in(opened.body, CASE opened.kind WHEN 'timer.opened' THEN 'due_at' ELSE 'hold_until' END) AS due
  FROM fact JOIN whole AS opened ON opened.eid = fact.eid AND opened.seq = fact.op
  WHERE (fact.kind IN ('step.completed', 'item.completed') AND opened.kind = 'timer.opened')
    OR (fact.kind = 'pause.ended' AND opened.kind = 'step.completed')
  UNION ALL
  SELECT eid, op, at, due FROM (
    SELECT eid, op, at, kind, lag(number_in(body, 'due_at')) OVER (PARTITION BY eid, op ORDER BY seq) AS due
    FROM fact WHERE kind IN ('step.retrying', 'step.attempted')
  ) AS attempts WHERE kind = 'step.attempted'
) AS waited JOIN known USING (eid) WHERE at < due;

-- name: chains
-- What has ended has started all that its chains had planned, unless they failed.
SELECT id, 'chain ' || number || ' has started ' || started || ' of ' || total FROM (
  SELECT eid, number_in(body, 'number') AS number, coalesce(number_in(body, 'total'), 1) AS total, coalesce((
    SELECT max(number_in(later.body, 'cursor')) FROM fact AS later WHERE later.eid = planned.eid AND later.seq > planned.seq
      AND later.kind = 'chain.advanced' AND later.body ->> 'number' = planned.body ->> 'number'), 0) AS started
  FROM fact AS planned WHERE kind = 'chain.planned' AND NOT EXISTS (
    SELECT 1 FROM fact AS later WHERE later.eid = planned.eid AND later.seq > planned.seq
      AND later.kind = 'chain.failed' AND later.body ->> 'number' = planned.body ->> 'number')
) AS chained JOIN known USING (eid) WHERE NOT live AND started <> total;

-- name: other_organizations
-- Nothing points to what belongs to another organization.
SELECT known.id, 'its parent ' || parent.id || ' is of ' || parent.organization || ', it is of ' || known.organization
FROM executions AS known JOIN executions AS parent ON parent.id = known.parent WHERE parent.organization <> known.organization
UNION ALL
SELECT id, 'its wait ' || op || ' is of ' || waits.organization || ', it is of ' || known.organization
FROM waits JOIN known USING (eid) WHERE waits.organization <> known.organization
UNION ALL
SELECT known.id, 'its approval ' || asked.id || ' is of ' || asked.organization || ', it is of ' || known.organization
FROM asked JOIN known USING (eid)
WHERE asked.organization <> known.organization OR (body IS NOT NULL AND coalesce(body ->> 'organization', 'default') <> known.organization)
UNION ALL
SELECT known.id, 'the key ' || key || ' is of ' || idempotency.organization || ', it is of ' || known.organization
FROM idempotency JOIN known ON known.id = idempotency.execution WHERE idempotency.organization <> known.organization
UNION ALL
SELECT known.id, 'trigger ' || pos || ' is of ' || trigger_log.organization || ', it is of ' || known.organization
FROM trigger_log JOIN known ON known.id = trigger_log.execution WHERE trigger_log.organization <> known.organization
UNION ALL
SELECT known.id, 'its event ' || event.id || ' is of ' || event.organization || ', it is of ' || known.organization
FROM event JOIN known ON known.id = body ->> 'source'
WHERE event.organization <> known.organization AND body ->> 'depth' IS NOT NULL
UNION ALL
SELECT id, 'mail ' || pos || ' is of ' || coalesce(body #>> '{event,organization}', 'default') || ', it is of ' || organization
FROM letter JOIN known USING (eid)
WHERE body ->> 'kind' = 'event.arrived' AND coalesce(body #>> '{event,organization}', 'default') <> organization;

-- name: unreadable_rows
-- Mail and events are JSON, and an event is what its row says.
SELECT id, 'mail ' || pos || ' is no JSON' FROM letter JOIN known USING (eid) WHERE body IS NULL
UNION ALL
SELECT 'event ' || id, CASE WHEN body IS NULL THEN 'it is no JSON' ELSE 'its row says ' || organization || ', ' || id || ', ' || type END FROM event
WHERE body ->> 'id' IS DISTINCT FROM id OR body ->> 'type' IS DISTINCT FROM type OR coalesce(body ->> 'organization', 'default') <> organization;

-- name: parked
-- What cannot go on without an operator: its owners have died too often, or its next step cannot be stored.
SELECT id, CASE WHEN readable(waiting) ->> 'kind' = 'operator' AND readable(waiting) ->> 'on' NOT LIKE 'its last % workers died%' THEN readable(waiting) ->> 'on'
  ELSE crashes || ' workers died in a row, after fact ' || seq || ' ('
    || coalesce((SELECT kind FROM history WHERE history.eid = known.eid AND history.seq = known.seq), 'it has not begun') || ')' END
FROM known WHERE owner IS NULL AND (mail = 0 OR NOT ready) AND crashes >= :crashes AND live;

-- name: still_owned
-- What has ended is let go of.
SELECT id, status || ' at ' || coalesce(iso(ended_at), ended_at::text) || ', owned by ' || owner FROM known
WHERE owner IS NOT NULL AND NOT live AND mail = 0 AND ended_at < :minute_ago;

-- name: overdue
-- What is ready or due is taken up.
SELECT id, CASE WHEN ready THEN 'ready' ELSE 'due since ' || coalesce(iso(wake_at), wake_at::text) END FROM known
WHERE owner IS NULL AND crashes < :crashes AND ((NOT ready AND live AND wake_at < :minute_ago) OR (ready AND :idle));

-- name: executions_ahead
-- What is live began, and was advanced last, before now. Only the last fact is read.
SELECT id, CASE WHEN started_at > :minute_ahead THEN 'started at ' || coalesce(iso(started_at), started_at::text)
  ELSE 'its last fact is of ' || coalesce(iso(last_at), last_at::text) END
FROM (
  SELECT id, started_at, (SELECT at FROM fact WHERE fact.eid = executions.eid AND fact.seq = executions.seq) AS last_at
  FROM executions WHERE live) AS begun
WHERE started_at > :minute_ahead OR last_at > :minute_ahead;

-- name: schedules
-- Schedules start the active version of a workflow, and each that this has is there.
SELECT 'schedule ' || workflow || '/' || id, 'it starts ' || digest || ', which is not active in ' || organization FROM schedules
WHERE next_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workflows
  WHERE workflows.organization = schedules.organization AND workflows.id = workflow AND workflows.digest = schedules.digest)
UNION ALL
SELECT 'schedule ' || workflow || '/' || id, 'what it is cannot be read' FROM schedules WHERE readable(spec) ->> 'id' IS DISTINCT FROM id
UNION ALL
SELECT 'workflow ' || workflows.id, 'its schedule ' || (one.value ->> 'id') || ' is not there in ' || organization
FROM workflows JOIN models USING (digest)
CROSS JOIN LATERAL jsonb_array_elements(coalesce(readable(convert_from(data, 'UTF8'))::jsonb -> 'schedules', '[]')) AS one (value)
WHERE NOT EXISTS (SELECT 1 FROM schedules
  WHERE schedules.organization = workflows.organization AND workflow = workflows.id AND schedules.id = one.value ->> 'id');

-- name: active_schedules
-- Those that start something.
SELECT organization, workflow, digest, spec, paused, next_at, last_slot, last_execution, skipped, added, reset_at FROM schedules
WHERE EXISTS (SELECT 1 FROM workflows WHERE workflows.organization = schedules.organization AND workflows.id = workflow AND workflows.digest IS NOT NULL);

-- name: retention_held
-- Workers delete what is old.
SELECT 'retention', coalesce(readable(data) ->> 'reason', 'held') FROM cards WHERE register = 'retention' AND id = 'hold';

-- name: late_schedules
-- A slot is dealt with when its time has come.
SELECT 'schedule ' || workflow || '/' || id, 'due since ' || coalesce(iso(next_at), next_at::text) || ' in ' || organization
FROM schedules WHERE paused = 0 AND next_at < :minute_ago;

-- name: unsent_notices
-- What tells people of an approval is sent.
SELECT id, 'failed at ' || coalesce(iso(ended_at), ended_at::text) || ' in ' || organization FROM executions WHERE workflow = :notices AND status = 'failed';

-- name: missing_tasks
-- Every task that is to be called, some worker that lives has.
SELECT known.id, 'task ' || uncalled.task || ', since ' || coalesce(iso((
    SELECT max(at) FROM fact WHERE fact.eid = uncalled.eid AND (fact.seq = uncalled.op OR fact.op = uncalled.op)
  )), 'no time')
FROM uncalled JOIN known USING (eid)
WHERE NOT EXISTS (
  SELECT 1 FROM workers CROSS JOIN json_array_elements_text(readable(workers.tasks)) AS has (task)
  WHERE has.task = uncalled.task AND workers.id IN (SELECT value FROM json_array_elements_text(:alive::json) AS living (value)));

-- name: unrouted
-- Events are routed within a minute.
SELECT 'event ' || id, type || ', since ' || coalesce(iso(number_in(body, 'at')), 'no time') || CASE WHEN :idle THEN '' ELSE ', although workers run' END FROM event
WHERE NOT routed AND number_in(body, 'at') < :minute_ago;

-- name: declined_events
-- Every event is routed, or an operator knows why not.
SELECT 'event ' || events.id, type || ' in ' || events.organization || ': ' || coalesce(readable(declined) -> 0 ->> 1, 'no reason')
FROM events WHERE declined LIKE '[["",%';

-- name: lease
-- Whether a worker has said that it lives until after now, and nobody has taken over from it.
SELECT 1 FROM workers WHERE id = ? AND lease_until > ? AND NOT barred;

-- name: statuses
-- How many executions stand how.
SELECT status, count(*), count(*) FILTER (WHERE live), count(*) FILTER (WHERE owner IS NULL AND live AND (mail = 0 OR NOT ready) AND crashes >= ?),
  count(*) FILTER (WHERE owner IS NOT NULL)
FROM executions GROUP BY status ORDER BY status;

-- name: oldest_unrouted
-- How many events are not routed, and since when.
SELECT count(*), min(number_in(body, 'at')) FROM event WHERE NOT routed;

-- name: size
-- How large our tables and their indexes are.
SELECT sum(pg_total_relation_size(oid))::bigint FROM unnest(ARRAY[
  'executions', 'history', 'payloads', 'snapshots', 'consumed', 'inbox', 'dedups', 'idempotency', 'workers', 'uncalled', 'waits', 'events',
  'deliveries', 'approval_items', 'cards', 'audit', 'audit_chains', 'models', 'workflows', 'workflow_versions', 'subscriptions',
  'schedules', 'answers', 'trigger_log', 'key_uses'
]::regclass[]) AS ours (oid);

-- name: to_fold
-- The executions whose history is folded: those that are live, and those with a snapshot.
SELECT eid, id, digest, live, wake_at, owner, mail, ready, crashes, seq FROM executions
WHERE live OR EXISTS (SELECT 1 FROM snapshots WHERE snapshots.eid = executions.eid);
