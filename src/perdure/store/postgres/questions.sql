-- What is asked of executions. Each list goes by one index, in the order in which executions came, and leaves out what else is not wanted.

-- name: by_parent
-- What an execution has started, or what was made from it.
SELECT eid FROM executions
WHERE parent = :parent AND organization = :organization AND eid < :before
  AND (:status::text IS NULL OR status = :status) AND (:workflow::text IS NULL OR workflow = :workflow)
  AND (:correlation_id::text IS NULL OR correlation_id = :correlation_id) AND started_at >= :started_after AND started_at < :started_before
ORDER BY eid DESC LIMIT :limit;

-- name: by_correlation
-- What belongs together by what somebody said.
SELECT eid FROM executions
WHERE organization = :organization AND correlation_id = :correlation_id AND eid < :before
  AND (:status::text IS NULL OR status = :status) AND (:workflow::text IS NULL OR workflow = :workflow)
  AND started_at >= :started_after AND started_at < :started_before
ORDER BY eid DESC LIMIT :limit;

-- name: by_status
-- Those that a worker has are not in the index: there are a few thousand of them at most.
SELECT eid FROM (
  SELECT eid FROM (
    SELECT eid FROM executions
    WHERE owner IS NULL AND organization = :organization AND status = :status AND eid < :before AND workflow <> :hidden
      AND (:workflow::text IS NULL OR workflow = :workflow) AND started_at >= :started_after AND started_at < :started_before
    ORDER BY eid DESC LIMIT :limit) AS nobodys
  UNION ALL
  SELECT eid FROM (
    SELECT eid FROM executions
    WHERE owner IS NOT NULL AND organization = :organization AND status = :status AND eid < :before AND workflow <> :hidden
      AND (:workflow::text IS NULL OR workflow = :workflow) AND started_at >= :started_after AND started_at < :started_before
    ORDER BY eid DESC LIMIT :limit) AS owned
) AS both_kinds ORDER BY eid DESC LIMIT :limit;

-- name: by_workflow
-- Of one workflow, by its id.
SELECT eid FROM executions
WHERE organization = :organization AND workflow = :workflow AND eid < :before
  AND started_at >= :started_after AND started_at < :started_before
ORDER BY eid DESC LIMIT :limit;

-- name: by_time
-- It takes as long as there are executions in that time.
SELECT eid FROM executions
WHERE organization = :organization AND started_at >= :started_after AND started_at < :started_before AND eid < :before AND workflow <> :hidden
ORDER BY eid DESC LIMIT :limit;

-- name: all_of_them
-- Of an organization.
SELECT eid FROM executions WHERE organization = :organization AND eid < :before AND workflow <> :hidden
ORDER BY eid DESC LIMIT :limit;

-- name: records
-- Those that were found. What they are found by is a list of numbers, and not made of texts row by row: that is nothing that the server lets come
-- before a policy.
SELECT eid, id, organization, workflow, digest, status, live, wake_at,
  (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), waiting, output, error, "trigger",
  correlation_id, parent, parent_op, depth, started_at, ended_at
FROM executions WHERE eid = ANY (ARRAY(SELECT value::bigint FROM json_array_elements_text(?::json) AS given (value))) ORDER BY eid DESC;

-- name: history_of_step
-- The facts about a step, about the operations that its facts have opened, and about the execution as a whole: the last ones, and the
-- last ones outside of what it does item by item. It goes through the history of the execution once.
WITH mine AS MATERIALIZED (
  SELECT seq, kind, parts, data, number_in(body, 'step') AS step, number_in(body, 'op') AS op, coalesce(number_in(body, 'scope'), 0) AS scope FROM (
    SELECT seq, kind, parts, data, readable(text) AS body FROM (
      SELECT seq, kind, parts, data, coalesce(nullif(data, ''), (
        SELECT string_agg(payloads.data, '' ORDER BY number) FROM payloads WHERE payloads.eid = history.eid AND payloads.seq = history.seq
      )) AS text FROM history WHERE eid = :eid OFFSET 0 -- it is read once, however often it is asked
    ) AS whole OFFSET 0
  ) AS read WHERE body IS NOT NULL
), about AS (
  SELECT seq, kind, parts, data FROM mine
  WHERE step = :step OR kind LIKE 'execution.%' OR (step IS NULL AND op IN (SELECT seq FROM mine WHERE step = :step))
  ORDER BY seq DESC LIMIT :limit
), entering AS (
  SELECT seq, kind, parts, data FROM mine WHERE step = :step AND (scope = 0 OR kind IN ('foreach.opened', 'loop.opened'))
  ORDER BY seq DESC LIMIT :limit
)
SELECT * FROM about UNION SELECT * FROM entering ORDER BY seq DESC;

