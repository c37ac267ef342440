-- name: insert_execution
INSERT INTO executions (id, organization, workflow, digest, status, live, ready, wake_at, owner, epoch, "trigger", correlation_id,
  parent, parent_op, depth, started_at, start, status_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, true, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?15)
ON CONFLICT (id) DO NOTHING RETURNING 1;

-- name: insert_started_by
-- Before it lies what was there when the event came that starts it: all transactions before that one, but for those that have not ended yet. The
-- event itself, which came with others, it has had.
WITH new AS (INSERT INTO executions (id, organization, workflow, digest, status, live, ready, wake_at, owner, epoch, "trigger", correlation_id,
  parent, parent_op, depth, started_at, start, status_at, born)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, true, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?15, (least(came, pg_snapshot_xmin(seen)) || ':' || came || ':' || coalesce((
    SELECT string_agg(open::text, ',' ORDER BY open) FROM pg_snapshot_xip(seen) AS open WHERE open < came
  ), ''))::pg_snapshot
FROM (SELECT transaction_of(pos) AS came, seen_now() AS seen FROM events WHERE organization = ?2 AND events.id = ?17) AS event
ON CONFLICT (id) DO NOTHING RETURNING eid)
INSERT INTO consumed (eid, event) SELECT eid, ?17 FROM new;

-- name: advance
UPDATE executions SET status = ?1, live = ?2, wake_at = ?3, seq = ?4, waiting = ?5, output = ?6, error = ?7, ended_at = ?8,
  start = NULL, mail = mail - ?9, ready = mail > ?9,
  crashes = CASE WHEN ?10 THEN 0 ELSE crashes END,
  status_at = CASE WHEN status = ?1 THEN status_at ELSE coalesce(?8, ?16::bigint) END,
  owner = CASE WHEN ?11 AND mail = ?9 THEN NULL ELSE owner END
WHERE id = ?12 AND coalesce(owner, '') = ?13 AND epoch = ?14 AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = ?15
RETURNING eid, owner;

-- name: owned_after
SELECT eid, owner FROM executions WHERE id = ? AND coalesce(owner, '') = ? AND epoch = ? AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = ?;

-- name: copy_history
INSERT INTO history (pos, eid, seq, kind, scope, parts, data)
SELECT base_place() + :place + row_number() OVER (ORDER BY seq), :eid, seq, kind, scope, parts, data FROM history
WHERE eid = :origin AND seq <= :upto;

-- name: forked
UPDATE executions SET epoch = 1, ready = false, seq = ?2 WHERE eid = ?1;

-- name: hand_over
UPDATE executions SET owner = NULL, ready = (mail > 0 OR NOT ?4), seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid)
WHERE id = ?1 AND coalesce(owner, '') = ?2 AND epoch = ?3 RETURNING eid, digest;

-- name: park_owned
-- Its mail stays; it is not ready before the next letter comes.
UPDATE executions SET owner = NULL, ready = false, waiting = ?1, crashes = greatest(crashes, ?2), seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid),
  status = CASE WHEN ended_at IS NULL THEN 'waiting' ELSE status END, status_at = coalesce(ended_at, ?3)
WHERE id = ?4 AND coalesce(owner, '') = ?5 AND epoch = ?6 RETURNING eid;

-- name: decline_event
UPDATE events SET routed = true, declined = ? WHERE organization = ? AND id = ? AND NOT routed RETURNING pos;

-- name: reroute_event
UPDATE events SET routed = false, declined = NULL WHERE organization = ? AND id = ? AND routed AND declined LIKE '[["",%' RETURNING pos;

-- name: insert_uncalled
INSERT INTO uncalled (eid, op, task) SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::text[]);

-- name: take_uncalled
DELETE FROM uncalled WHERE eid IN (SELECT value::bigint FROM json_array_elements_text(?::json) AS given (value)) RETURNING eid, op, task;

-- name: ownership
SELECT eid, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), owner FROM executions WHERE id = ? AND coalesce(owner, '') = ? AND epoch = ? FOR UPDATE;

-- name: seen
-- Letters that whoever owns the execution has read, if it is that one and has come so far.
DELETE FROM inbox WHERE pos IN (SELECT value::bigint FROM json_array_elements_text(?::json) AS given (value)) AND eid = (
  SELECT eid FROM executions WHERE id = ? AND coalesce(owner, '') = ? AND epoch = ?
    AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = ?
) RETURNING pos;

