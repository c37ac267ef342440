-- Approvals, in the order in which they were opened, and found by whoever is asked.

CREATE TABLE approval_items (
  pos INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  eid INTEGER NOT NULL,
  op INTEGER NOT NULL,
  organization TEXT NOT NULL,
  status TEXT NOT NULL,
  data TEXT NOT NULL,              -- JSON
  workflow TEXT NOT NULL,
  member TEXT,                     -- who is asked
  role TEXT,                       -- whoever has it is asked
  handed TEXT,                     -- to whom it was handed when it was overdue: m:member, r:role, ?:either
  late INTEGER NOT NULL,           -- it is open, and overdue
  claimed TEXT,                    -- who has taken it on
  resource_type TEXT,
  resource_id TEXT NOT NULL        -- what it is about
) STRICT;
INSERT INTO approval_items (id, eid, op, organization, status, data, workflow, handed, late, resource_id)
SELECT approvals.id, approvals.eid, op, approvals.organization, approvals.status, data, coalesce(executions.workflow, ''),
  CASE json_type(data, '$.escalated_to') WHEN 'text' THEN '?:' || (data ->> '$.escalated_to') WHEN 'object' THEN
    coalesce('m:' || (data ->> '$.escalated_to.member'), 'r:' || (data ->> '$.escalated_to.role')) END,
  approvals.status = 'pending' AND coalesce(data ->> '$.overdue', 0), data ->> '$.execution'
FROM approvals LEFT JOIN executions USING (eid) ORDER BY approvals.eid, op;
DROP TABLE approvals;
CREATE UNIQUE INDEX approvals_of ON approval_items (eid, op);
CREATE INDEX approvals_by_status ON approval_items (organization, status, late, pos);
CREATE INDEX approvals_of_workflow ON approval_items (organization, workflow, status, late, pos);
CREATE INDEX approvals_of_member ON approval_items (organization, member, status, late, pos) WHERE member IS NOT NULL;
CREATE INDEX approvals_of_role ON approval_items (organization, role, status, late, pos) WHERE role IS NOT NULL;
CREATE INDEX approvals_handed ON approval_items (organization, handed, status, late, pos) WHERE handed IS NOT NULL;
CREATE INDEX approvals_of_nobody ON approval_items (organization, status, late, pos) WHERE member IS NULL AND role IS NULL;
CREATE INDEX approvals_about ON approval_items (organization, resource_type, resource_id, status, late, pos) WHERE resource_type IS NOT NULL;
