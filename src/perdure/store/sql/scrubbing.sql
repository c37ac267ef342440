-- Rewriting what executions were started with, in place.

-- name: starts_after
-- The first fact of each execution, and how it is to begin if it has not begun.
SELECT executions.eid, history.parts, history.data, executions.start FROM executions
LEFT JOIN history ON history.eid = executions.eid AND history.seq = 1
WHERE executions.eid > ? ORDER BY executions.eid LIMIT ?;

-- name: pieces_of_first
SELECT data FROM payloads WHERE eid = ? AND seq = 1 ORDER BY number;

-- name: rewrite_first
UPDATE history SET data = ?, parts = ? WHERE eid = ? AND seq = 1;

-- name: remove_pieces_of_first
DELETE FROM payloads WHERE eid = ? AND seq = 1;

-- name: add_piece_of_first
INSERT INTO payloads (eid, seq, number, data) VALUES (?, 1, ?, ?);

-- name: rewrite_start
UPDATE executions SET start = ? WHERE eid = ? AND start = ?;