-- name: epoch
SELECT eid, (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid), owner FROM executions WHERE id = ? AND epoch = ? FOR UPDATE;

-- name: insert_fact
INSERT INTO history (pos, eid, seq, kind, scope, parts, data)
SELECT base_place() + :place + n, eid, seq, kind, scope, parts, data
FROM unnest(?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::text[]) WITH ORDINALITY AS given (eid, seq, kind, scope, parts, data, n);

-- name: insert_consumed
INSERT INTO consumed (eid, event) VALUES (?, ?) ON CONFLICT DO NOTHING;

-- name: open_wait
INSERT INTO waits (eid, op, organization, pattern, look_back, wild, place, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (eid, op) DO UPDATE SET organization = excluded.organization, pattern = excluded.pattern, look_back = excluded.look_back,
  wild = excluded.wild, place = excluded.place, key = excluded.key;

-- name: approval
SELECT data FROM approval_items WHERE id = ? FOR UPDATE;

-- name: approval_of
SELECT approval_items.data FROM approval_items JOIN executions USING (eid) WHERE executions.id = ? AND approval_items.op = ? FOR UPDATE OF approval_items;

-- name: row_for_mail
SELECT eid, live, status FROM executions WHERE id = ? FOR UPDATE;

-- name: insert_mail
INSERT INTO inbox (pos, eid, data) VALUES (base_place() + :place + 1, ?, ?);

-- name: count_mail
UPDATE executions SET mail = mail + 1, ready = true WHERE eid = ?;

-- name: insert_event
INSERT INTO events (pos, organization, id, type, routed, data)
SELECT base_place() + :place + n, organization, id, type, routed, data
FROM unnest(?::text[], ?::text[], ?::text[], ?::boolean[], ?::text[]) WITH ORDINALITY AS given (organization, id, type, routed, data, n)
ON CONFLICT (organization, id) DO NOTHING RETURNING 1;

-- name: deliver_event
-- Once to each of these executions, until it is declined; not to those that have ended, or have had it.
WITH target AS (
  SELECT eid FROM executions WHERE id = ANY (?1::text[]) AND live
    AND NOT EXISTS (SELECT 1 FROM consumed WHERE consumed.eid = executions.eid AND consumed.event = ?2)
), delivered AS (
  INSERT INTO deliveries (eid, event) SELECT eid, ?2 FROM target ON CONFLICT DO NOTHING RETURNING eid
), posted AS (
  INSERT INTO inbox (pos, eid, data) SELECT base_place() + :place + row_number() OVER (ORDER BY eid), eid, ?3 FROM delivered RETURNING eid
)
UPDATE executions SET mail = mail + 1, ready = true FROM posted WHERE executions.eid = posted.eid;

-- name: route_event
-- The same, if it was not routed as far, and now is. Whether it is, to how many it was delivered, and how many of those are nobody's.
WITH moved AS (
  UPDATE events SET routed = ?6::bigint IS NULL, reached = coalesce(?6::bigint, reached), declined = coalesce(?7::text, declined)
  WHERE organization = ?4 AND id = ?2 AND reached = ?5::bigint AND NOT routed RETURNING pos
), target AS (
  SELECT eid FROM executions WHERE id = ANY (?1::text[]) AND live
    AND NOT EXISTS (SELECT 1 FROM consumed WHERE consumed.eid = executions.eid AND consumed.event = ?2)
    AND EXISTS (SELECT 1 FROM moved)
), delivered AS (
  INSERT INTO deliveries (eid, event) SELECT eid, ?2 FROM target ON CONFLICT DO NOTHING RETURNING eid
), posted AS (
  INSERT INTO inbox (pos, eid, data) SELECT base_place() + :place + row_number() OVER (ORDER BY eid), eid, ?3 FROM delivered RETURNING eid
), told AS (
  UPDATE executions SET mail = mail + 1, ready = true FROM posted WHERE executions.eid = posted.eid RETURNING owner
)
SELECT EXISTS (SELECT 1 FROM moved), count(*), count(*) FILTER (WHERE owner IS NULL) FROM told;

-- name: looked_back
UPDATE waits SET look_back = false WHERE eid = ? AND op = ?;

-- name: living
-- Those of them that live at a time; None: now, by the clock of the database.
SELECT id FROM workers WHERE id = ANY (?::text[]) AND NOT barred
  AND lease_until > coalesce(?::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);

-- name: clock
-- The time of the database, in epoch milliseconds.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- name: take_cards
-- What others may write as well is taken in one order by all: see order.py. Cards by the locks of registers.sql, in the order given.
SELECT pg_advisory_xact_lock(worker_lock('card:' || called)) FROM unnest(?::text[]) AS given (called);

-- name: take_workflows
-- The collation is that of Python.
SELECT 1 FROM unnest(?::text[], ?::text[]) AS given (organization, id)
JOIN workflows USING (organization, id) ORDER BY organization COLLATE "C", id COLLATE "C" FOR UPDATE OF workflows;

-- name: take_events
SELECT pos FROM unnest(?::text[], ?::text[]) AS given (organization, id) JOIN events USING (organization, id)
WHERE NOT routed ORDER BY organization COLLATE "C", id COLLATE "C" FOR UPDATE OF events;

-- name: take_several_schedules
SELECT 1 FROM unnest(?::text[], ?::text[], ?::text[]) AS given (organization, workflow, id)
JOIN schedules USING (organization, workflow, id) ORDER BY organization COLLATE "C", workflow COLLATE "C", id COLLATE "C" FOR UPDATE OF schedules;

-- name: take_approvals
SELECT eid FROM approval_items WHERE id IN (
  SELECT unnest(?::text[])
  UNION ALL
  SELECT asked.id FROM unnest(?::text[], ?::bigint[]) AS given (execution, op)
  JOIN executions ON executions.id = given.execution JOIN approval_items AS asked ON asked.eid = executions.eid AND asked.op = given.op
) ORDER BY id COLLATE "C" FOR UPDATE;

-- name: take_executions
SELECT eid FROM executions WHERE id = ANY (?::text[]) OR eid = ANY (?::bigint[]) ORDER BY id COLLATE "C" FOR UPDATE;

-- name: share
-- These workers write now, and nobody takes over from them until this transaction ends; those of them that somebody has taken over from.
SELECT pg_temp.share(?::text[]);

-- name: barred
-- Those of them that somebody has taken over from.
SELECT id FROM workers WHERE id = ANY (?::text[]) AND barred;

-- name: cut_off
-- Whoever has a transaction open and has kept the server waiting for so many seconds, to say more or to hear the answer.
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE application_name = current_setting('application_name') AND usename = current_user AND datname = current_database()
  AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND wait_event_type = 'Client'
  AND state_change < clock_timestamp() - make_interval(secs => ?);

-- name: try_to_bar
-- Whether it does not write at this moment, and will not before this transaction ends.
SELECT pg_try_advisory_xact_lock(worker_lock(?));

-- name: bar
-- Whatever it writes from now on for what it owned is refused.
INSERT INTO workers (id, lease_until, barred) VALUES (?, 0, true) ON CONFLICT (id) DO UPDATE SET barred = true;

-- name: notify
-- Others may have something to do. The channel has the name of the schema.
SELECT pg_notify('perdure_' || current_schema(), '');

-- name: route_to_nobody
SELECT pg_temp.route_to_nobody(?);

-- name: owned_by
SELECT eid FROM executions WHERE owner = ? ORDER BY crashes DESC LIMIT ? FOR UPDATE SKIP LOCKED;

-- name: ready
SELECT eid, organization FROM executions WHERE ready AND owner IS NULL AND (mail > 0 OR crashes < :suspect)
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
ORDER BY eid LIMIT :limit FOR UPDATE SKIP LOCKED;

-- name: due
SELECT eid, organization FROM executions WHERE owner IS NULL AND live AND wake_at <= :now AND crashes < :suspect
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
ORDER BY wake_at LIMIT :limit FOR UPDATE SKIP LOCKED;

-- name: callable
-- What waits for a task that the worker has. Most of the time, nothing does, and then nothing else is looked at.
SELECT eid, organization FROM executions WHERE eid = ANY (ARRAY(
    SELECT uncalled.eid FROM workers CROSS JOIN json_array_elements_text(workers.tasks::json) AS has (task)
    JOIN uncalled ON uncalled.task = has.task WHERE workers.id = :worker LIMIT 10000
  )) AND owner IS NULL AND crashes < :suspect
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
LIMIT :limit FOR UPDATE SKIP LOCKED;

-- name: ready_organizations
-- Organizations that have something ready, in the order of their ids, after one of them.
WITH RECURSIVE found (organization) AS (
  SELECT min(organization) FROM executions WHERE ready AND owner IS NULL AND organization > :after
  UNION ALL
  SELECT (SELECT min(organization) FROM executions WHERE ready AND owner IS NULL AND organization > found.organization) FROM found
  WHERE found.organization IS NOT NULL
)
SELECT organization FROM found WHERE organization IS NOT NULL LIMIT :count;

-- name: due_organizations
-- Organizations that have something that is due, now or later.
WITH RECURSIVE found (organization) AS (
  SELECT min(organization) FROM executions WHERE owner IS NULL AND live AND wake_at IS NOT NULL AND organization > :after
  UNION ALL
  SELECT (SELECT min(organization) FROM executions WHERE owner IS NULL AND live AND wake_at IS NOT NULL AND organization > found.organization) FROM found
  WHERE found.organization IS NOT NULL
)
SELECT organization FROM found WHERE organization IS NOT NULL LIMIT :count;

-- name: ready_of
SELECT eid, organization FROM executions WHERE organization = :organization AND ready AND owner IS NULL AND (mail > 0 OR crashes < :suspect)
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
ORDER BY eid LIMIT :share FOR UPDATE SKIP LOCKED;

-- name: due_of
SELECT eid, organization FROM executions WHERE organization = :organization AND owner IS NULL AND live AND wake_at <= :now AND crashes < :suspect
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
ORDER BY wake_at LIMIT :share FOR UPDATE SKIP LOCKED;

-- name: callable_in_turn
-- The first of each organization, then the second of each, and so on.
SELECT eid, organization FROM executions WHERE eid = ANY (ARRAY(
    SELECT eid FROM (
      SELECT eid, row_number() OVER (PARTITION BY organization ORDER BY eid) AS place FROM executions WHERE eid = ANY (ARRAY(
          SELECT uncalled.eid FROM workers CROSS JOIN json_array_elements_text(workers.tasks::json) AS has (task)
          JOIN uncalled ON uncalled.task = has.task WHERE workers.id = :worker LIMIT 10000
        )) AND owner IS NULL AND crashes < :suspect
        AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
        AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
    ) AS places ORDER BY place, eid LIMIT :limit
  )) AND owner IS NULL FOR UPDATE SKIP LOCKED;

-- name: suspect_callable
-- Of the suspects, the one first that has been alone with the fewest dead workers, so that all of them are tried.
SELECT eid FROM executions WHERE eid = ANY (ARRAY(
    SELECT uncalled.eid FROM workers CROSS JOIN json_array_elements_text(workers.tasks::json) AS has (task)
    JOIN uncalled ON uncalled.task = has.task WHERE workers.id = :worker LIMIT 10000
  )) AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
ORDER BY deaths_alone, executions.eid LIMIT 1 FOR UPDATE SKIP LOCKED;

-- name: suspect_ready
SELECT eid FROM executions WHERE ready AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
ORDER BY deaths_alone, eid LIMIT 1 FOR UPDATE SKIP LOCKED;

-- name: suspect_due
SELECT eid FROM executions WHERE owner IS NULL AND live AND wake_at <= :now AND crashes >= :suspect AND crashes < :crashes
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
ORDER BY deaths_alone, wake_at LIMIT 1 FOR UPDATE SKIP LOCKED;

-- name: queue
UPDATE executions SET owner = NULL, ready = true, seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) WHERE eid = ?;

