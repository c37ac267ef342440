-- Approvals, in the order in which they were opened, and found by whoever is asked.

ALTER TABLE approvals RENAME TO approval_items;
ALTER TABLE approval_items ADD COLUMN pos bigint GENERATED ALWAYS AS IDENTITY;
ALTER TABLE approval_items ADD COLUMN workflow text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE approval_items ADD COLUMN member text COLLATE "C";         -- who is asked
ALTER TABLE approval_items ADD COLUMN role text COLLATE "C";           -- whoever has it is asked
ALTER TABLE approval_items ADD COLUMN handed text COLLATE "C";         -- to whom it was handed when it was overdue: m:member, r:role, ?:either
ALTER TABLE approval_items ADD COLUMN late bigint NOT NULL DEFAULT 0;  -- it is open, and overdue
ALTER TABLE approval_items ADD COLUMN claimed text COLLATE "C";        -- who has taken it on
ALTER TABLE approval_items ADD COLUMN resource_type text COLLATE "C";
ALTER TABLE approval_items ADD COLUMN resource_id text COLLATE "C" NOT NULL DEFAULT ''; -- what it is about
UPDATE approval_items SET workflow = executions.workflow, resource_id = executions.id,
  late = (approval_items.status = 'pending' AND coalesce(readable(data) ->> 'overdue', 'false') = 'true')::integer,
  handed = CASE json_typeof(readable(data) -> 'escalated_to') WHEN 'string' THEN '?:' || (readable(data) ->> 'escalated_to') WHEN 'object' THEN
    coalesce('m:' || (readable(data) #>> '{escalated_to,member}'), 'r:' || (readable(data) #>> '{escalated_to,role}')) END
FROM executions WHERE executions.eid = approval_items.eid;
DROP INDEX approvals_open;
CREATE INDEX approvals_by_status ON approval_items (organization, status, late, pos);
CREATE INDEX approvals_of_workflow ON approval_items (organization, workflow, status, late, pos);
CREATE INDEX approvals_of_member ON approval_items (organization, member, status, late, pos) WHERE member IS NOT NULL;
CREATE INDEX approvals_of_role ON approval_items (organization, role, status, late, pos) WHERE role IS NOT NULL;
CREATE INDEX approvals_handed ON approval_items (organization, handed, status, late, pos) WHERE handed IS NOT NULL;
CREATE INDEX approvals_of_nobody ON approval_items (organization, status, late, pos) WHERE member IS NULL AND role IS NULL;
CREATE INDEX approvals_about ON approval_items (organization, resource_type, resource_id, status, late, pos) WHERE resource_type IS NOT NULL;
