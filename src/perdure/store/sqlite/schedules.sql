-- Schedules.

-- name: started_by_schedules
-- What schedules of a workflow start.
SELECT digest FROM workflows WHERE organization = ? AND id = ?;

-- name: take_schedules
-- Those of a workflow; nobody else moves them until this transaction ends.
SELECT organization, workflow, digest, spec, paused, next_at, last_slot, last_execution, skipped, added, reset_at FROM schedules
WHERE organization = ? AND workflow = ? ORDER BY id;

-- name: take_schedule
-- One of them.
SELECT organization, workflow, digest, spec, paused, next_at, last_slot, last_execution, skipped, added, reset_at FROM schedules
WHERE organization = ? AND workflow = ? AND id = ?;
