-- What is asked of executions. Each list goes by one index, in the order in which executions came, and leaves out what else is not wanted.

-- name: by_parent
-- What an execution has started, or what was made from it.
SELECT eid FROM executions INDEXED BY executions_of_parent
WHERE parent = :parent AND organization = :organization AND eid < :before
  AND (:status IS NULL OR status = :status) AND (:workflow IS NULL OR workflow = :workflow)
  AND (:correlation_id IS NULL OR correlation_id = :correlation_id) AND started_at >= :started_after AND started_at < :started_before
ORDER BY eid DESC LIMIT :limit;

-- name: by_correlation
-- What belongs together by what somebody said.
SELECT eid FROM executions INDEXED BY executions_correlated
WHERE organization = :organization AND correlation_id = :correlation_id AND eid < :before
  AND (:status IS NULL OR status = :status) AND (:workflow IS NULL OR workflow = :workflow)
  AND started_at >= :started_after AND started_at < :started_before
ORDER BY eid DESC LIMIT :limit;

-- name: by_status
-- Those that a worker has are not in the index: there are a few thousand of them at most.
SELECT eid FROM (
  SELECT eid FROM (
    SELECT eid FROM executions INDEXED BY executions_by_status
    WHERE owner IS NULL AND organization = :organization AND status = :status AND eid < :before AND workflow <> :hidden
      AND (:workflow IS NULL OR workflow = :workflow) AND started_at >= :started_after AND started_at < :started_before
    ORDER BY eid DESC LIMIT :limit)
  UNION ALL
  SELECT eid FROM (
    SELECT eid FROM executions INDEXED BY executions_owned
    WHERE owner IS NOT NULL AND organization = :organization AND status = :status AND eid < :before AND workflow <> :hidden
      AND (:workflow IS NULL OR workflow = :workflow) AND started_at >= :started_after AND started_at < :started_before
    ORDER BY eid DESC LIMIT :limit)
) ORDER BY eid DESC LIMIT :limit;

-- name: by_workflow
-- Of one workflow, by its id.
SELECT eid FROM executions INDEXED BY executions_of_workflow
WHERE organization = :organization AND workflow = :workflow AND eid < :before
  AND started_at >= :started_after AND started_at < :started_before
ORDER BY eid DESC LIMIT :limit;

-- name: by_time
-- It takes as long as there are executions in that time.
SELECT eid FROM executions INDEXED BY executions_started
WHERE organization = :organization AND started_at >= :started_after AND started_at < :started_before AND eid < :before AND workflow <> :hidden
ORDER BY eid DESC LIMIT :limit;

-- name: all_of_them
-- Of an organization.
SELECT eid FROM executions INDEXED BY executions_of WHERE organization = :organization AND eid < :before AND workflow <> :hidden
ORDER BY eid DESC LIMIT :limit;

-- name: records
-- Those that were found.
SELECT eid, id, organization, workflow, digest, status, live, wake_at,
  (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), waiting, output, error, "trigger",
  correlation_id, parent, parent_op, depth, started_at, ended_at
FROM executions WHERE eid IN (SELECT value FROM json_each(?)) ORDER BY eid DESC;

-- name: history_of_step
-- The facts about a step, about the operations that its facts have opened, and about the execution as a whole: the last ones, and the
-- last ones outside of what it does item by item. It goes through the history of the execution once.
WITH mine (seq, kind, parts, data, step, op, scope) AS MATERIALIZED (
  SELECT seq, kind, parts, data, body ->> '$.step', body ->> '$.op', coalesce(body ->> '$.scope', 0) FROM (
    SELECT seq, kind, parts, data, coalesce(nullif(data, ''), (
      SELECT group_concat(payloads.data, '' ORDER BY number) FROM payloads WHERE payloads.eid = history.eid AND payloads.seq = history.seq
    )) AS body FROM history WHERE eid = :eid
  ) WHERE json_valid(body)
), about AS (
  SELECT seq, kind, parts, data FROM mine
  WHERE step = :step OR kind GLOB 'execution.*' OR (step IS NULL AND op IN (SELECT seq FROM mine WHERE step = :step))
  ORDER BY seq DESC LIMIT :limit
), entering AS (
  SELECT seq, kind, parts, data FROM mine WHERE step = :step AND (scope = 0 OR kind IN ('foreach.opened', 'loop.opened'))
  ORDER BY seq DESC LIMIT :limit
)
SELECT * FROM about UNION SELECT * FROM entering ORDER BY seq DESC;

