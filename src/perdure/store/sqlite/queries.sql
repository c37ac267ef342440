-- name: insert_execution
INSERT INTO executions (id, organization, workflow, digest, status, live, ready, wake_at, owner, epoch, "trigger", correlation_id,
  parent, parent_op, depth, started_at, start, born, status_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, coalesce((SELECT max(pos) FROM events), 0), ?15)
ON CONFLICT (id) DO NOTHING;

-- name: insert_started_by
-- The last event before it is the one that starts it.
INSERT INTO executions (id, organization, workflow, digest, status, live, ready, wake_at, owner, epoch, "trigger", correlation_id,
  parent, parent_op, depth, started_at, start, born, status_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, (SELECT pos FROM events WHERE organization = ?2 AND events.id = ?17), ?15)
ON CONFLICT (id) DO NOTHING;

-- name: advance
UPDATE executions SET status = ?1, live = ?2, wake_at = ?3, seq = ?4, waiting = ?5, output = ?6, error = ?7, ended_at = ?8,
  start = NULL, mail = mail - ?9, ready = mail > ?9,
  crashes = CASE WHEN ?10 THEN 0 ELSE crashes END,
  status_at = CASE WHEN status = ?1 THEN status_at ELSE coalesce(?8, ?16) END,
  owner = CASE WHEN ?11 AND mail = ?9 THEN NULL ELSE owner END
WHERE id = ?12 AND owner = ?13 AND epoch = ?14 AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = ?15
RETURNING eid, owner;

-- name: owned_after
SELECT eid, owner FROM executions WHERE id = ? AND owner = ? AND epoch = ? AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = ?;

-- name: copy_history
INSERT INTO history (eid, seq, kind, scope, parts, data)
SELECT :eid, seq, kind, scope, parts, data FROM history WHERE eid = :origin AND seq <= :upto ORDER BY seq;

-- name: forked
UPDATE executions SET epoch = 1, ready = 0, seq = ?2 WHERE eid = ?1;

-- name: hand_over
UPDATE executions SET owner = NULL, ready = (mail > 0 OR NOT ?4),
  seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid)
WHERE id = ?1 AND owner = ?2 AND epoch = ?3 RETURNING eid, digest;

-- name: park_owned
-- Its mail stays; it is not ready before the next letter comes.
UPDATE executions SET owner = NULL, ready = 0, waiting = ?1, crashes = max(crashes, ?2), seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid),
  status = CASE WHEN ended_at IS NULL THEN 'waiting' ELSE status END, status_at = coalesce(ended_at, ?3)
WHERE id = ?4 AND owner = ?5 AND epoch = ?6 RETURNING eid;

-- name: decline_event
UPDATE events SET routed = 1, declined = ? WHERE organization = ? AND id = ? AND routed = 0 RETURNING pos;

-- name: reroute_event
UPDATE events SET routed = 0, declined = NULL WHERE organization = ? AND id = ? AND routed = 1 AND declined LIKE '[["",%' RETURNING pos;

-- name: insert_uncalled
INSERT INTO uncalled (eid, op, task) VALUES (?, ?, ?);

-- name: take_uncalled
DELETE FROM uncalled WHERE eid IN (SELECT value FROM json_each(?)) RETURNING eid, op, task;

-- name: ownership
SELECT eid, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), owner FROM executions WHERE id = ? AND owner = ? AND epoch = ?;

-- name: seen
-- Letters that whoever owns the execution has read, if it is that one and has come so far.
DELETE FROM inbox WHERE pos IN (SELECT value FROM json_each(?)) AND eid = (
  SELECT eid FROM executions WHERE id = ? AND owner = ? AND epoch = ?
    AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = ?
) RETURNING pos;

-- name: epoch
SELECT eid, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), owner FROM executions WHERE id = ? AND epoch = ?;

-- name: insert_fact
INSERT INTO history (eid, seq, kind, scope, parts, data) VALUES (?, ?, ?, ?, ?, ?);

-- name: insert_consumed
INSERT OR IGNORE INTO consumed (eid, event) VALUES (?, ?);

