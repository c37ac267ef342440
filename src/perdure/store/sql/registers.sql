-- What every database understands. The rest is in the folder of each.

-- name: card
SELECT register, id, data, revision, changed_at, organization FROM cards WHERE register = ? AND organization = ? AND id = ?;

-- name: card_mark
SELECT revision, changed_at FROM cards WHERE register = ? AND organization = ? AND id = ?;

-- name: card_anywhere
SELECT register, id, data, revision, changed_at, organization FROM cards WHERE register = ? AND id = ? LIMIT 1;

-- name: cards
SELECT register, id, data, revision, changed_at, organization FROM cards WHERE register = ? AND organization = ? AND id > ? ORDER BY id LIMIT ?;

-- name: all_cards
SELECT register, id, data, revision, changed_at, organization FROM cards
WHERE register = ? AND (organization, id) > (?, ?) ORDER BY organization, id LIMIT ?;

-- name: put_card
INSERT INTO cards (register, organization, id, revision, changed_at, data) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (register, organization, id) DO UPDATE SET revision = excluded.revision, changed_at = excluded.changed_at, data = excluded.data;

-- name: remove_card
DELETE FROM cards WHERE register = ? AND organization = ? AND id = ?;

-- name: last_entry
SELECT number, data FROM audit WHERE organization = ? AND writer = ? ORDER BY number DESC LIMIT 1;

-- name: insert_entry
INSERT INTO audit (organization, writer, number, data) VALUES (?, ?, ?, ?);

-- name: entries
SELECT pos, data FROM audit WHERE organization = ? AND pos < ? ORDER BY pos DESC LIMIT ?;
