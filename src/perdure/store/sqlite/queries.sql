-- name: insert_execution
INSERT INTO executions (id, organization, workflow, digest, status, live, ready, wake_at, owner, epoch, "trigger", correlation_id,
  parent, parent_op, depth, started_at, start, born)
VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce((SELECT max(pos) FROM events), 0))
ON CONFLICT (id) DO NOTHING;

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

-- name: advance
UPDATE executions SET status = ?1, live = ?2, wake_at = ?3, seq = ?4, waiting = ?5, output = ?6, error = ?7, ended_at = ?8,
  start = NULL, mail = mail - ?9, ready = mail > ?9,
  crashes = CASE WHEN ?10 THEN 0 ELSE crashes END,
  owner = CASE WHEN ?11 AND mail = ?9 THEN NULL ELSE owner END
WHERE id = ?12 AND owner = ?13 AND epoch = ?14 AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = ?15
RETURNING eid, owner;

-- name: release
UPDATE executions SET owner = NULL WHERE eid = ? AND mail = 0 RETURNING eid;

-- name: owned_after
SELECT eid, owner FROM executions WHERE id = ? AND owner = ? AND epoch = ? AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = ?;

-- name: origin
SELECT eid, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) FROM executions
WHERE id = ? AND organization = ?;

-- name: copy_history
INSERT INTO history (eid, seq, kind, scope, parts, data)
SELECT :eid, seq, kind, scope, parts, data FROM history WHERE eid = :origin AND seq <= :upto ORDER BY seq;

-- name: copy_payloads
INSERT INTO payloads (eid, seq, number, data) SELECT :eid, seq, number, data FROM payloads WHERE eid = :origin AND seq <= :upto;

-- name: copy_consumed
INSERT INTO consumed (eid, event) SELECT :eid, event FROM consumed WHERE eid = :origin AND :upto > 0;

-- name: forked
UPDATE executions SET epoch = 1, ready = 0, seq = ?2 WHERE eid = ?1;

-- name: hand_over
UPDATE executions SET owner = NULL, ready = (mail > 0 OR NOT ?4),
  seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid)
WHERE id = ?1 AND owner = ?2 AND epoch = ?3 RETURNING eid, digest;

-- name: insert_uncalled
INSERT INTO uncalled (eid, op, task) VALUES (?, ?, ?);

-- name: take_uncalled
DELETE FROM uncalled WHERE eid IN (SELECT value FROM json_each(?)) RETURNING eid, op, task;

-- name: ownership
SELECT eid, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), owner FROM executions WHERE id = ? AND owner = ? AND epoch = ?;

-- name: epoch
SELECT eid, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), owner FROM executions WHERE id = ? AND epoch = ?;

-- name: seen
DELETE FROM inbox WHERE pos = ? AND eid = ? RETURNING pos;

-- name: insert_fact
INSERT INTO history (eid, seq, kind, scope, parts, data) VALUES (?, ?, ?, ?, ?, ?);

-- name: insert_payload
INSERT INTO payloads (eid, seq, number, data) VALUES (?, ?, ?, ?);

-- name: insert_consumed
INSERT OR IGNORE INTO consumed (eid, event) VALUES (?, ?);

-- name: snapshot
INSERT INTO snapshots (eid, seq, form, data) VALUES (?, ?, ?, ?)
ON CONFLICT (eid) DO UPDATE SET seq = excluded.seq, form = excluded.form, data = excluded.data;

-- name: open_wait
INSERT OR REPLACE INTO waits (eid, op, organization, pattern, look_back) VALUES (?, ?, ?, ?, ?);

-- name: close_wait
DELETE FROM waits WHERE eid = ? AND op = ?;

-- name: undeliver
DELETE FROM deliveries WHERE eid = ? AND event = ?;

-- name: insert_approval
INSERT INTO approvals (id, eid, op, organization, status, data) VALUES (?, ?, ?, ?, ?, ?);

-- name: update_approval
UPDATE approvals SET status = ?, data = ? WHERE id = ?;

-- name: approval
SELECT data FROM approvals WHERE id = ?;

-- name: approval_of
SELECT approvals.data FROM approvals JOIN executions USING (eid) WHERE executions.id = ? AND approvals.op = ?;

-- name: row_for_mail
SELECT eid, live, status FROM executions WHERE id = ?;

-- name: insert_dedup
INSERT INTO dedups (eid, dedup) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING eid;

-- name: insert_mail
INSERT INTO inbox (eid, data) VALUES (?, ?);

-- name: count_mail
UPDATE executions SET mail = mail + 1, ready = 1 WHERE eid = ?;

