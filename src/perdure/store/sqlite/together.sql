-- What is alike is written together: all of it comes as JSON, in one statement, which runs without the interpreter.
-- Whatever cannot be written ends all of it: then the items are committed one after the other.

-- name: tables
-- Another process may have made them after this connection looked for the first time; within a trigger nobody looks again.
SELECT 1 FROM executions, workflows WHERE 0;

-- name: view
CREATE TEMP VIEW together AS
SELECT NULL AS versions, NULL AS executions, NULL AS quiet, NULL AS loud, NULL AS facts, NULL AS data, NULL AS events WHERE 0;

-- name: trigger
CREATE TEMP TRIGGER write_together INSTEAD OF INSERT ON together BEGIN
  -- [organization, ref, workflow, digest]: versions that have to be the active ones, of the workflow that this id or name means
  SELECT RAISE(ABORT, 'not all') FROM jsonb_each(NEW.versions) AS given WHERE NOT EXISTS (
    SELECT 1 FROM workflows
    WHERE organization = given.value ->> 0 AND id = given.value ->> 2 AND digest = given.value ->> 3
  ) OR given.value ->> 1 <> given.value ->> 2 AND given.value ->> 2 IS NOT (
    SELECT id FROM workflows
    WHERE organization = given.value ->> 0 AND (id = given.value ->> 1 OR name = given.value ->> 1)
    ORDER BY id <> given.value ->> 1, digest IS NULL, id LIMIT 1
  );

  INSERT INTO executions (id, organization, workflow, digest, status, live, ready, wake_at, owner, epoch, "trigger", correlation_id,
    parent, parent_op, depth, started_at, start, born, status_at)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, 1, value ->> 6, value ->> 7, value ->> 8, value ->> 9,
    value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14, value -> 15,
    coalesce((SELECT max(pos) FROM events), 0), value ->> 14
  FROM jsonb_each(NEW.executions);

  -- [id, owner, epoch, after]: steps that change nothing of their row
  SELECT RAISE(ABORT, 'not all') WHERE json_array_length(NEW.quiet) <> (
    SELECT count(*) FROM jsonb_each(NEW.quiet) AS given CROSS JOIN executions ON executions.id = given.value ->> 0
    WHERE executions.owner = given.value ->> 1 AND executions.epoch = given.value ->> 2
      AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = given.value ->> 3
  );

  -- [id, owner, epoch, after, seq, status, live, wake_at, waiting, output, error, ended_at, progress, whether it is let go of, at]
  UPDATE executions SET seq = given.seq, status = given.status, live = given.live, wake_at = given.wake_at,
    waiting = nullif(given.waiting, 'null'), output = nullif(given.output, 'null'), error = nullif(given.error, 'null'),
    ended_at = given.ended_at, start = NULL, ready = mail > 0, crashes = CASE WHEN given.progress THEN 0 ELSE crashes END,
    owner = CASE WHEN given.release THEN NULL ELSE executions.owner END,
    status_at = CASE WHEN executions.status = given.status THEN status_at ELSE coalesce(given.ended_at, given.at) END
  FROM (
    SELECT value ->> 0 AS id, value ->> 1 AS owner, value ->> 2 AS epoch, value ->> 3 AS after, value ->> 4 AS seq,
      value ->> 5 AS status, value ->> 6 AS live, value ->> 7 AS wake_at, value -> 8 AS waiting, value -> 9 AS output,
      value -> 10 AS error, value ->> 11 AS ended_at, value ->> 12 AS progress, value ->> 13 AS release, value ->> 14 AS at
    FROM jsonb_each(NEW.loud)
  ) AS given
  WHERE executions.id = given.id AND +executions.owner = given.owner AND executions.epoch = given.epoch
    AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = given.after
    AND NOT (given.release AND executions.mail > 0);  -- somebody has written to it, and it is not let go of
  SELECT RAISE(ABORT, 'not all') WHERE changes() <> json_array_length(NEW.loud);

  -- [id, seq, kind, where the fact begins in the data, how many bytes it has]
  INSERT INTO history (eid, seq, kind, data)
  SELECT (SELECT eid FROM executions WHERE id = value ->> 0), value ->> 1, value ->> 2,
    CAST(substr(NEW.data, value ->> 3, value ->> 4) AS TEXT)
  FROM jsonb_each(NEW.facts);

  -- [organization, id, type, first segment of the type, event]: what nobody may wait for need not be routed
  INSERT INTO events (organization, id, type, routed, data)
  SELECT value ->> 0, value ->> 1, value ->> 2, NOT EXISTS (
      SELECT 1 FROM waits WHERE organization = value ->> 0 AND pattern >= '#' AND pattern < '+'
    ) AND NOT EXISTS (
      SELECT 1 FROM waits WHERE organization = value ->> 0 AND pattern >= value ->> 3 AND pattern < (value ->> 3) || '/'
    ) AND NOT EXISTS (
      SELECT 1 FROM subscriptions WHERE organization = value ->> 0
        AND (pattern >= '#' AND pattern < '+' OR pattern >= value ->> 3 AND pattern < (value ->> 3) || '/')
    ), value -> 4
  FROM jsonb_each(NEW.events) WHERE true
  ON CONFLICT (organization, id) DO NOTHING;
END;

-- name: write
INSERT INTO together VALUES (?, ?, ?, ?, ?, ?, ?);