-- name: open_wait
INSERT OR REPLACE INTO waits (eid, op, organization, pattern, look_back, wild, place, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: approval
SELECT data FROM approval_items WHERE id = ?;

-- name: approval_of
SELECT approval_items.data FROM approval_items JOIN executions USING (eid) WHERE executions.id = ? AND approval_items.op = ?;

-- name: row_for_mail
SELECT eid, live, status FROM executions WHERE id = ?;

-- name: insert_mail
INSERT INTO inbox (eid, data) VALUES (?, ?);

-- name: count_mail
UPDATE executions SET mail = mail + 1, ready = 1 WHERE eid = ?;

-- name: insert_event
INSERT INTO events (organization, id, type, routed, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT (organization, id) DO NOTHING;

-- name: routed
UPDATE events SET routed = 1, declined = ? WHERE organization = ? AND id = ? AND reached = ? AND routed = 0 RETURNING pos;

-- name: looked_back
UPDATE waits SET look_back = 0 WHERE eid = ? AND op = ?;

-- name: lease
SELECT lease_until FROM workers WHERE id = ?;

-- name: owned_by
SELECT eid FROM executions WHERE owner = ? ORDER BY crashes DESC LIMIT ?;

-- name: ready
SELECT eid, organization FROM executions INDEXED BY executions_ready WHERE ready = 1 AND owner IS NULL AND (mail > 0 OR crashes < :suspect)
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY eid LIMIT :limit;

-- name: due
SELECT eid, organization FROM executions WHERE owner IS NULL AND live = 1 AND wake_at <= :now AND crashes < :suspect
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY wake_at LIMIT :limit;

-- name: callable
-- What waits for a task that the worker has. Most of the time, nothing does.
SELECT DISTINCT executions.eid, organization FROM workers CROSS JOIN json_each(workers.tasks) AS has
CROSS JOIN uncalled ON uncalled.task = has.value CROSS JOIN executions ON executions.eid = uncalled.eid
WHERE EXISTS (SELECT 1 FROM uncalled) AND workers.id = :worker AND owner IS NULL AND crashes < :suspect
  AND executions.eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
LIMIT :limit;

-- name: ready_organizations
-- Organizations that have something ready, in the order of their ids, after one of them.
WITH RECURSIVE found (organization) AS (
  SELECT min(organization) FROM executions WHERE ready = 1 AND owner IS NULL AND organization > :after
  UNION ALL
  SELECT (SELECT min(organization) FROM executions WHERE ready = 1 AND owner IS NULL AND organization > found.organization) FROM found
  WHERE found.organization IS NOT NULL
)
SELECT organization FROM found WHERE organization IS NOT NULL LIMIT :count;

-- name: due_organizations
-- Organizations that have something that is due, now or later.
WITH RECURSIVE found (organization) AS (
  SELECT min(organization) FROM executions WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL AND organization > :after
  UNION ALL
  SELECT (SELECT min(organization) FROM executions WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL AND organization > found.organization) FROM found
  WHERE found.organization IS NOT NULL
)
SELECT organization FROM found WHERE organization IS NOT NULL LIMIT :count;

-- name: ready_of
SELECT eid, organization FROM executions WHERE organization = :organization AND ready = 1 AND owner IS NULL AND (mail > 0 OR crashes < :suspect)
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY eid LIMIT :share;

-- name: due_of
SELECT eid, organization FROM executions WHERE organization = :organization AND owner IS NULL AND live = 1 AND wake_at <= :now AND crashes < :suspect
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY wake_at LIMIT :share;

-- name: callable_in_turn
-- The first of each organization, then the second of each, and so on.
SELECT eid, organization FROM (
  SELECT eid, organization, row_number() OVER (PARTITION BY organization ORDER BY eid) AS place FROM (
    SELECT DISTINCT executions.eid, organization FROM workers CROSS JOIN json_each(workers.tasks) AS has
    CROSS JOIN uncalled ON uncalled.task = has.value CROSS JOIN executions ON executions.eid = uncalled.eid
    WHERE workers.id = :worker AND owner IS NULL AND crashes < :suspect
      AND executions.eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
    LIMIT 10000
  )
) ORDER BY place, eid LIMIT :limit;

-- name: suspect_callable
-- Of the suspects, the one first that has been alone with the fewest dead workers, so that all of them are tried.
SELECT executions.eid FROM workers CROSS JOIN json_each(workers.tasks) AS has
CROSS JOIN uncalled ON uncalled.task = has.value CROSS JOIN executions ON executions.eid = uncalled.eid
WHERE EXISTS (SELECT 1 FROM uncalled) AND workers.id = :worker AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
  AND executions.eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY deaths_alone, executions.eid LIMIT 1;

-- name: suspect_ready
SELECT eid FROM executions WHERE ready = 1 AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY deaths_alone, eid LIMIT 1;

-- name: suspect_due
SELECT eid FROM executions WHERE owner IS NULL AND live = 1 AND wake_at <= :now AND crashes >= :suspect AND crashes < :crashes
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
ORDER BY deaths_alone, wake_at LIMIT 1;

-- name: queue
UPDATE executions SET owner = NULL, ready = 1, seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) WHERE eid = ?;

-- name: take
UPDATE executions SET owner = ?, epoch = epoch + 1, seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid)
WHERE eid IN (SELECT value FROM json_each(?))
RETURNING eid, epoch, start, crashes, id, organization, workflow, digest, status, live, wake_at, seq, waiting, output, error, "trigger",
  correlation_id, parent, parent_op, depth, started_at, ended_at;