-- name: insert_event
INSERT INTO events (organization, id, type, routed, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT (organization, id) DO NOTHING;

-- name: routed
UPDATE events SET routed = 1, declined = ? WHERE organization = ? AND id = ? AND routed = 0 RETURNING pos;

-- name: is_routed
SELECT routed FROM events WHERE organization = ? AND id = ?;

-- name: looked_back
UPDATE waits SET look_back = 0 WHERE eid = ? AND op = ?;

-- name: is_consumed
SELECT 1 FROM consumed WHERE eid = ? AND event = ?;

-- name: insert_delivery
INSERT INTO deliveries (eid, event) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING eid;

-- name: beat
INSERT INTO workers (id, lease_until, tasks) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, tasks = excluded.tasks;

-- name: lease
SELECT lease_until FROM workers WHERE id = ?;

-- name: workers
SELECT id FROM workers;

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

-- name: owned_by
SELECT eid FROM executions WHERE owner = ? LIMIT ?;

-- name: ready
SELECT eid FROM executions WHERE ready = 1 AND owner IS NULL AND (mail > 0 OR crashes < :suspect)
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY eid LIMIT :limit;

-- name: due
SELECT eid FROM executions WHERE owner IS NULL AND live = 1 AND wake_at <= :now AND crashes < :suspect
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY wake_at LIMIT :limit;

-- name: callable
-- What waits for a task that the worker has. Most of the time, nothing does.
SELECT DISTINCT executions.eid FROM workers CROSS JOIN json_each(workers.tasks) AS has
CROSS JOIN uncalled ON uncalled.task = has.value CROSS JOIN executions ON executions.eid = uncalled.eid
WHERE EXISTS (SELECT 1 FROM uncalled) AND workers.id = :worker AND owner IS NULL AND crashes < :suspect
  AND executions.eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
LIMIT :limit;

-- name: suspect_callable
SELECT executions.eid FROM workers CROSS JOIN json_each(workers.tasks) AS has
CROSS JOIN uncalled ON uncalled.task = has.value CROSS JOIN executions ON executions.eid = uncalled.eid
WHERE EXISTS (SELECT 1 FROM uncalled) AND workers.id = :worker AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
  AND executions.eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
LIMIT 1;

-- name: holds_suspect
SELECT 1 FROM executions WHERE owner = ? AND crashes >= ? LIMIT 1;

-- name: suspect_ready
SELECT eid FROM executions WHERE ready = 1 AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY eid LIMIT 1;

-- name: suspect_due
SELECT eid FROM executions WHERE owner IS NULL AND live = 1 AND wake_at <= :now AND crashes >= :suspect AND crashes < :crashes
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY wake_at LIMIT 1;

-- name: queue
UPDATE executions SET owner = NULL, ready = 1, seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) WHERE eid = ?;

-- name: crashed
UPDATE executions SET crashes = crashes + 1 WHERE eid = ? RETURNING crashes, mail, digest;

-- name: park
UPDATE executions SET owner = NULL, waiting = ?, seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid),
  status = CASE WHEN ended_at IS NULL THEN 'waiting' ELSE status END
WHERE eid = ?;

-- name: take
UPDATE executions SET owner = ?, epoch = epoch + 1, seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid)
WHERE eid IN (SELECT value FROM json_each(?))
RETURNING eid, epoch, start, id, organization, workflow, digest, status, live, wake_at, seq, waiting, output, error, "trigger",
  correlation_id, parent, parent_op, depth, started_at, ended_at;

-- name: record
SELECT eid, epoch, start, id, organization, workflow, digest, status, live, wake_at,
  (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), waiting, output, error, "trigger",
  correlation_id, parent, parent_op, depth, started_at, ended_at
FROM executions WHERE id = ?;

-- name: snapshots_of
SELECT eid, seq, data FROM snapshots WHERE eid IN (SELECT value FROM json_each(?)) AND form = ?;

-- name: facts_after
SELECT seq, parts, data FROM history WHERE eid = ? AND seq > ? ORDER BY seq;

-- name: facts_after_each
SELECT history.eid, history.seq, parts, data FROM json_each(?) AS given CROSS JOIN history
WHERE history.eid = given.value ->> 0 AND history.seq > given.value ->> 1 ORDER BY history.eid, history.seq;

-- name: fact
SELECT seq, parts, data FROM history WHERE eid = ? AND seq = ?;

-- name: facts_within
SELECT seq, parts, data FROM history WHERE eid = ? AND scope = ? ORDER BY seq;

-- name: payload
SELECT data FROM payloads WHERE eid = ? AND seq = ? ORDER BY number;

