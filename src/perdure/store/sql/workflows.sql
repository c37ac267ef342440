-- Workflows and their versions, as every database understands it.

-- name: newest
-- The newest version of a workflow.
SELECT workflow, name, number, version, dialect, digest, status, created_at, organization, document FROM workflow_versions
WHERE organization = ? AND workflow = ? ORDER BY number DESC LIMIT 1;

-- name: insert_version
-- A new version is a draft until it is made the active one.
INSERT INTO workflow_versions (organization, workflow, number, version, dialect, name, digest, status, created_at, document)
VALUES (?, ?, ?, ?, ?, ?, ?, 'draft', ?, ?);

-- name: set_status
-- A version is active, or is not any more.
UPDATE workflow_versions SET status = ? WHERE organization = ? AND workflow = ? AND number = ?;

-- name: active_versions
-- Those that are active, without their documents: several only where authors call them by semantic versions.
SELECT workflow, name, number, version, dialect, digest, status, created_at, organization FROM workflow_versions
WHERE organization = ? AND workflow = ? AND status = 'active';

-- name: model_of
-- The model of a version.
SELECT data FROM models WHERE digest = ?;

-- name: point_to
-- What starts and events get: the highest active version, if there is one.
UPDATE workflows SET active = ?, digest = ?, name = ? WHERE organization = ? AND id = ?;

-- name: point_to_none
-- Nothing of it is active: others call it by the name of its newest version.
UPDATE workflows SET active = NULL, digest = NULL, name = (SELECT v.name FROM workflow_versions AS v
  WHERE v.organization = workflows.organization AND v.workflow = workflows.id AND v.number = workflows.newest)
WHERE organization = ? AND id = ?;

-- name: unsubscribe
-- Events start nothing of it any more.
DELETE FROM subscriptions WHERE organization = ? AND workflow = ?;

-- name: subscribe
-- Such events start it.
INSERT INTO subscriptions (organization, workflow, number, digest, pattern) VALUES (?, ?, ?, ?, ?);

-- name: workflow
-- By its id, else by its name; of several with one name, one that has an active version.
SELECT w.id, w.name, n.version, n.dialect, n.status, n.created_at, a.version, w.digest
FROM workflows AS w
JOIN workflow_versions AS n ON n.organization = w.organization AND n.workflow = w.id AND n.number = w.newest
LEFT JOIN workflow_versions AS a ON a.organization = w.organization AND a.workflow = w.id AND a.number = w.active
WHERE w.organization = :organization AND (w.id = :ref OR w.name = :ref) ORDER BY w.id <> :ref, w.digest IS NULL, w.id LIMIT 1;

-- name: workflows
-- By name.
SELECT w.id, w.name, n.version, n.dialect, n.status, n.created_at, a.version, w.digest
FROM workflows AS w
JOIN workflow_versions AS n ON n.organization = w.organization AND n.workflow = w.id AND n.number = w.newest
LEFT JOIN workflow_versions AS a ON a.organization = w.organization AND a.workflow = w.id AND a.number = w.active
WHERE w.organization = ? AND (w.name, w.id) > (?, ?) ORDER BY w.name, w.id LIMIT ?;

-- name: version
-- One version, with its document.
SELECT workflow, name, number, version, dialect, digest, status, created_at, organization, document FROM workflow_versions
WHERE organization = ? AND workflow = ? AND version = ? ORDER BY number DESC LIMIT 1;

-- name: version_of
-- The version that has this model: of several, the newest that there was at a time.
SELECT workflow, name, number, version, dialect, digest, status, created_at, organization, document FROM workflow_versions
WHERE organization = ? AND workflow = ? AND digest = ? ORDER BY created_at <= ? DESC, number DESC LIMIT 1;

-- name: versions
-- All of them, without their documents.
SELECT workflow, name, number, version, dialect, digest, status, created_at, organization FROM workflow_versions
WHERE organization = ? AND workflow = ? ORDER BY number DESC;

-- name: dialect
-- What a model was lowered from.
SELECT dialect FROM models WHERE digest = ?;