-- name: take
UPDATE executions SET owner = ?, epoch = epoch + 1, seq = (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid)
WHERE eid IN (SELECT value::bigint FROM json_array_elements_text(?::json) AS given (value))
RETURNING eid, epoch, start, crashes, id, organization, workflow, digest, status, live, wake_at, seq, waiting, output, error, "trigger",
  correlation_id, parent, parent_op, depth, started_at, ended_at;

-- name: snapshots_of
SELECT eid, data FROM snapshots WHERE eid IN (SELECT value::bigint FROM json_array_elements_text(?::json) AS given (value)) AND form = ?;

-- name: facts_since_snapshots
-- All facts, of an execution without a snapshot of this form.
SELECT history.eid, history.seq, parts, history.data FROM json_array_elements_text(?::json) AS given (value)
JOIN history ON history.eid = value::bigint
  AND history.seq > coalesce((SELECT snapshots.seq FROM snapshots WHERE snapshots.eid = value::bigint AND form = ?), 0)
ORDER BY history.eid, history.seq;

-- name: mail_of
SELECT eid, pos, data FROM inbox WHERE eid IN (SELECT value::bigint FROM json_array_elements_text(?::json) AS given (value)) ORDER BY eid, pos;

-- name: lookbacks
SELECT op, pattern, place, key, executions.id, executions.organization, executions.born::text, waits.eid
FROM waits JOIN executions USING (eid) WHERE look_back ORDER BY waits.eid, op LIMIT ?;

