-- What is alike is written together: one call, one transaction, and a list for each column. Whatever cannot be written ends all of it: then
-- the items are committed one after the other.

-- name: function
CREATE OR REPLACE FUNCTION pg_temp.write_together(
  owners text[],
  version_organizations text[], version_refs text[], version_workflows text[], version_digests text[],
  ids text[], organizations text[], workflows_ text[], digests text[], statuses text[], lives boolean[], wakes bigint[], new_owners text[],
  epochs bigint[], triggers text[], correlations text[], parents text[], parent_ops bigint[], depths bigint[], started bigint[], starts text[],
  key_organizations text[], key_texts text[], key_executions text[],
  quiet_ids text[], quiet_owners text[], quiet_epochs bigint[], quiet_afters bigint[],
  loud_ids text[], loud_owners text[], loud_epochs bigint[], loud_afters bigint[], loud_seqs bigint[], loud_statuses text[], loud_lives boolean[],
  loud_wakes bigint[], loud_waitings text[], loud_outputs text[], loud_errors text[], loud_ended bigint[], loud_progress boolean[],
  loud_release boolean[], loud_seen bigint[], loud_at bigint[],
  fact_ids text[], fact_seqs bigint[], fact_kinds text[], fact_data text[],
  seen_ids text[], seen_places bigint[],
  closed_ids text[], closed_ops bigint[],
  consumed_ids text[], consumed_events text[],
  opened_ids text[], opened_ops bigint[], opened_organizations text[], opened_patterns text[], opened_look_backs boolean[], opened_wilds bigint[],
  opened_places text[], opened_keys text[],
  looked_back_ids text[], looked_back_ops bigint[],
  event_organizations text[], event_ids text[], event_types text[], event_data text[],
  log_organizations text[], log_at bigint[], log_kinds text[], log_subjects text[], log_outcomes text[], log_reasons text[], log_executions text[],
  log_deliveries text[], log_requests text[], log_times bigint[], log_last_at bigint[],
  tells boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  found_ bigint;
  base bigint := base_place();
BEGIN
  PERFORM pg_advisory_xact_lock_shared(worker_lock(id)) FROM unnest(owners) AS given (id);
  IF EXISTS (SELECT 1 FROM workers WHERE id = ANY (owners) AND barred) THEN
    RAISE EXCEPTION USING ERRCODE = 'PD001';
  END IF;

  -- Versions that have to be the active ones.
  IF cardinality(version_workflows) > 0 AND EXISTS (
    SELECT 1 FROM unnest(version_organizations, version_refs, version_workflows, version_digests) AS given (organization, ref, workflow, digest)
    WHERE NOT EXISTS (
      SELECT 1 FROM (
        SELECT id, digest FROM workflows WHERE workflows.organization = given.organization AND (workflows.id = given.ref OR workflows.name = given.ref)
        ORDER BY workflows.id <> given.ref, workflows.digest IS NULL, workflows.id LIMIT 1
      ) AS meant WHERE meant.id = given.workflow AND meant.digest = given.digest
    )
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'PD001';
  END IF;

  -- The rows of executions are taken in the order of order.py; without this, they are only where they are written.
  IF cardinality(looked_back_ids) + cardinality(key_texts) > 0 THEN
    PERFORM 1 FROM executions WHERE id = ANY (loud_ids || looked_back_ids) ORDER BY id COLLATE "C" FOR UPDATE;
  END IF;

  -- A key that has been used, and an execution that exists, are told of one by one.
  IF cardinality(key_texts) > 0 THEN
    INSERT INTO idempotency (organization, key, execution)
    SELECT * FROM unnest(key_organizations, key_texts, key_executions) AS given (organization, key, execution)
    ORDER BY organization COLLATE "C", key COLLATE "C";
  END IF;
  IF cardinality(ids) > 0 THEN
    INSERT INTO executions (id, organization, workflow, digest, status, live, ready, wake_at, owner, epoch, "trigger", correlation_id, parent,
      parent_op, depth, started_at, start, status_at)
    SELECT id, organization, workflow, digest, status, live, true, wake_at, owner, epoch, trigger_, correlation_id, parent, parent_op, depth,
      started_at, start, started_at
    FROM unnest(ids, organizations, workflows_, digests, statuses, lives, wakes, new_owners, epochs, triggers, correlations, parents, parent_ops,
      depths, started, starts) AS given (id, organization, workflow, digest, status, live, wake_at, owner, epoch, trigger_, correlation_id,
      parent, parent_op, depth, started_at, start);
  END IF;

  -- Steps that change nothing of their row. (They are found by their id: the index of owners would lead to all that a worker has.)
  IF cardinality(quiet_ids) > 0 THEN
    SELECT count(*) INTO found_ FROM unnest(quiet_ids, quiet_owners, quiet_epochs, quiet_afters) AS given (id, owner, epoch, after)
    JOIN executions ON executions.id = given.id AND coalesce(executions.owner, '') = given.owner AND executions.epoch = given.epoch
    WHERE (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = given.after;
    IF found_ <> cardinality(quiet_ids) THEN
      RAISE EXCEPTION USING ERRCODE = 'PD001';
    END IF;
  END IF;

  IF cardinality(loud_ids) > 0 THEN
    UPDATE executions SET seq = given.seq, status = given.status, live = given.live, wake_at = given.wake_at, waiting = given.waiting,
      output = given.output, error = given.error, ended_at = given.ended_at, start = NULL, mail = mail - given.seen, ready = mail > given.seen,
      crashes = CASE WHEN given.progress THEN 0 ELSE crashes END,
      owner = CASE WHEN given.release THEN NULL ELSE executions.owner END,
      status_at = CASE WHEN executions.status = given.status THEN status_at ELSE coalesce(given.ended_at, given.at) END
    FROM unnest(loud_ids, loud_owners, loud_epochs, loud_afters, loud_seqs, loud_statuses, loud_lives, loud_wakes, loud_waitings, loud_outputs,
      loud_errors, loud_ended, loud_progress, loud_release, loud_seen, loud_at) AS given (id, owner, epoch, after, seq, status, live, wake_at, waiting,
      output, error, ended_at, progress, release, seen, at)
    WHERE executions.id = given.id AND coalesce(executions.owner, '') = given.owner AND executions.epoch = given.epoch
      AND (SELECT coalesce(max(history.seq), 0) FROM history WHERE history.eid = executions.eid) = given.after
      AND NOT (given.release AND executions.mail > given.seen);  -- somebody has written to it, and it is not let go of
    GET DIAGNOSTICS found_ = ROW_COUNT;
    IF found_ <> cardinality(loud_ids) THEN
      RAISE EXCEPTION USING ERRCODE = 'PD001';
    END IF;
  END IF;

  -- Letters that have been read, waits that have begun and ended (one may have done both), and events that were in the letters.
  IF cardinality(seen_ids) > 0 THEN
    DELETE FROM inbox USING unnest(seen_ids, seen_places) AS given (id, place) JOIN executions ON executions.id = given.id
    WHERE inbox.pos = given.place AND inbox.eid = executions.eid;
    GET DIAGNOSTICS found_ = ROW_COUNT;
    IF found_ <> cardinality(seen_ids) THEN
      RAISE EXCEPTION USING ERRCODE = 'PD001';
    END IF;
  END IF;
  IF cardinality(opened_ids) > 0 THEN
    INSERT INTO waits (eid, op, organization, pattern, look_back, wild, place, key)
    SELECT executions.eid, given.op, given.organization, given.pattern, given.look_back, given.wild, given.place, given.key
    FROM unnest(opened_ids, opened_ops, opened_organizations, opened_patterns, opened_look_backs, opened_wilds, opened_places, opened_keys)
      AS given (id, op, organization, pattern, look_back, wild, place, key)
    JOIN executions ON executions.id = given.id
    ON CONFLICT (eid, op) DO UPDATE SET organization = excluded.organization, pattern = excluded.pattern, look_back = excluded.look_back,
      wild = excluded.wild, place = excluded.place, key = excluded.key;
  END IF;
  IF cardinality(closed_ids) > 0 THEN
    DELETE FROM waits USING unnest(closed_ids, closed_ops) AS given (id, op) JOIN executions ON executions.id = given.id
    WHERE waits.eid = executions.eid AND waits.op = given.op;
  END IF;
  IF cardinality(looked_back_ids) > 0 THEN
    UPDATE waits SET look_back = false FROM unnest(looked_back_ids, looked_back_ops) AS given (id, op) JOIN executions ON executions.id = given.id
    WHERE waits.eid = executions.eid AND waits.op = given.op;
  END IF;
  IF cardinality(consumed_ids) > 0 THEN
    INSERT INTO consumed (eid, event)
    SELECT executions.eid, given.event FROM unnest(consumed_ids, consumed_events) AS given (id, event) JOIN executions ON executions.id = given.id
    ON CONFLICT DO NOTHING;
  END IF;

  INSERT INTO history (pos, eid, seq, kind, data)
  SELECT base + n, executions.eid, given.seq, given.kind, given.data
  FROM unnest(fact_ids, fact_seqs, fact_kinds, fact_data) WITH ORDINALITY AS given (id, seq, kind, data, n)
  JOIN executions ON executions.id = given.id;

  -- Whether an event concerns anybody is asked when it is durable: whoever begins to wait at this moment looks back before or after that.
  IF cardinality(event_ids) > 0 THEN
    INSERT INTO events (pos, organization, id, type, routed, data)
    SELECT base + n, organization, id, type, false, data
    FROM unnest(event_organizations, event_ids, event_types, event_data) WITH ORDINALITY AS given (organization, id, type, data, n)
    ON CONFLICT (organization, id) DO NOTHING;
  END IF;
  -- What has started them.
  IF cardinality(log_executions) > 0 THEN
    INSERT INTO trigger_log (organization, at, kind, subject, outcome, reason, execution, delivery, request, times, last_at)
    SELECT * FROM unnest(log_organizations, log_at, log_kinds, log_subjects, log_outcomes, log_reasons, log_executions, log_deliveries,
      log_requests, log_times, log_last_at);
  END IF;
  IF tells THEN
    PERFORM pg_notify('perdure_' || current_schema(), '');
  END IF;
END
$$;

-- name: sharing
-- One after the other: whether somebody has taken over is asked when nobody can any more.
CREATE OR REPLACE FUNCTION pg_temp.share(owners text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(worker_lock(id)) FROM unnest(owners) AS given (id);
  RETURN QUERY SELECT id FROM workers WHERE id = ANY (owners) AND barred;
END
$$;

-- name: routing
-- Events that nobody can be waiting for, and that start nothing, need not be looked at one by one. If that is lost, it is done again: nobody waits
-- for it to be durable. Whether others are left.
CREATE OR REPLACE FUNCTION pg_temp.route_to_nobody(at_once bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE events SET routed = true WHERE pos IN (
    SELECT pos FROM events WHERE NOT routed AND NOT EXISTS (
        SELECT 1 FROM waits WHERE waits.organization = events.organization AND pattern >= '#' AND pattern < '+'
      ) AND NOT EXISTS (
        SELECT 1 FROM waits WHERE waits.organization = events.organization
          AND pattern >= split_part(type, '.', 1) AND pattern < split_part(type, '.', 1) || '/'
      ) AND NOT EXISTS (
        SELECT 1 FROM subscriptions WHERE subscriptions.organization = events.organization
          AND (pattern >= '#' AND pattern < '+' OR pattern >= split_part(type, '.', 1) AND pattern < split_part(type, '.', 1) || '/')
      ) ORDER BY pos LIMIT at_once FOR UPDATE SKIP LOCKED
  );
  RETURN EXISTS (SELECT 1 FROM events WHERE NOT routed);
END
$$;

-- name: write
SELECT pg_temp.write_together(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
