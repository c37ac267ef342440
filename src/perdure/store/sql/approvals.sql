-- What is asked of approvals. Each list goes by one index, in the order in which approvals were opened.

-- name: approval_by_id
SELECT data FROM approval_items WHERE organization = ? AND id = ?;

-- name: approvals_by_status
-- All of them that stand so.
SELECT pos, data FROM approval_items WHERE organization = :organization AND status = :status AND late = :late AND pos < :before
ORDER BY pos DESC LIMIT :limit;

-- name: approvals_by_workflow
-- Those of the executions of a workflow.
SELECT pos, data FROM approval_items WHERE organization = :organization AND status = :status AND late = :late AND pos < :before AND workflow = :workflow
ORDER BY pos DESC LIMIT :limit;

-- name: approvals_by_execution
-- Those of one execution. It has few, and no other index is any good: it is told to look at none.
SELECT pos, data FROM approval_items
WHERE eid = (SELECT executions.eid FROM executions WHERE executions.id = :execution AND executions.organization = :organization)
  AND status || '' = :status AND late + 0 = :late AND pos + 0 < :before
  AND (CAST(:workflow AS text) IS NULL OR workflow || '' = :workflow)
  AND (CAST(:type AS text) IS NULL OR (resource_type || '' = :type AND resource_id = :thing))
ORDER BY pos + 0 DESC LIMIT :limit;

-- name: approvals_by_resource
-- Those about one thing.
SELECT pos, data FROM approval_items WHERE organization = :organization AND status = :status AND late = :late AND pos < :before
  AND resource_type = :type AND resource_id = :thing
  AND (CAST(:workflow AS text) IS NULL OR workflow = :workflow)
ORDER BY pos DESC LIMIT :limit;

-- name: approvals_by_member
-- What somebody is asked, but for what another one has taken on.
SELECT pos, data FROM approval_items WHERE organization = :organization AND status = :status AND late = :late AND pos < :before AND member = :name
  AND (claimed IS NULL OR claimed = :by) AND (CAST(:type AS text) IS NULL OR (resource_type = :type AND resource_id = :thing))
  AND (CAST(:workflow AS text) IS NULL OR workflow = :workflow)
ORDER BY pos DESC LIMIT :limit;

-- name: approvals_by_role
-- What whoever has a role is asked.
SELECT pos, data FROM approval_items WHERE organization = :organization AND status = :status AND late = :late AND pos < :before AND role = :name
  AND (claimed IS NULL OR claimed = :by) AND (CAST(:type AS text) IS NULL OR (resource_type = :type AND resource_id = :thing))
  AND (CAST(:workflow AS text) IS NULL OR workflow = :workflow)
ORDER BY pos DESC LIMIT :limit;

-- name: approvals_by_handed
-- What was handed to somebody, or to whoever has a role.
SELECT pos, data FROM approval_items WHERE organization = :organization AND status = :status AND late = :late AND pos < :before AND handed = :name
  AND (claimed IS NULL OR claimed = :by) AND (CAST(:type AS text) IS NULL OR (resource_type = :type AND resource_id = :thing))
  AND (CAST(:workflow AS text) IS NULL OR workflow = :workflow)
ORDER BY pos DESC LIMIT :limit;

-- name: approvals_by_nobody
-- What nobody in particular is asked.
SELECT pos, data FROM approval_items WHERE organization = :organization AND status = :status AND late = :late AND pos < :before AND member IS NULL AND role IS NULL
  AND (claimed IS NULL OR claimed = :by) AND (CAST(:type AS text) IS NULL OR (resource_type = :type AND resource_id = :thing))
  AND (CAST(:workflow AS text) IS NULL OR workflow = :workflow)
ORDER BY pos DESC LIMIT :limit;
