-- What is asked of executions, as every database understands it.

-- name: whose
-- Which execution it is.
SELECT eid FROM executions WHERE id = ?;

-- name: history
-- The facts after a number.
SELECT seq, kind, parts, data FROM history WHERE eid = ? AND seq > ? ORDER BY seq LIMIT ?;

-- name: standing
-- Who has it, how often its owners have died, its mail, and how it is to begin.
SELECT eid, owner, crashes, mail, start FROM executions WHERE id = ?;

-- name: snapshot
-- What was folded before.
SELECT seq, data FROM snapshots WHERE eid = ? AND form = ?;

-- name: ids_beginning
-- Executions whose ids begin alike.
SELECT id FROM executions WHERE organization = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?;

-- name: uncalled
-- What its last owner could not call.
SELECT op, task FROM uncalled WHERE eid = ? ORDER BY op;

-- name: wanted_tools
-- Tools of connections that executions wait for, for want of somebody who has them; of which organizations. Page by page.
SELECT DISTINCT executions.organization, uncalled.task FROM uncalled JOIN executions ON executions.eid = uncalled.eid
WHERE replace(uncalled.task, '/', '') <> uncalled.task AND (executions.organization, uncalled.task) > (?, ?) ORDER BY 1, 2 LIMIT ?;

-- name: waiting_for
-- Who waits for one of them.
SELECT executions.id FROM uncalled JOIN executions ON executions.eid = uncalled.eid
WHERE uncalled.task = ? AND executions.organization = ? AND executions.owner IS NULL AND executions.mail = 0 ORDER BY executions.eid LIMIT ?;

-- name: approvals_of
-- What it asks of people.
SELECT data FROM approval_items WHERE eid = (SELECT eid FROM executions WHERE id = ?) AND status = 'pending' ORDER BY op;

-- name: event
SELECT pos, id, type, organization, routed, declined, data FROM events WHERE organization = ? AND id = ?;

-- name: happened
SELECT pos, id, type, organization, routed, declined, data FROM events WHERE organization = ? AND pos < ? ORDER BY pos DESC LIMIT ?;

-- name: taken_by
SELECT consumed.eid FROM consumed JOIN executions ON executions.eid = consumed.eid
WHERE event = ? AND organization = ? ORDER BY consumed.eid LIMIT ?;

-- name: told_to
SELECT deliveries.eid FROM deliveries JOIN executions ON executions.eid = deliveries.eid
WHERE event = ? AND organization = ? ORDER BY deliveries.eid LIMIT ?;