-- name: snapshots_of
SELECT eid, data FROM snapshots WHERE eid IN (SELECT value FROM json_each(?)) AND form = ?;

-- name: facts_since_snapshots
-- All facts, of an execution without a snapshot of this form.
SELECT history.eid, history.seq, parts, history.data FROM json_each(?) AS given CROSS JOIN history
WHERE history.eid = given.value
  AND history.seq > coalesce((SELECT snapshots.seq FROM snapshots WHERE snapshots.eid = given.value AND form = ?), 0)
ORDER BY history.eid, history.seq;

-- name: mail_of
SELECT eid, pos, data FROM inbox WHERE eid IN (SELECT value FROM json_each(?)) ORDER BY eid, pos;

-- name: lookbacks
SELECT op, pattern, place, key, executions.id, executions.organization, executions.born, waits.eid
FROM waits JOIN executions USING (eid) WHERE look_back = 1 ORDER BY waits.eid, op LIMIT ?;

-- name: events_since
SELECT pos, type, data FROM events WHERE organization = ? AND pos > ?
  AND NOT EXISTS (SELECT 1 FROM consumed WHERE eid = ? AND event = events.id) ORDER BY pos;

-- name: events_since_of
-- The same, of one type.
SELECT pos, type, data FROM events WHERE organization = ? AND pos > ?
  AND NOT EXISTS (SELECT 1 FROM consumed WHERE eid = ? AND event = events.id) AND type = ? AND type NOT GLOB 'workflow.*' ORDER BY pos;

-- name: events_since_like
-- The same, of types that begin alike.
SELECT pos, type, data FROM events WHERE organization = ? AND +pos > ?
  AND NOT EXISTS (SELECT 1 FROM consumed WHERE eid = ? AND event = events.id)
  AND type >= ? AND type < ? AND type NOT GLOB 'workflow.*' ORDER BY pos;

-- name: has_unrouted
SELECT 1 FROM events WHERE routed = 0 LIMIT 1;

-- name: unrouted
-- Events that have not reached everybody; with each, where in it those look who wait for its very type, and which patterns there are.
SELECT pos, organization, type, data, reached, (
    WITH RECURSIVE found (place) AS (
      SELECT min(place) FROM waits WHERE waits.organization = events.organization AND pattern = events.type
      UNION ALL
      SELECT (
        SELECT min(place) FROM waits WHERE waits.organization = events.organization AND pattern = events.type AND place > found.place
      ) FROM found WHERE found.place IS NOT NULL
    )
    SELECT json_group_array(place) FROM found WHERE place IS NOT NULL
  ), (
    WITH RECURSIVE found (pattern) AS (
      SELECT min(pattern) FROM waits WHERE waits.organization = events.organization AND wild = 1
      UNION ALL
      SELECT (
        SELECT min(pattern) FROM waits WHERE waits.organization = events.organization AND wild = 1 AND pattern > found.pattern
      ) FROM found WHERE found.pattern IS NOT NULL
    )
    SELECT json_group_array(pattern) FROM found WHERE pattern IS NOT NULL
  ), id
FROM events WHERE routed = 0 ORDER BY pos LIMIT ?;

-- name: unrouted_organizations
-- Organizations that have unrouted events, in the order of their ids, after one of them.
WITH RECURSIVE found (organization) AS (
  SELECT min(organization) FROM events WHERE routed = 0 AND organization > :after
  UNION ALL
  SELECT (SELECT min(organization) FROM events WHERE routed = 0 AND organization > found.organization) FROM found
  WHERE found.organization IS NOT NULL
)
SELECT organization FROM found WHERE organization IS NOT NULL LIMIT :count;

-- name: unrouted_of
-- The same, of one organization.
SELECT pos, organization, type, data, reached, (
    WITH RECURSIVE found (place) AS (
      SELECT min(place) FROM waits WHERE waits.organization = events.organization AND pattern = events.type
      UNION ALL
      SELECT (
        SELECT min(place) FROM waits WHERE waits.organization = events.organization AND pattern = events.type AND place > found.place
      ) FROM found WHERE found.place IS NOT NULL
    )
    SELECT json_group_array(place) FROM found WHERE place IS NOT NULL
  ), (
    WITH RECURSIVE found (pattern) AS (
      SELECT min(pattern) FROM waits WHERE waits.organization = events.organization AND wild = 1
      UNION ALL
      SELECT (
        SELECT min(pattern) FROM waits WHERE waits.organization = events.organization AND wild = 1 AND pattern > found.pattern
      ) FROM found WHERE found.pattern IS NOT NULL
    )
    SELECT json_group_array(pattern) FROM found WHERE pattern IS NOT NULL
  ), id
