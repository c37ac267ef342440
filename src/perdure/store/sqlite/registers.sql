-- name: take_card
SELECT ?; -- nobody else writes
