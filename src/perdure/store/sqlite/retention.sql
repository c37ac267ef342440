-- Forgetting what has long ended. Nothing here goes through a large table from end to end, but `models_in_use`.

-- name: ended
-- Executions that ended before a time and that nobody can ask for any more, the first to end first. The last fact of all stays,
-- and so does the last execution: their numbers are never given again.
SELECT eid, seq FROM executions
WHERE live = 0 AND owner IS NULL AND ended_at < :before AND mail = 0 AND crashes < :crashes
  AND status IN (SELECT value FROM json_each(:statuses)) AND eid < (SELECT max(eid) FROM executions)
  AND NOT EXISTS (SELECT 1 FROM history WHERE history.eid = executions.eid AND pos = (SELECT max(pos) FROM history))
  AND NOT EXISTS (SELECT 1 FROM executions AS parent WHERE parent.id = executions.parent AND parent.live = 1)
  AND NOT EXISTS (
    SELECT 1 FROM history CROSS JOIN executions AS child ON child.live = 1 AND child.parent_op > 0
      AND child.id = coalesce(nullif(history.data, ''), (SELECT group_concat(payloads.data, '' ORDER BY number) FROM payloads
        WHERE payloads.eid = history.eid AND payloads.seq = history.seq)) ->> '$.child'
    WHERE history.eid = executions.eid AND history.kind = 'child.started')
ORDER BY ended_at LIMIT :limit;

-- name: count_ended
-- How many of them there are.
SELECT count(*) FROM executions
WHERE live = 0 AND owner IS NULL AND ended_at < :before AND mail = 0 AND crashes < :crashes
  AND status IN (SELECT value FROM json_each(:statuses)) AND eid < (SELECT max(eid) FROM executions)
  AND NOT EXISTS (SELECT 1 FROM history WHERE history.eid = executions.eid AND pos = (SELECT max(pos) FROM history))
  AND NOT EXISTS (SELECT 1 FROM executions AS parent WHERE parent.id = executions.parent AND parent.live = 1)
  AND NOT EXISTS (
    SELECT 1 FROM history CROSS JOIN executions AS child ON child.live = 1 AND child.parent_op > 0
      AND child.id = coalesce(nullif(history.data, ''), (SELECT group_concat(payloads.data, '' ORDER BY number) FROM payloads
        WHERE payloads.eid = history.eid AND payloads.seq = history.seq)) ->> '$.child'
    WHERE history.eid = executions.eid AND history.kind = 'child.started');

-- name: note_forgotten
-- Where the last facts stood of executions that are about to be forgotten: whoever follows the feed from before has missed something.
-- In the order of the organizations: two that forget must not wait for each other.
INSERT INTO forgotten (organization, pos)
SELECT organization, max((SELECT pos FROM history WHERE history.eid = executions.eid ORDER BY seq DESC LIMIT 1)) AS last FROM executions
WHERE eid IN (SELECT value FROM json_each(?)) AND EXISTS (SELECT 1 FROM history WHERE history.eid = executions.eid)
GROUP BY organization ORDER BY organization
ON CONFLICT (organization) DO UPDATE SET pos = max(forgotten.pos, excluded.pos);

-- name: looked_back_to
-- The last event before the oldest execution of an organization that can still wait for one; a failed one can, once retried. (One that an event has
-- started may look back a little further than older ones: as far as that event had to wait to be routed.)
SELECT min(born) FROM executions WHERE eid IN (
  SELECT min(eid) FROM executions WHERE owner IS NULL AND organization = :about AND status = 'pending' UNION ALL
  SELECT min(eid) FROM executions WHERE owner IS NULL AND organization = :about AND status = 'running' UNION ALL
  SELECT min(eid) FROM executions WHERE owner IS NULL AND organization = :about AND status = 'waiting' UNION ALL
  SELECT min(eid) FROM executions WHERE owner IS NULL AND organization = :about AND status = 'failed');

-- name: looked_back_to_by
-- The same for what a worker owns, of whichever organization.
SELECT born FROM executions WHERE eid = (SELECT min(eid) FROM executions WHERE owner = :about);

-- name: forget_events
-- Old events of an organization that were routed and that nobody can look back to. It looks at the oldest few alone, so that it takes
-- no longer where there are many; the last event of all stays, as new executions remember it.
DELETE FROM events WHERE pos IN (
  SELECT pos FROM (
    SELECT pos, data FROM events INDEXED BY events_of
    WHERE organization = :organization AND pos <= :floor AND routed = 1 ORDER BY pos LIMIT :looked_at
  ) WHERE CASE WHEN json_valid(data) THEN data END ->> '$.at' < :before LIMIT :limit
) AND pos < (SELECT max(pos) FROM events)
RETURNING pos;
