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
-- One version is active, and the one that was is not any more.
UPDATE workflow_versions SET status = CASE WHEN number = ?3 THEN 'active' ELSE 'inactive' END
WHERE organization = ?1 AND workflow = ?2 AND (number = ?3 OR status = 'active');

-- name: point_to
-- What starts and events get.
UPDATE workflows SET active = ?, digest = ?, name = ? WHERE organization = ? AND id = ?;

-- name: unsubscribe
-- Events start nothing of it any more.
DELETE FROM subscriptions WHERE organization = ? AND workflow = ?;

-- name: subscribe
-- Such events start it.
INSERT INTO subscriptions (organization, workflow, number, digest, pattern) VALUES (?, ?, ?, ?, ?);

-- name: workflow
-- By its id, else by its name; of several with one name, one that has an active version.
SELECT w.id, w.name, w.newest, n.dialect, n.status, n.created_at, a.version, w.digest
FROM workflows AS w
JOIN workflow_versions AS n ON n.organization = w.organization AND n.workflow = w.id AND n.number = w.newest
LEFT JOIN workflow_versions AS a ON a.organization = w.organization AND a.workflow = w.id AND a.number = w.active
WHERE w.organization = :organization AND (w.id = :ref OR w.name = :ref) ORDER BY w.id <> :ref, w.digest IS NULL, w.id LIMIT 1;

-- name: workflows
-- By name.
SELECT w.id, w.name, w.newest, n.dialect, n.status, n.created_at, a.version, w.digest
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
