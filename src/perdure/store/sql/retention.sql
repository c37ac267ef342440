-- Forgetting what has long ended, as every database understands it.

-- name: forget_history
-- The facts of an execution.
DELETE FROM history WHERE eid = ?;

-- name: forget_payloads
-- Its large values.
DELETE FROM payloads WHERE eid = ?;

-- name: forget_snapshot
-- Its snapshot.
DELETE FROM snapshots WHERE eid = ?;

-- name: forget_consumed
-- Which events it has taken in.
DELETE FROM consumed WHERE eid = ?;

-- name: forget_dedups
-- Which messages it has had.
DELETE FROM dedups WHERE eid = ?;

-- name: forget_deliveries
-- Which events it was shown.
DELETE FROM deliveries WHERE eid = ?;

-- name: forget_approvals
-- What it asked of people.
DELETE FROM approval_items WHERE eid = ?;

-- name: forget_waits
-- What it waited for: nothing, once it has ended.
DELETE FROM waits WHERE eid = ?;

-- name: forget_uncalled
-- Whose tasks it waited for: nobody's, once it has ended.
DELETE FROM uncalled WHERE eid = ?;

-- name: forget_mail
-- What it was sent: nothing that it has not seen.
DELETE FROM inbox WHERE eid = ?;

-- name: forget_keys
-- The key that it was started with.
DELETE FROM idempotency WHERE execution = (SELECT id FROM executions WHERE eid = ?);

-- name: forget_execution
-- The execution itself, after all that belongs to it.
DELETE FROM executions WHERE eid = ?;

-- name: organizations
-- Whose events there are.
WITH RECURSIVE found (organization) AS (
  SELECT min(organization) FROM events
  UNION ALL
  SELECT (SELECT min(organization) FROM events WHERE events.organization > found.organization) FROM found WHERE found.organization IS NOT NULL
)
SELECT organization FROM found WHERE organization IS NOT NULL;

-- name: owners
-- Which workers own executions.
WITH RECURSIVE found (owner) AS (
  SELECT min(owner) FROM executions WHERE owner IS NOT NULL
  UNION ALL
  SELECT (SELECT min(owner) FROM executions WHERE owner IS NOT NULL AND owner > found.owner) FROM found WHERE found.owner IS NOT NULL
)
SELECT owner FROM found WHERE owner IS NOT NULL;

-- name: forget_workers
-- Workers that have not lived since, and own nothing.
DELETE FROM workers WHERE lease_until < ? AND NOT EXISTS (SELECT 1 FROM executions WHERE owner = workers.id);

-- name: models_out_of_use
-- Models of no version that is active, the newest, or has a document: one without a document is its model alone, and goes with it.
SELECT digest FROM models WHERE NOT EXISTS (SELECT 1 FROM workflow_versions AS v
  WHERE v.digest = models.digest AND (v.status = 'active' OR v.document IS NOT NULL
      OR v.number = (SELECT newest FROM workflows AS w WHERE w.organization = v.organization AND w.id = v.workflow)));

-- name: models_in_use
-- Whether an execution has a model, and which is the last execution that there is.
SELECT EXISTS (SELECT 1 FROM executions WHERE digest = ?), coalesce((SELECT max(eid) FROM executions), 0);

-- name: forget_model
-- A model that nobody refers to, unless somebody has begun to in the meantime.
DELETE FROM models WHERE digest = :digest AND NOT EXISTS (SELECT 1 FROM workflow_versions AS v
    WHERE v.digest = :digest AND (v.status = 'active' OR v.document IS NOT NULL
      OR v.number = (SELECT newest FROM workflows AS w WHERE w.organization = v.organization AND w.id = v.workflow)))
  AND NOT EXISTS (SELECT 1 FROM executions WHERE eid > :last AND digest = :digest)
RETURNING digest;

-- name: forget_versions
-- The versions that were this model alone.
DELETE FROM workflow_versions WHERE digest = ?;

-- name: leave
-- An execution is gone, and its facts go part by part.
INSERT INTO leavings (eid) VALUES (?);

-- name: left
-- Of which execution there is something left.
SELECT min(eid) FROM leavings;

-- name: part
-- Up to which of its facts the next part goes; nothing, where none is left.
SELECT max(seq) FROM (SELECT seq FROM history WHERE eid = :eid ORDER BY seq LIMIT :limit) AS part;

-- name: forget_part_of_history
-- The facts of a part.
DELETE FROM history WHERE eid = :eid AND seq <= :seq;

-- name: forget_part_of_payloads
-- Its large values.
DELETE FROM payloads WHERE eid = :eid AND seq <= :seq;

-- name: forget_leaving
-- Nothing is left.
DELETE FROM leavings WHERE eid = ?;
