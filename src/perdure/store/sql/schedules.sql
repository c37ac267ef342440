-- Schedules, as every database understands it. The rest is in the folder of each.

-- name: forget_schedules
-- Those of a workflow, whose rows have been taken.
DELETE FROM schedules WHERE organization = ? AND workflow = ?;

-- name: insert_schedule
INSERT INTO schedules (organization, workflow, id, digest, spec, form, paused, next_at, last_slot, last_execution, skipped, added, reset_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: forget_schedule
DELETE FROM schedules WHERE organization = ? AND workflow = ? AND id = ?;

-- name: move_schedule
-- From where it was seen, if it is there: whoever comes second finds it elsewhere.
UPDATE schedules SET next_at = ?1
WHERE organization = ?2 AND workflow = ?3 AND id = ?4 AND digest = ?5 AND next_at = ?6 AND paused = 0 RETURNING last_slot, last_execution, skipped;

-- name: has_fired
UPDATE schedules SET last_slot = ?, last_execution = ?, skipped = ? WHERE organization = ? AND workflow = ? AND id = ?;

-- name: is_live
-- Whether what a schedule has started last has not ended.
SELECT live FROM executions WHERE id = ?;

-- name: pause_schedule
UPDATE schedules SET paused = ?, next_at = ? WHERE organization = ? AND workflow = ? AND id = ?;

-- name: reset_schedule
UPDATE schedules SET next_at = ?, last_slot = ?, skipped = ?, reset_at = ? WHERE organization = ? AND workflow = ? AND id = ?;

-- name: schedule
SELECT organization, workflow, digest, spec, paused, next_at, last_slot, last_execution, skipped, added, reset_at FROM schedules
WHERE organization = ? AND workflow = ? AND id = ?;

-- name: schedules_of
SELECT organization, workflow, digest, spec, paused, next_at, last_slot, last_execution, skipped, added, reset_at FROM schedules
WHERE organization = ? AND (workflow, id) > (?, ?) ORDER BY workflow, id LIMIT ?;
