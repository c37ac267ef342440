-- Answers, the log of triggers and the last uses of keys, as every database understands it.

-- name: promise
-- A key that nobody has used, or the promise of the same request that is void. What is sent again is the same.
INSERT INTO answers (organization, key, request, promised_by, promised_at, until) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (organization, key) DO UPDATE SET promised_by = excluded.promised_by, promised_at = excluded.promised_at, until = excluded.until
WHERE answers.status IS NULL AND answers.request = excluded.request
  AND (answers.until <= excluded.promised_at OR answers.promised_by = excluded.promised_by)
RETURNING key;

-- name: give_answer
UPDATE answers SET answered_at = ?, status = ?, content_type = ?, headers = ?, body = ?
WHERE organization = ? AND key = ? AND promised_by = ? RETURNING key;

-- name: withdraw_promise
DELETE FROM answers WHERE organization = ? AND key = ? AND promised_by = ? AND status IS NULL;

-- name: answer_of
SELECT request, promised_by, promised_at, until, answered_at, status, content_type, headers, body FROM answers WHERE organization = ? AND key = ?;

-- name: nth_newest
-- When the newest but so many of an outcome came; and the place of the newest.
SELECT at, (SELECT pos FROM trigger_log WHERE organization = ?1 AND outcome = ?2 ORDER BY pos DESC LIMIT 1) AS last FROM trigger_log
WHERE organization = ?1 AND outcome = ?2 ORDER BY pos DESC LIMIT 1 OFFSET ?3;

-- name: insert_trigger
INSERT INTO trigger_log (organization, at, kind, subject, outcome, reason, execution, delivery, request, times, last_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: count_on
UPDATE trigger_log SET times = times + ?, last_at = ? WHERE pos = ?;

-- name: triggers
SELECT pos, at, kind, subject, outcome, reason, execution, delivery, request, times, last_at, organization FROM trigger_log
WHERE organization = :organization AND pos < :before AND at >= :since AND at < :until ORDER BY pos DESC LIMIT :limit;

-- name: triggers_with_outcome
SELECT pos, at, kind, subject, outcome, reason, execution, delivery, request, times, last_at, organization FROM trigger_log
WHERE organization = :organization AND outcome = :outcome AND pos < :before AND at >= :since AND at < :until ORDER BY pos DESC LIMIT :limit;

-- name: triggers_of_subject
SELECT pos, at, kind, subject, outcome, reason, execution, delivery, request, times, last_at, organization FROM trigger_log
WHERE organization = :organization AND subject = :subject AND pos < :before AND at >= :since AND at < :until ORDER BY pos DESC LIMIT :limit;

-- name: triggers_of_subject_with_outcome
SELECT pos, at, kind, subject, outcome, reason, execution, delivery, request, times, last_at, organization FROM trigger_log
WHERE organization = :organization AND subject = :subject AND outcome = :outcome AND pos < :before AND at >= :since AND at < :until
ORDER BY pos DESC LIMIT :limit;

-- name: use_key
-- Once a minute, whoever uses it.
INSERT INTO key_uses (organization, id, at) VALUES (?, ?, ?)
ON CONFLICT (organization, id) DO UPDATE SET at = excluded.at WHERE key_uses.at <= excluded.at - 60000;

-- name: key_uses
SELECT id, at FROM key_uses WHERE organization = ?;

-- name: oldest_answer
SELECT 1 FROM answers WHERE promised_at < ? LIMIT 1;

-- name: forget_answers
DELETE FROM answers WHERE (organization, key) IN (SELECT organization, key FROM answers WHERE promised_at < ? ORDER BY promised_at LIMIT ?)
RETURNING key;

-- name: spans_of_triggers
-- The next few organizations with rows, the places of their first and their last, and when the first came.
WITH RECURSIVE found (organization, number) AS (
  SELECT (SELECT min(organization) FROM trigger_log WHERE organization > :after), 1
  UNION ALL
  SELECT (SELECT min(organization) FROM trigger_log WHERE trigger_log.organization > found.organization), number + 1 FROM found
  WHERE found.organization IS NOT NULL AND number < :limit
)
SELECT organization,
  (SELECT pos FROM trigger_log AS mine WHERE mine.organization = found.organization ORDER BY pos LIMIT 1),
  (SELECT pos FROM trigger_log AS mine WHERE mine.organization = found.organization ORDER BY pos DESC LIMIT 1),
  (SELECT at FROM trigger_log AS mine WHERE mine.organization = found.organization ORDER BY pos LIMIT 1)
FROM found WHERE organization IS NOT NULL ORDER BY number;

-- name: last_beyond
-- The newest row of an organization after so many that are newer.
SELECT pos FROM trigger_log WHERE organization = ? ORDER BY pos DESC LIMIT 1 OFFSET ?;

-- name: forget_triggers
-- Of the oldest few of an organization, those that are too old or too many.
DELETE FROM trigger_log WHERE pos IN (
  SELECT pos FROM (SELECT pos, at FROM trigger_log WHERE organization = :organization ORDER BY pos LIMIT :limit) AS oldest
  WHERE at < :before OR pos <= :floor)
RETURNING pos;

-- name: oldest_use
SELECT 1 FROM key_uses WHERE at < ? LIMIT 1;

-- name: forget_uses
DELETE FROM key_uses WHERE (organization, id) IN (SELECT organization, id FROM key_uses WHERE at < ? LIMIT ?) RETURNING id;
