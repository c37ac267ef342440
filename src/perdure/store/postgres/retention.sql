-- Forgetting what has long ended. Nothing here goes through a large table from end to end, but `models_in_use`.

-- name: ended
-- Executions that ended before a time and that nobody can ask for any more, the first to end first. The last fact of all stays,
-- and so does the last execution.
SELECT eid, seq FROM executions
WHERE NOT live AND owner IS NULL AND ended_at < :before AND mail = 0 AND crashes < :crashes
  AND status IN (SELECT value FROM json_array_elements_text(:statuses::json) AS given (value)) AND eid < (SELECT max(eid) FROM executions)
  AND NOT EXISTS (SELECT 1 FROM history WHERE history.eid = executions.eid AND pos = (SELECT max(pos) FROM history))
  AND NOT EXISTS (SELECT 1 FROM executions AS parent WHERE parent.id = executions.parent AND parent.live)
  AND NOT EXISTS (
    SELECT 1 FROM history JOIN executions AS child ON child.live AND child.parent_op > 0
      AND child.id = readable(coalesce(nullif(history.data, ''), (SELECT string_agg(payloads.data, '' ORDER BY number) FROM payloads
        WHERE payloads.eid = history.eid AND payloads.seq = history.seq))) ->> 'child'
    WHERE history.eid = executions.eid AND history.kind = 'child.started')
ORDER BY ended_at LIMIT :limit FOR UPDATE SKIP LOCKED;

-- name: count_ended
-- How many of them there are.
SELECT count(*) FROM executions
WHERE NOT live AND owner IS NULL AND ended_at < :before AND mail = 0 AND crashes < :crashes
  AND status IN (SELECT value FROM json_array_elements_text(:statuses::json) AS given (value)) AND eid < (SELECT max(eid) FROM executions)
  AND NOT EXISTS (SELECT 1 FROM history WHERE history.eid = executions.eid AND pos = (SELECT max(pos) FROM history))
  AND NOT EXISTS (SELECT 1 FROM executions AS parent WHERE parent.id = executions.parent AND parent.live)
  AND NOT EXISTS (
    SELECT 1 FROM history JOIN executions AS child ON child.live AND child.parent_op > 0
      AND child.id = readable(coalesce(nullif(history.data, ''), (SELECT string_agg(payloads.data, '' ORDER BY number) FROM payloads
        WHERE payloads.eid = history.eid AND payloads.seq = history.seq))) ->> 'child'
    WHERE history.eid = executions.eid AND history.kind = 'child.started');

-- name: note_forgotten
-- Where the last facts stood of executions that are about to be forgotten: whoever follows the feed from before has missed something.
-- In the order of the organizations: two that forget must not wait for each other.
INSERT INTO forgotten (organization, pos)
SELECT organization, max((SELECT pos FROM history WHERE history.eid = executions.eid ORDER BY seq DESC LIMIT 1)) AS last FROM executions
WHERE eid IN (SELECT value::bigint FROM json_array_elements_text(?::json) AS given (value)) AND EXISTS (SELECT 1 FROM history WHERE history.eid = executions.eid)
GROUP BY organization ORDER BY organization
ON CONFLICT (organization) DO UPDATE SET pos = greatest(forgotten.pos, excluded.pos);

-- name: looked_back_to
-- The last event before the oldest execution of an organization that can still wait for one; a failed one can, once retried. (One that an event has
-- started may look back a little further than older ones: as far as that event had to wait to be routed.)
SELECT min(place_of(pg_snapshot_xmin(born))) - 1 FROM executions WHERE eid IN (
  SELECT min(eid) FROM executions WHERE owner IS NULL AND organization = :about AND status = 'pending' UNION ALL
  SELECT min(eid) FROM executions WHERE owner IS NULL AND organization = :about AND status = 'running' UNION ALL
  SELECT min(eid) FROM executions WHERE owner IS NULL AND organization = :about AND status = 'waiting' UNION ALL
  SELECT min(eid) FROM executions WHERE owner IS NULL AND organization = :about AND status = 'failed');

-- name: looked_back_to_by
-- The same for what a worker owns, of whichever organization.
SELECT min(place_of(pg_snapshot_xmin(born))) - 1 FROM executions WHERE owner = :about;

-- name: forget_events
-- Old events of an organization that were routed and that nobody can look back to. It looks at the oldest few alone, so that it takes
-- no longer where there are many; the last event of all stays, as new executions remember it.
DELETE FROM events WHERE pos IN (
  SELECT pos FROM (
    SELECT pos, data FROM events WHERE organization = :organization AND pos <= :floor AND routed ORDER BY pos LIMIT :looked_at
  ) AS oldest WHERE number_in(readable(data), 'at') < :before LIMIT :limit
) AND pos < (SELECT max(pos) FROM events)
RETURNING pos;

-- name: forget_history
-- The facts of an execution.
DELETE FROM history WHERE eid = ANY (?::bigint[]);

-- name: forget_payloads
-- Its large values.
DELETE FROM payloads WHERE eid = ANY (?::bigint[]);

-- name: forget_snapshot
-- Its snapshot.
DELETE FROM snapshots WHERE eid = ANY (?::bigint[]);

-- name: forget_consumed
-- Which events it has taken in.
DELETE FROM consumed WHERE eid = ANY (?::bigint[]);

-- name: forget_dedups
-- Which messages it has had.
DELETE FROM dedups WHERE eid = ANY (?::bigint[]);

-- name: forget_deliveries
-- Which events it was shown.
DELETE FROM deliveries WHERE eid = ANY (?::bigint[]);

-- name: forget_approvals
-- What it asked of people.
DELETE FROM approval_items WHERE eid = ANY (?::bigint[]);

-- name: forget_waits
-- What it waited for: nothing, once it has ended.
DELETE FROM waits WHERE eid = ANY (?::bigint[]);

-- name: forget_uncalled
-- Whose tasks it waited for: nobody's, once it has ended.
DELETE FROM uncalled WHERE eid = ANY (?::bigint[]);

-- name: forget_mail
-- What it was sent: nothing that it has not seen.
DELETE FROM inbox WHERE eid = ANY (?::bigint[]);

-- name: forget_execution
-- The execution itself, after all that belongs to it.
DELETE FROM executions WHERE eid = ANY (?::bigint[]);

-- name: forget_keys
-- The keys that they were started with.
DELETE FROM idempotency WHERE execution IN (SELECT id FROM executions WHERE eid = ANY (?::bigint[]));

-- name: leave
-- Executions are gone, and their facts go part by part.
INSERT INTO leavings (eid) SELECT unnest(?::bigint[]);

-- name: forget_leaving
-- Nothing is left.
DELETE FROM leavings WHERE eid = ANY (?::bigint[]);
