-- What every database understands. The rest is in the folder of each.

-- name: key_of
SELECT execution FROM idempotency WHERE organization = ? AND key = ?;

-- name: untouched
SELECT 1 FROM executions WHERE id = ? AND owner = ? AND epoch = 1 AND seq = 0;

-- name: keys_for
SELECT key FROM idempotency WHERE execution = ?;

-- name: insert_key
INSERT INTO idempotency (organization, key, execution) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING execution;

-- name: forget_key
DELETE FROM idempotency WHERE organization = ? AND key = ?;

-- name: release
UPDATE executions SET owner = NULL WHERE eid = ? AND mail = 0 RETURNING eid;

-- name: origin
SELECT eid, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) FROM executions
WHERE id = ? AND organization = ?;

-- name: copy_payloads
INSERT INTO payloads (eid, seq, number, data) SELECT :eid, seq, number, data FROM payloads WHERE eid = :origin AND seq <= :upto;

-- name: copy_consumed
INSERT INTO consumed (eid, event) SELECT :eid, event FROM consumed WHERE eid = :origin AND :upto > 0;

-- name: insert_payload
INSERT INTO payloads (eid, seq, number, data) VALUES (?, ?, ?, ?);

-- name: snapshot
INSERT INTO snapshots (eid, seq, form, data) VALUES (?, ?, ?, ?)
ON CONFLICT (eid) DO UPDATE SET seq = excluded.seq, form = excluded.form, data = excluded.data;

-- name: close_wait
DELETE FROM waits WHERE eid = ? AND op = ?;

-- name: undeliver
DELETE FROM deliveries WHERE eid = ? AND event = ?;

-- name: insert_approval
INSERT INTO approval_items (id, eid, op, organization, status, data, workflow, member, role, handed, late, claimed, resource_type, resource_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: update_approval
UPDATE approval_items SET status = ?, data = ?, handed = ?, late = ?, claimed = ? WHERE id = ?;

-- name: insert_dedup
INSERT INTO dedups (eid, dedup) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING eid;

-- name: has_had
SELECT 1 FROM dedups WHERE eid = ? AND dedup = ?;

-- name: version
-- How many facts an execution has, and how many letters that it has not taken in. Its row has been taken: no letter comes in between.
SELECT (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), mail FROM executions WHERE eid = ?;

-- name: is_routed
SELECT routed FROM events WHERE organization = ? AND id = ?;

-- name: is_consumed
SELECT 1 FROM consumed WHERE eid = ? AND event = ?;

-- name: insert_delivery
INSERT INTO deliveries (eid, event) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING eid;

-- name: beat
INSERT INTO workers (id, lease_until, tasks) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, tasks = excluded.tasks;

-- name: workers
SELECT id FROM workers;

-- name: leases
SELECT id, lease_until FROM workers;

-- name: workers_without_executions
SELECT id FROM workers WHERE NOT EXISTS (SELECT 1 FROM executions WHERE owner = workers.id);

-- name: forget_worker
DELETE FROM workers WHERE id = ?;

-- name: owners
WITH RECURSIVE found (owner) AS (
  SELECT min(owner) FROM executions WHERE owner IS NOT NULL
  UNION ALL
  SELECT (SELECT min(owner) FROM executions WHERE owner IS NOT NULL AND owner > found.owner) FROM found WHERE found.owner IS NOT NULL
)
SELECT owner FROM found WHERE owner IS NOT NULL;

-- name: holds_suspect
SELECT 1 FROM executions WHERE owner = ? AND crashes >= ? LIMIT 1;

-- name: crashed
-- Its owner has died. `crashes` reaches the number that parks it only after so many owners that held nothing else, or after `:deaths`.
UPDATE executions SET deaths = CASE WHEN crashes = 0 THEN 1 ELSE deaths + 1 END,
  deaths_alone = CASE WHEN crashes = 0 THEN 0 ELSE deaths_alone END + :alone,
  crashes = CASE
    WHEN crashes >= :crashes THEN crashes + 1
    WHEN CASE WHEN crashes = 0 THEN 0 ELSE deaths_alone END + :alone >= :crashes THEN CASE WHEN crashes = 0 THEN 1 ELSE deaths + 1 END
    WHEN crashes > 0 AND deaths + 1 >= :deaths THEN deaths + 1
    WHEN crashes + 1 < :crashes THEN crashes + 1
    ELSE crashes
  END
WHERE eid = :eid RETURNING crashes, deaths, mail, digest, organization;

-- name: forget_deaths
UPDATE executions SET crashes = 0 WHERE eid = ? AND owner = ? AND epoch = ?;

-- name: owns_several
SELECT 1 FROM executions WHERE owner = ? LIMIT 1 OFFSET 1;

-- name: park
UPDATE executions SET owner = NULL, waiting = ?, seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid),
  status = CASE WHEN ended_at IS NULL THEN 'waiting' ELSE status END, status_at = coalesce(ended_at, ?)
