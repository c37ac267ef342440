-- Workflows with an id, a name and versions; and lists of executions.
-- What was saved before becomes version 1 of a workflow whose id is its name.

CREATE TABLE workflow_versions (
  organization TEXT NOT NULL,
  workflow TEXT NOT NULL,          -- its id
  number INTEGER NOT NULL,
  version TEXT NOT NULL,
  dialect TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  document TEXT                    -- JSON; none, if a program built the model
) STRICT;
CREATE UNIQUE INDEX workflow_versions_of ON workflow_versions (organization, workflow, number);
CREATE INDEX workflow_versions_with ON workflow_versions (digest);

ALTER TABLE workflows RENAME TO workflows_before;
CREATE TABLE workflows (
  organization TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,              -- of its active version; of its newest, if none is
  newest INTEGER NOT NULL,
  active INTEGER,                  -- the number of its active version, if there is one
  digest TEXT,                     -- and the model of that
  PRIMARY KEY (organization, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflows_by_name ON workflows (organization, name, id);
INSERT INTO workflow_versions (organization, workflow, number, version, dialect, name, digest, status, created_at)
SELECT organization, name, 1, '1', 'model', name, digest, 'active', unixepoch() * 1000 FROM workflows_before;
INSERT INTO workflows (organization, id, name, newest, active, digest) SELECT organization, name, name, 1, 1, digest FROM workflows_before;
DROP TABLE workflows_before;

ALTER TABLE models ADD COLUMN dialect TEXT NOT NULL DEFAULT 'model';

-- Executions in the order in which they came, by what is never changed. By status there is `executions_by_status`, and beside it
-- those that a worker has.
CREATE INDEX executions_of ON executions (organization);
CREATE INDEX executions_of_workflow ON executions (organization, workflow);
CREATE INDEX executions_started ON executions (organization, started_at);
CREATE INDEX executions_correlated ON executions (organization, correlation_id) WHERE correlation_id IS NOT NULL;
CREATE INDEX executions_of_parent ON executions (parent) WHERE parent IS NOT NULL;