-- name: workers
-- Who has said to live, until when, and with which tasks.
SELECT id, CASE WHEN barred THEN 0 ELSE lease_until END, tasks FROM workers ORDER BY id;

-- name: next_due
-- When the next one wakes that nobody has, of all organizations: any up to the horizon, and those that only wait for an attempt.
SELECT min(wake_at) FROM executions
WHERE owner IS NULL AND live AND wake_at > :now AND wake_at <= :until AND (status <> 'waiting' OR wake_at <= :horizon);

-- name: first_due
-- Which one wakes first of those that nobody has, of all organizations.
SELECT id, wake_at FROM executions WHERE owner IS NULL AND live AND wake_at IS NOT NULL ORDER BY wake_at LIMIT 1;

-- name: open_count
-- How many have not ended, of all organizations.
SELECT count(*) FROM executions WHERE live AND ended_at IS NULL;

-- name: oldest_unrouted
SELECT pos, data FROM events WHERE NOT routed ORDER BY pos LIMIT 1;

-- name: backlog
-- How much there is to do, of all organizations, each number up to a limit: what is open, ready, to wake by itself, and overdue; approvals that
-- are pending, events that are not routed; when the first wakes.
WITH RECURSIVE organizations (name) AS (
  SELECT min(organization) FROM executions
  UNION ALL
  SELECT (SELECT min(organization) FROM executions WHERE organization > organizations.name) FROM organizations WHERE name IS NOT NULL
), asking (name) AS (
  SELECT min(organization) FROM approval_items
  UNION ALL
  SELECT (SELECT min(organization) FROM approval_items WHERE organization > asking.name) FROM asking WHERE name IS NOT NULL
)
SELECT
  (SELECT count(*) FROM (
    SELECT 1 FROM executions WHERE owner IS NOT NULL AND ended_at IS NULL
    UNION ALL
    SELECT 1 FROM (SELECT name FROM organizations LIMIT :limit) AS o CROSS JOIN LATERAL (
      SELECT 1 FROM executions
      WHERE owner IS NULL AND organization = o.name AND status IN ('pending', 'running', 'waiting') LIMIT :limit) AS each
    LIMIT :limit) AS open),
  (SELECT count(*) FROM (SELECT 1 FROM executions WHERE ready AND owner IS NULL LIMIT :limit) AS ready),
  (SELECT count(*) FROM (
    SELECT 1 FROM executions WHERE owner IS NULL AND live AND wake_at IS NOT NULL LIMIT :limit) AS timed),
  (SELECT count(*) FROM (
    SELECT 1 FROM executions WHERE owner IS NULL AND live AND wake_at <= :now LIMIT :limit) AS overdue),
  (SELECT count(*) FROM (
    SELECT 1 FROM (SELECT name FROM asking LIMIT :limit) AS o CROSS JOIN LATERAL (
      SELECT 1 FROM approval_items WHERE organization = o.name AND status = 'pending' LIMIT :limit) AS each
    LIMIT :limit) AS approvals),
  (SELECT count(*) FROM (SELECT 1 FROM events WHERE NOT routed LIMIT :limit) AS unrouted),
  (SELECT min(wake_at) FROM executions WHERE owner IS NULL AND live AND wake_at IS NOT NULL);

-- name: open_count_of
-- The same for an organization, up to so many: those that nobody has, by their status, and those in the hands of workers, which are never very many.
SELECT count(*) FROM (
  SELECT 1 FROM executions WHERE owner IS NULL AND organization = :organization AND status IN ('pending', 'running', 'waiting')
  UNION ALL
  SELECT 1 FROM executions WHERE owner IS NOT NULL AND organization = :organization AND ended_at IS NULL
  LIMIT :limit
) AS open;