WHERE eid = ?;

-- name: record
SELECT eid, epoch, start, id, organization, workflow, digest, status, live, wake_at,
  (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), waiting, output, error, "trigger",
  correlation_id, parent, parent_op, depth, started_at, ended_at
FROM executions WHERE id = ?;

-- name: facts_after
SELECT seq, parts, data FROM history WHERE eid = ? AND seq > ? ORDER BY seq;

-- name: fact
SELECT seq, parts, data FROM history WHERE eid = ? AND seq = ?;

-- name: facts_within
SELECT seq, parts, data FROM history WHERE eid = ? AND scope = ? ORDER BY seq;

-- name: payload
SELECT data FROM payloads WHERE eid = ? AND seq = ? ORDER BY number;

-- name: payload_part
SELECT data FROM payloads WHERE eid = ? AND seq = ? AND number = ?;

-- name: owned_with_mail
SELECT eid, id FROM executions WHERE owner = ? AND mail > 0 LIMIT ?;

-- name: has_mail
SELECT mail > 0 FROM executions WHERE id = ?;

-- name: owner_of
SELECT eid, owner FROM executions WHERE id = ?;

-- name: eid_of
SELECT eid, organization FROM executions WHERE id = ?;

-- name: wild_patterns
WITH RECURSIVE found (pattern) AS (
  SELECT min(pattern) FROM waits WHERE organization = :organization AND wild = 1
  UNION ALL
  SELECT (SELECT min(pattern) FROM waits WHERE organization = :organization AND wild = 1 AND pattern > found.pattern) FROM found
  WHERE found.pattern IS NOT NULL
)
SELECT pattern FROM found WHERE pattern IS NOT NULL;

-- name: places
-- Where in an event it is looked by those who wait for this pattern.
WITH RECURSIVE found (place) AS (
  SELECT min(place) FROM waits WHERE organization = :organization AND pattern = :pattern
  UNION ALL
  SELECT (SELECT min(place) FROM waits WHERE organization = :organization AND pattern = :pattern AND place > found.place) FROM found
  WHERE found.place IS NOT NULL
)
SELECT place FROM found WHERE place IS NOT NULL;

-- name: is_awaited
SELECT 1 FROM waits WHERE organization = ? AND pattern = ? LIMIT 1;

-- name: reached
-- It has been delivered so far, and there are more.
UPDATE events SET reached = ? WHERE organization = ? AND id = ? AND reached = ? RETURNING pos;

-- name: subscribed_patterns
SELECT pattern FROM subscriptions WHERE organization = ?;

-- name: subscribed
SELECT digest, number, workflow, pattern FROM subscriptions WHERE organization = ? ORDER BY workflow, number;

-- name: due_schedules
-- Those with a slot whose time has come, the longest due first.
SELECT organization, workflow, digest, spec, paused, next_at, last_slot, last_execution, skipped, added, reset_at FROM schedules
WHERE paused = 0 AND next_at <= :now AND form = :form ORDER BY next_at LIMIT :limit;

-- name: due_schedules_in_turn
-- The same: the first of each organization, then the second of each, and so on.
SELECT organization, workflow, digest, spec, paused, next_at, last_slot, last_execution, skipped, added, reset_at FROM (
  SELECT schedules.*, row_number() OVER (PARTITION BY organization ORDER BY next_at) AS turn FROM schedules
  WHERE paused = 0 AND next_at <= :now AND form = :form
) AS due ORDER BY turn, next_at LIMIT :limit;

-- name: model
SELECT data FROM models WHERE digest = ?;

-- name: active
SELECT digest, id FROM workflows WHERE organization = :organization AND (id = :ref OR name = :ref)
ORDER BY id <> :ref, digest IS NULL, id LIMIT 1;

-- name: ends_between
SELECT DISTINCT executions.id FROM history JOIN executions USING (eid)
WHERE pos > ? AND pos <= ? AND kind IN ('execution.completed', 'execution.failed', 'execution.cancelled');