-- name: payload_part
SELECT data FROM payloads WHERE eid = ? AND seq = ? AND number = ?;

-- name: mail_of
SELECT eid, pos, data FROM inbox WHERE eid IN (SELECT value FROM json_each(?)) ORDER BY eid, pos;

-- name: owned_with_mail
SELECT eid, id FROM executions WHERE owner = ? AND mail > 0 LIMIT ?;

-- name: has_mail
SELECT mail > 0 FROM executions WHERE id = ?;

-- name: owner_of
SELECT eid, owner FROM executions WHERE id = ?;

-- name: eid_of
SELECT eid, organization FROM executions WHERE id = ?;

-- name: lookbacks
SELECT waits.eid, op, pattern, executions.id, executions.organization, executions.born
FROM waits JOIN executions USING (eid) WHERE look_back = 1 ORDER BY waits.eid, op LIMIT ?;

-- name: events_since
SELECT pos, type, data FROM events WHERE organization = ? AND pos > ?
  AND NOT EXISTS (SELECT 1 FROM consumed WHERE eid = ? AND event = events.id) ORDER BY pos;

-- name: unrouted
SELECT pos, organization, type, data FROM events WHERE routed = 0 ORDER BY pos LIMIT ?;

-- name: patterns
WITH RECURSIVE found (pattern) AS (
  SELECT min(pattern) FROM waits WHERE organization = :organization
  UNION ALL
  SELECT (SELECT min(pattern) FROM waits WHERE organization = :organization AND pattern > found.pattern) FROM found
  WHERE found.pattern IS NOT NULL
)
SELECT pattern FROM found WHERE pattern IS NOT NULL;

-- name: waiting_for
-- Whoever was there when the event came: one that began later may wait by the time it is routed, and it is not for that one.
SELECT DISTINCT executions.id FROM waits JOIN executions USING (eid) WHERE waits.organization = ? AND pattern = ? AND born < ?;

-- name: subscribed_patterns
SELECT pattern FROM subscriptions WHERE organization = ?;

-- name: subscribed
SELECT digest, number, workflow, pattern FROM subscriptions WHERE organization = ? ORDER BY workflow, number;

-- name: model
SELECT data FROM models WHERE digest = ?;

-- name: active
SELECT digest, id FROM workflows WHERE organization = :organization AND (id = :ref OR name = :ref)
ORDER BY id <> :ref, digest IS NULL, id LIMIT 1;

-- name: is_active
SELECT 1 FROM workflows WHERE organization = ? AND id = ? AND digest = ?;

-- name: stirs
SELECT EXISTS (
    SELECT 1 FROM executions WHERE ready = 1 AND owner IS NULL AND (mail > 0 OR crashes < :suspect)
      AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  ) OR EXISTS (
    SELECT 1 FROM executions WHERE owner IS NULL AND live = 1 AND wake_at <= :now AND crashes < :suspect
      AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  )
  OR EXISTS (
    SELECT 1 FROM workers CROSS JOIN json_each(workers.tasks) AS has
    CROSS JOIN uncalled ON uncalled.task = has.value CROSS JOIN executions ON executions.eid = uncalled.eid
    WHERE EXISTS (SELECT 1 FROM uncalled) AND workers.id = :worker AND owner IS NULL AND crashes < :suspect
      AND executions.eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  )
  OR EXISTS (SELECT 1 FROM executions WHERE owner = :worker AND mail > 0)
  OR EXISTS (SELECT 1 FROM events WHERE routed = 0)
  OR EXISTS (SELECT 1 FROM waits WHERE look_back = 1);

-- name: next_due
SELECT coalesce(min(wake_at), :never) FROM executions
WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL AND crashes < :suspect
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions));

-- name: last_pos
SELECT coalesce(max(pos), 0) FROM history;

-- name: ends_between
SELECT DISTINCT executions.id FROM history JOIN executions USING (eid)
WHERE pos > ? AND pos <= ? AND kind IN ('execution.completed', 'execution.failed', 'execution.cancelled');

-- name: feed
-- The facts of all executions, in the order in which they became durable.
SELECT pos, history.eid, executions.id, organization, history.seq, kind, parts, data FROM history CROSS JOIN executions USING (eid)
WHERE pos > ? ORDER BY pos LIMIT ?;

-- name: feed_of
-- The same, of one organization.
SELECT pos, history.eid, executions.id, organization, history.seq, kind, parts, data FROM history CROSS JOIN executions USING (eid)
WHERE pos > ? AND organization = ? ORDER BY pos LIMIT ?;