FROM events WHERE organization = :organization AND routed = 0 ORDER BY pos LIMIT :share;

-- name: waiting_for
-- Whoever was there when the event came: one that began later may wait by the time it is routed, and it is not for that one.
SELECT waits.eid, executions.id FROM waits CROSS JOIN executions USING (eid)
WHERE waits.organization = ? AND pattern = ? AND place = ? AND key = ? AND waits.eid > ? AND born < ? ORDER BY waits.eid LIMIT ?;

-- name: waiting_at
-- The same, whatever their key.
SELECT waits.eid, executions.id FROM waits CROSS JOIN executions USING (eid)
WHERE waits.organization = ? AND pattern = ? AND place = ? AND waits.eid > ? AND born < ? ORDER BY waits.eid LIMIT ?;

-- name: stirs
-- Whether there is something to claim; whether there is a suspect; whether there is something to poll.
SELECT EXISTS (
    SELECT 1 FROM executions INDEXED BY executions_ready WHERE ready = 1 AND owner IS NULL AND (mail > 0 OR crashes < :suspect)
      AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  ) OR EXISTS (
    SELECT 1 FROM executions WHERE owner IS NULL AND live = 1 AND wake_at <= :now AND crashes < :suspect
      AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  ) OR EXISTS (
    SELECT 1 FROM workers CROSS JOIN json_each(workers.tasks) AS has
    CROSS JOIN uncalled ON uncalled.task = has.value CROSS JOIN executions ON executions.eid = uncalled.eid
    WHERE EXISTS (SELECT 1 FROM uncalled) AND workers.id = :worker AND owner IS NULL AND crashes < :suspect
      AND executions.eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  ),
  EXISTS (
    SELECT 1 FROM executions INDEXED BY executions_ready WHERE ready = 1 AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
      AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  ) OR EXISTS (
    SELECT 1 FROM executions WHERE owner IS NULL AND live = 1 AND wake_at <= :now AND crashes >= :suspect AND crashes < :crashes
      AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  ) OR EXISTS (
    SELECT 1 FROM workers CROSS JOIN json_each(workers.tasks) AS has
    CROSS JOIN uncalled ON uncalled.task = has.value CROSS JOIN executions ON executions.eid = uncalled.eid
    WHERE EXISTS (SELECT 1 FROM uncalled) AND workers.id = :worker AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
      AND executions.eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions))
  ),
  EXISTS (SELECT 1 FROM executions WHERE owner = :worker AND mail > 0)
  OR EXISTS (SELECT 1 FROM events WHERE routed = 0)
  OR EXISTS (SELECT 1 FROM waits WHERE look_back = 1)
  OR EXISTS (SELECT 1 FROM schedules WHERE paused = 0 AND next_at <= :now AND form = :form);

-- name: next_due
SELECT min(coalesce(min(wake_at), :never), coalesce((SELECT min(next_at) FROM schedules WHERE paused = 0 AND form = :form), :never)) FROM executions
WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL AND crashes < :suspect
  AND eid NOT IN (SELECT value FROM json_each(:executions)) AND digest NOT IN (SELECT value FROM json_each(:versions));

-- name: newest
-- The time of what was written last. Of a long fact, the data is elsewhere; so a few of the last are looked at.
SELECT max(at) FROM (
  SELECT data ->> '$.at' AS at FROM (SELECT data FROM history WHERE pos > (SELECT max(pos) FROM history) - 20) WHERE json_valid(data)
  UNION ALL SELECT data ->> '$.at' FROM (SELECT data FROM events WHERE pos > (SELECT max(pos) FROM events) - 20) WHERE json_valid(data)
  UNION ALL SELECT data ->> '$.at' FROM (SELECT data FROM audit WHERE pos > (SELECT max(pos) FROM audit) - 20) WHERE json_valid(data));

-- name: last_pos
SELECT coalesce(max(pos), 0) FROM history;

-- name: feed
-- The facts of all executions, in the order in which they became durable.
SELECT pos, history.eid, executions.id, organization, workflow, digest, history.seq, kind, data FROM history CROSS JOIN executions USING (eid)
WHERE pos > ? ORDER BY pos LIMIT ?;

-- name: feed_reached
-- The place of the last of so many facts after a place.
SELECT max(pos) FROM (SELECT pos FROM history WHERE pos > ? ORDER BY pos LIMIT ?) AS next;

-- name: feed_of
-- The facts of one organization between two places.
SELECT pos, history.eid, executions.id, organization, workflow, digest, history.seq, kind, data FROM history CROSS JOIN executions USING (eid)
WHERE pos > ? AND pos <= ? AND organization = ? ORDER BY pos LIMIT ?;

-- name: forgotten_up_to
-- Where the last fact stood that an organization has forgotten.
SELECT pos FROM forgotten WHERE organization = ?;