-- name: workers
-- Who has said to live, until when, and the tasks that each has.
SELECT id, lease_until, tasks FROM workers ORDER BY id;

-- name: next_due
-- When the next one wakes that nobody has, of all organizations: any up to the horizon, and those that only wait for an attempt.
SELECT min(wake_at) FROM executions INDEXED BY executions_wake
WHERE owner IS NULL AND live = 1 AND wake_at > :now AND wake_at <= :until AND (status <> 'waiting' OR wake_at <= :horizon);

-- name: first_due
-- Which one wakes first of those that nobody has, of all organizations.
SELECT id, wake_at FROM executions INDEXED BY executions_wake WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL ORDER BY wake_at LIMIT 1;

-- name: open_count
-- How many have not ended, of all organizations: those that nobody has, by their status, and those in the hands of workers.
WITH RECURSIVE organizations (name) AS (
  SELECT min(organization) FROM executions
  UNION ALL
  SELECT (SELECT min(organization) FROM executions WHERE organization > organizations.name) FROM organizations WHERE name IS NOT NULL
)
SELECT (
  SELECT count(*) FROM organizations CROSS JOIN executions INDEXED BY executions_by_status
  WHERE owner IS NULL AND organization = organizations.name AND status IN ('pending', 'running', 'waiting')
) + (
  SELECT count(*) FROM executions INDEXED BY executions_owned WHERE owner IS NOT NULL AND ended_at IS NULL
);

-- name: oldest_unrouted
SELECT pos, data FROM events INDEXED BY events_unrouted WHERE routed = 0 ORDER BY pos LIMIT 1;

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
    SELECT 1 FROM executions INDEXED BY executions_owned WHERE owner IS NOT NULL AND ended_at IS NULL
    UNION ALL
    SELECT 1 FROM (SELECT name FROM organizations LIMIT :limit) CROSS JOIN executions INDEXED BY executions_by_status
    WHERE owner IS NULL AND organization = name AND status IN ('pending', 'running', 'waiting')
    LIMIT :limit)),
  (SELECT count(*) FROM (SELECT 1 FROM executions INDEXED BY executions_ready WHERE ready = 1 AND owner IS NULL LIMIT :limit)),
  (SELECT count(*) FROM (
    SELECT 1 FROM executions INDEXED BY executions_wake WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL LIMIT :limit)),
  (SELECT count(*) FROM (
    SELECT 1 FROM executions INDEXED BY executions_wake WHERE owner IS NULL AND live = 1 AND wake_at <= :now LIMIT :limit)),
  (SELECT count(*) FROM (
    SELECT 1 FROM (SELECT name FROM asking LIMIT :limit) CROSS JOIN approval_items INDEXED BY approvals_by_status
    WHERE organization = name AND status = 'pending'
    LIMIT :limit)),
  (SELECT count(*) FROM (SELECT 1 FROM events INDEXED BY events_unrouted WHERE routed = 0 LIMIT :limit)),
  (SELECT min(wake_at) FROM executions INDEXED BY executions_wake WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL);

-- name: open_count_of
-- The same for an organization, up to so many. What workers have in their hands is never very much.
SELECT count(*) FROM (
  SELECT 1 FROM executions INDEXED BY executions_by_status
  WHERE owner IS NULL AND organization = :organization AND status IN ('pending', 'running', 'waiting')
  UNION ALL
  SELECT 1 FROM executions INDEXED BY executions_owned WHERE owner IS NOT NULL AND organization = :organization AND ended_at IS NULL
  LIMIT :limit
);