-- name: events_since
SELECT pos, type, data FROM events
WHERE organization = ?1 AND pos >= place_of(pg_snapshot_xmin(?2::pg_snapshot)) AND NOT pg_visible_in_snapshot(transaction_of(pos), ?2::pg_snapshot)
  AND NOT EXISTS (SELECT 1 FROM consumed WHERE eid = ?3 AND event = events.id) ORDER BY pos;

-- name: events_since_of
-- The same, of one type.
SELECT pos, type, data FROM events
WHERE organization = ?1 AND pos >= place_of(pg_snapshot_xmin(?2::pg_snapshot)) AND NOT pg_visible_in_snapshot(transaction_of(pos), ?2::pg_snapshot)
  AND NOT EXISTS (SELECT 1 FROM consumed WHERE eid = ?3 AND event = events.id) AND type = ?4 AND type NOT LIKE 'workflow.%' ORDER BY pos;

-- name: events_since_like
-- The same, of types that begin alike.
SELECT pos, type, data FROM events
WHERE organization = ?1 AND pos >= place_of(pg_snapshot_xmin(?2::pg_snapshot)) AND NOT pg_visible_in_snapshot(transaction_of(pos), ?2::pg_snapshot)
  AND NOT EXISTS (SELECT 1 FROM consumed WHERE eid = ?3 AND event = events.id) AND type >= ?4 AND type < ?5 AND type NOT LIKE 'workflow.%' ORDER BY pos;

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
    SELECT json_agg(place)::text FROM found WHERE place IS NOT NULL
  ), (
    WITH RECURSIVE found (pattern) AS (
      SELECT min(pattern) FROM waits WHERE waits.organization = events.organization AND wild = 1
      UNION ALL
      SELECT (
        SELECT min(pattern) FROM waits WHERE waits.organization = events.organization AND wild = 1 AND pattern > found.pattern
      ) FROM found WHERE found.pattern IS NOT NULL
    )
    SELECT json_agg(pattern)::text FROM found WHERE pattern IS NOT NULL
  ), id
