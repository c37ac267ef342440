-- Transaction numbers in a database that was restored from another server: `numbering.py`.

-- name: newest
-- The newest transaction number that is stored; null in an empty database.
SELECT greatest((SELECT max(pos) FROM history), (SELECT max(pos) FROM events), (SELECT max(pos) FROM inbox)) >> 24;

-- name: current
-- The next number of this server with the shift, and the shift. Asked after `newest`, so that whatever that saw is below it.
SELECT horizon.number + pg_snapshot_xmax(snapshot)::text::bigint - pg_snapshot_xmin(snapshot)::text::bigint,
  horizon.number - pg_snapshot_xmin(snapshot)::text::bigint
FROM (SELECT horizon() >> 24 AS number, pg_current_snapshot() AS snapshot) AS horizon;

-- name: base_place
CREATE OR REPLACE FUNCTION base_place() RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT (pg_current_xact_id()::text::bigint + {shift}) << 24 $$;

-- name: horizon
CREATE OR REPLACE FUNCTION horizon() RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + {shift}) << 24 $$;

-- name: seen_now
CREATE OR REPLACE FUNCTION seen_now() RETURNS pg_snapshot LANGUAGE sql STABLE AS $$
  SELECT ((pg_snapshot_xmin(seen)::text::bigint + {shift}) || ':' || (pg_snapshot_xmax(seen)::text::bigint + {shift}) || ':' || coalesce((
    SELECT string_agg((open::text::bigint + {shift})::text, ',' ORDER BY open) FROM pg_snapshot_xip(seen) AS open
  ), ''))::pg_snapshot
  FROM (SELECT pg_current_snapshot() AS seen) AS now
$$;
