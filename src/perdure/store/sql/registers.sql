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

-- name: ends_of_chains
-- Where the chain of a writer ends: by what is kept of it, and by its entries. And the newest entry of all.
SELECT 'kept', writer, entries, hash FROM audit_chains WHERE organization = :organization AND writer = :writer
UNION ALL
SELECT 'last', writer, number, data FROM (
  SELECT writer, number, data FROM audit WHERE organization = :organization AND writer = :writer ORDER BY number DESC LIMIT 1) AS own
UNION ALL
SELECT 'newest', writer, number, data FROM (
  SELECT writer, number, data FROM audit WHERE organization = :organization ORDER BY pos DESC LIMIT 1) AS whosever;

-- name: insert_entry
INSERT INTO audit (organization, writer, number, data, approval) VALUES (?, ?, ?, ?, ?);

-- name: keep_chain
INSERT INTO audit_chains (organization, writer, entries, hash) VALUES (?, ?, ?, ?)
ON CONFLICT (organization, writer) DO UPDATE SET entries = excluded.entries, hash = excluded.hash;

-- name: entries_about_approval
SELECT pos, data FROM audit WHERE organization = ? AND approval = ? AND pos > ? ORDER BY pos LIMIT ?;

-- name: entries
SELECT pos, data FROM audit WHERE organization = ? AND pos < ? ORDER BY pos DESC LIMIT ?;