FROM events WHERE NOT routed ORDER BY pos LIMIT ?;

-- name: unrouted_organizations
-- Organizations that have unrouted events, in the order of their ids, after one of them.
WITH RECURSIVE found (organization) AS (
  SELECT min(organization) FROM events WHERE NOT routed AND organization > :after
  UNION ALL
  SELECT (SELECT min(organization) FROM events WHERE NOT routed AND organization > found.organization) FROM found
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
    SELECT json_agg(place)::text FROM found WHERE place IS NOT NULL
  ), (
    WITH RECURSIVE found (pattern) AS (
      SELECT min(pattern) FROM waits WHERE waits.organization = events.organization AND wild = 1
      UNION ALL
      SELECT (
        SELECT min(pattern) FROM waits WHERE waits.organization = events.organization AND wild = 1 AND pattern > found.pattern
      ) FROM found WHERE found.pattern IS NOT NULL
    )
    SELECT json_agg(pattern)::text FROM found WHERE pattern IS NOT NULL
  ), id
FROM events WHERE organization = :organization AND NOT routed ORDER BY pos LIMIT :share;

-- name: waiting_for
-- Whoever was there when the event came: one that began later may wait by the time it is routed, and it is not for that one.
SELECT waits.eid, executions.id FROM waits JOIN executions USING (eid)
WHERE waits.organization = ? AND pattern = ? AND place = ? AND key = ? AND waits.eid > ?
  AND NOT pg_visible_in_snapshot(transaction_of(?), born) ORDER BY waits.eid LIMIT ?;

-- name: waiting_at
-- The same, whatever their key.
SELECT waits.eid, executions.id FROM waits JOIN executions USING (eid)
WHERE waits.organization = ? AND pattern = ? AND place = ? AND waits.eid > ?
  AND NOT pg_visible_in_snapshot(transaction_of(?), born) ORDER BY waits.eid LIMIT ?;

