-- What must hold, as questions that every database understands. `complaints.py` says what each answer means.

-- name: gaps
-- A history is numbered from 1, without a gap.
SELECT coalesce((SELECT id FROM executions WHERE executions.eid = history.eid), 'row ' || eid),
  count(*) || ' facts, numbered ' || min(seq) || ' to ' || max(seq)
FROM history WHERE NOT EXISTS (SELECT 1 FROM leavings WHERE leavings.eid = history.eid) GROUP BY eid HAVING count(*) <> max(seq) OR min(seq) <> 1;

-- name: belongs_to_nothing
-- Every row belongs to an execution that there is; or to one that is being forgotten, whose facts go part by part.
SELECT 'row ' || eid, source FROM (
  SELECT DISTINCT eid, 'history' AS source FROM history UNION ALL
  SELECT DISTINCT eid, 'payloads' FROM payloads UNION ALL
  SELECT DISTINCT eid, 'snapshots' FROM snapshots UNION ALL
  SELECT DISTINCT eid, 'consumed' FROM consumed UNION ALL
  SELECT DISTINCT eid, 'inbox' FROM inbox UNION ALL
  SELECT DISTINCT eid, 'dedups' FROM dedups UNION ALL
  SELECT DISTINCT eid, 'waits' FROM waits UNION ALL
  SELECT DISTINCT eid, 'deliveries' FROM deliveries UNION ALL
  SELECT DISTINCT eid, 'uncalled' FROM uncalled UNION ALL
  SELECT DISTINCT eid, 'approvals' FROM approval_items
) AS rows WHERE NOT EXISTS (SELECT 1 FROM executions WHERE executions.eid = rows.eid)
  AND NOT (source IN ('history', 'payloads', 'consumed', 'dedups', 'deliveries') AND EXISTS (SELECT 1 FROM leavings WHERE leavings.eid = rows.eid));

-- name: keys_of_nothing
-- A key that was used names an execution that there is.
SELECT execution, 'key ' || key || ' of ' || organization FROM idempotency
WHERE NOT EXISTS (SELECT 1 FROM executions WHERE executions.id = idempotency.execution);

-- name: triggers
-- A webhook or a schedule that was accepted has started an execution, and the log names it.
SELECT 'trigger ' || pos, kind || ' ' || subject || ' of ' || organization || ' was accepted, and no execution is named' FROM trigger_log
WHERE outcome = 'accepted' AND kind <> 'event' AND execution IS NULL;

-- name: models
-- Every execution, every active workflow and every subscription has its model.
SELECT id, 'model ' || digest FROM executions WHERE NOT EXISTS (SELECT 1 FROM models WHERE models.digest = executions.digest)
UNION ALL
SELECT 'workflow ' || name, 'model ' || digest FROM workflows
WHERE digest IS NOT NULL AND NOT EXISTS (SELECT 1 FROM models WHERE models.digest = workflows.digest)
UNION ALL
SELECT 'workflow ' || name || ' version ' || version, 'model ' || digest FROM workflow_versions
WHERE NOT EXISTS (SELECT 1 FROM models WHERE models.digest = workflow_versions.digest);

-- name: subscriptions
-- Events start the active version of a workflow.
SELECT 'workflow ' || workflow, 'events start ' || digest || ', which is not active in ' || organization FROM subscriptions
WHERE NOT EXISTS (SELECT 1 FROM workflows
  WHERE workflows.organization = subscriptions.organization AND id = workflow AND workflows.digest = subscriptions.digest);

-- name: started_versions
-- What is started of a workflow is an active version of it; and where one is active, one is started.
SELECT 'workflow ' || id, CASE WHEN active IS NULL THEN 'nothing of it is started, although a version is active'
  ELSE 'its version number ' || active || ' is started, which is not active' END || ' in ' || organization
FROM workflows WHERE (active IS NULL) = EXISTS (SELECT 1 FROM workflow_versions AS v
  WHERE v.organization = workflows.organization AND v.workflow = workflows.id AND v.status = 'active'
    AND v.number = coalesce(workflows.active, v.number));

-- name: workers
-- Which worker owns how many; those that own none may live if they said so lately.
SELECT owner, count(*) FROM executions WHERE owner IS NOT NULL GROUP BY owner
UNION ALL
SELECT id, 0 FROM workers WHERE lease_until > ? AND NOT EXISTS (SELECT 1 FROM executions WHERE owner = workers.id);

-- name: owned_by
-- Some of the executions of a worker.
SELECT id FROM executions WHERE owner = ? LIMIT ?;

-- name: waits_of
-- Which operations of an execution wait for events.
SELECT op FROM waits WHERE eid = ?;

-- name: uncalled_of
-- Which operations of an execution wait for a worker that has their task.
SELECT op FROM uncalled WHERE eid = ?;

-- name: pending_of
-- Which operations of an execution ask for an approval.
SELECT op FROM approval_items WHERE eid = ? AND status = 'pending';

-- name: is_live
-- Whether an execution is there and live.
SELECT live FROM executions WHERE id = ?;

-- name: snapshot
-- The snapshot of an execution.
SELECT seq, form, data FROM snapshots WHERE eid = ?;

-- name: entries_of_audit
-- With what is kept of the chain of each: how many there are, and the hash of the last one.
SELECT audit.organization, audit.writer, number, data, entries, hash, approval FROM audit
LEFT JOIN audit_chains ON audit_chains.organization = audit.organization AND audit_chains.writer = audit.writer
ORDER BY audit.organization, audit.writer, number;

-- name: entry_of_audit
SELECT data FROM audit WHERE organization = ? AND writer = ? AND number = ?;

-- name: chains_without_entries
SELECT organization, writer, entries FROM audit_chains
WHERE NOT EXISTS (SELECT 1 FROM audit WHERE audit.organization = audit_chains.organization AND audit.writer = audit_chains.writer)
ORDER BY organization, writer;
