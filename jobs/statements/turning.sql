-- name: make_chat!
INSERT INTO chats (workspace_id, chat_guid) VALUES (:workspace_id, :chat_guid) ON CONFLICT (chat_guid) DO NOTHING;

-- name: wait_at_most!
SELECT set_config('lock_timeout', :timeout, true);

-- name: begin_turn^
-- The update takes the lock of FOR NO KEY UPDATE, which no open enqueue stands in the way of.
UPDATE chats SET turn_no = turn_no + 1 WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid RETURNING *;

-- name: take_wakes!
-- After the lock and before anything is read: a wake that comes later is of what this turn may not have seen.
WITH gone AS (DELETE FROM chat_wakes WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid)
SELECT set_config('sayso.turn', :turn_no::text, true);

-- name: heard!
UPDATE chats SET unheard_since = NULL WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid;

-- name: hold_again!
UPDATE jobs SET release_at = greatest(release_at, (SELECT app_now()) + make_interval(secs => coalesce((ask ->> 'hold_seconds')::float, 0)))
 WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND status = 'resolved' AND finished_at IS NULL;

-- name: end_turn^
-- Looks ahead from the start of the transaction, so that what came due during the turn is not passed over. Probes of
-- jobs_waiting alone, however many wait. What is due and was not asked though nothing is open was locked by somebody: soon.
WITH since AS MATERIALIZED (SELECT coalesce(nullif(current_setting('sayso.now', true), '')::timestamptz, transaction_timestamp()) AS at),
opened AS MATERIALIZED (
  SELECT expects_reply FROM asks WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND closed_at IS NULL),
heads AS MATERIALIZED (
  SELECT line.needs_reply, oldest.not_before AS oldest, next.not_before AS next
    FROM since, (VALUES (true, 0), (true, 1), (true, 2), (false, 0), (false, 1), (false, 2)) AS line (needs_reply, rank)
   CROSS JOIN LATERAL (
     SELECT not_before FROM jobs j
      WHERE j.workspace_id = :workspace_id AND j.chat_guid = :chat_guid AND j.needs_reply = line.needs_reply
        AND j.rank = line.rank::smallint AND j.status = 'pending' ORDER BY not_before LIMIT 1) AS oldest
    LEFT JOIN LATERAL (
     SELECT not_before FROM jobs j
      WHERE j.workspace_id = :workspace_id AND j.chat_guid = :chat_guid AND j.needs_reply = line.needs_reply
        AND j.rank = line.rank::smallint AND j.status = 'pending' AND j.not_before > since.at ORDER BY not_before LIMIT 1) AS next ON true),
look AS (
  SELECT least(min(next), CASE WHEN bool_or(oldest <= since.at AND needs_reply NOT IN (SELECT expects_reply FROM opened))
                               THEN (SELECT app_now()) + interval '2 s' END) AS at,
         count(*) > 0 OR EXISTS (SELECT FROM opened)
         OR EXISTS (SELECT FROM jobs WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND status = 'resolved' AND finished_at IS NULL)
         AS something_lives
    FROM heads, since)
UPDATE chats SET turn_failures = 0, last_error = NULL,
       next_look_at = CASE WHEN something_lives THEN least(look.at, (SELECT app_now()) + interval '1 hour') END
  FROM look WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND turn_no = :turn_no
RETURNING next_look_at;

-- name: turn_failed!
UPDATE chats SET turn_failures = turn_failures + 1, last_error = :error,
       next_look_at = :now::timestamptz + least(interval '1 s' * 2 ^ least(turn_failures, 10), interval '1 min')
 WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid;

-- name: due_chats
-- A chat whose turns raise is left alone until its back-off is over, though its wakes stay.
SELECT c.workspace_id, c.chat_guid, w.wake_id, w.since
  FROM (SELECT workspace_id, chat_guid, max(id) AS wake_id, min(left_at) AS since FROM chat_wakes GROUP BY 1, 2) w
  JOIN chats c USING (workspace_id, chat_guid)
 WHERE c.turn_failures = 0 OR c.next_look_at IS NULL OR c.next_look_at <= :now
 UNION ALL
SELECT c.workspace_id, c.chat_guid, NULL, c.next_look_at
  FROM chats c
 WHERE c.next_look_at <= :now AND NOT EXISTS (SELECT FROM chat_wakes w WHERE (w.workspace_id, w.chat_guid) = (c.workspace_id, c.chat_guid));

-- name: due_finishes
SELECT id AS job_id, source, finish_attempts, finish_after FROM jobs
 WHERE finished_at IS NULL AND finish_after <= :now AND coalesce(finish_lease_until <= :now, true)
   AND (status <> 'resolved' OR NOT EXISTS (SELECT FROM chats c WHERE c.unheard_since IS NOT NULL
                                               AND (c.workspace_id, c.chat_guid) = (jobs.workspace_id, jobs.chat_guid)))
 ORDER BY finish_after LIMIT 1000;