-- name: stirs
-- Whether there is something to claim; whether there is a suspect; whether there is something to poll.
SELECT EXISTS (
    SELECT 1 FROM executions WHERE ready AND owner IS NULL AND (mail > 0 OR crashes < :suspect)
      AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
      AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
  ) OR EXISTS (
    SELECT 1 FROM executions WHERE owner IS NULL AND live AND wake_at <= :now AND crashes < :suspect
      AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
      AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
  ) OR EXISTS (
    SELECT 1 FROM executions WHERE eid = ANY (ARRAY(
        SELECT uncalled.eid FROM workers CROSS JOIN json_array_elements_text(workers.tasks::json) AS has (task)
        JOIN uncalled ON uncalled.task = has.task WHERE workers.id = :worker LIMIT 10000
      )) AND owner IS NULL AND crashes < :suspect
      AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
      AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
  ),
  EXISTS (
    SELECT 1 FROM executions WHERE ready AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
      AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
      AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
  ) OR EXISTS (
    SELECT 1 FROM executions WHERE owner IS NULL AND live AND wake_at <= :now AND crashes >= :suspect AND crashes < :crashes
      AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
      AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
  ) OR EXISTS (
    SELECT 1 FROM executions WHERE eid = ANY (ARRAY(
        SELECT uncalled.eid FROM workers CROSS JOIN json_array_elements_text(workers.tasks::json) AS has (task)
        JOIN uncalled ON uncalled.task = has.task WHERE workers.id = :worker LIMIT 10000
      )) AND owner IS NULL AND crashes >= :suspect AND crashes < :crashes
      AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
      AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value))
  ),
  EXISTS (SELECT 1 FROM executions WHERE owner = :worker AND mail > 0)
  OR EXISTS (SELECT 1 FROM events WHERE NOT routed)
  OR EXISTS (SELECT 1 FROM waits WHERE look_back)
  OR EXISTS (SELECT 1 FROM schedules WHERE paused = 0 AND next_at <= :now AND form = :form);

-- name: next_due
SELECT least(coalesce(min(wake_at), :never), (SELECT min(next_at) FROM schedules WHERE paused = 0 AND form = :form)) FROM executions
WHERE owner IS NULL AND live AND wake_at IS NOT NULL AND crashes < :suspect
  AND eid NOT IN (SELECT value::bigint FROM json_array_elements_text(:executions::json) AS given (value))
  AND digest NOT IN (SELECT value FROM json_array_elements_text(:versions::json) AS given (value));

-- name: newest
-- The time of what was written last. Of a long fact, the data is elsewhere; so a few of the last are looked at.
SELECT max(at) FROM (
  SELECT number_in(readable(data), 'at') AS at FROM (SELECT data FROM history ORDER BY pos DESC LIMIT 20) AS facts
  UNION ALL SELECT number_in(readable(data), 'at') FROM (SELECT data FROM events ORDER BY pos DESC LIMIT 20) AS came
  UNION ALL SELECT number_in(readable(data), 'at') FROM (SELECT data FROM audit ORDER BY pos DESC LIMIT 20) AS entries) AS latest;

-- name: last_pos
SELECT horizon() - 1;

-- name: feed
-- The facts of all executions, in the order in which they became durable: as far as nothing can come between any more.
SELECT pos, history.eid, executions.id, organization, workflow, digest, history.seq, kind, data FROM history JOIN executions USING (eid)
WHERE pos > ? AND pos < horizon() ORDER BY pos LIMIT ?;

-- name: feed_reached
-- The place of the last of so many facts after a place.
SELECT max(pos) FROM (SELECT pos FROM history WHERE pos > ? AND pos < horizon() ORDER BY pos LIMIT ?) AS next;

-- name: feed_of
-- The facts of one organization between two places.
SELECT pos, history.eid, executions.id, organization, workflow, digest, history.seq, kind, data FROM history JOIN executions USING (eid)
WHERE pos > ? AND pos <= ? AND organization = ? ORDER BY pos LIMIT ?;

-- name: forgotten_up_to
-- Where the last fact stood that an organization has forgotten.
SELECT pos FROM forgotten WHERE organization = ?;

-- name: share_workflow
-- Nobody else saves or activates it until this transaction ends.
SELECT pg_advisory_xact_lock(worker_lock(?));
