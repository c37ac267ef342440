-- name: take_card
SELECT pg_advisory_xact_lock(worker_lock('card:' || ?));
