-- name: open_ask^
SELECT * FROM asks WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND closed_at IS NULL AND expects_reply = :expects_reply;

-- name: asked_jobs
SELECT i.item_no, j.* FROM jobs j JOIN ask_items i ON (i.ask_id, i.job_id, i.ask_rev) = (j.open_ask_id, j.id, j.ask_rev)
 WHERE j.open_ask_id = :ask_id ORDER BY i.item_no;

-- name: last_closed
SELECT j.* FROM jobs j JOIN ask_items i ON i.job_id = j.id
 WHERE i.ask_id = (SELECT id FROM asks WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND expects_reply
                      AND shown_at IS NOT NULL AND closed_at >= :since ORDER BY closed_at DESC LIMIT 1)
 ORDER BY i.item_no;

-- name: next_of_rank^
-- One probe of jobs_waiting. What an importer is freshening is passed over, not waited for; what is given is locked.
SELECT * FROM jobs
 WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND needs_reply = :needs_reply AND rank = :rank
   AND status = 'pending' AND not_before <= :now
 ORDER BY not_before, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;

-- name: open^
INSERT INTO asks (workspace_id, chat_guid, expects_reply, opened_turn)
VALUES (:workspace_id, :chat_guid, :expects_reply, :turn_no) RETURNING *;

-- name: put_into!
INSERT INTO ask_items (ask_id, item_no, job_id, ask_rev)
SELECT :ask_id, no, id, rev FROM unnest(:job_ids::uuid[], :ask_revs::int[]) WITH ORDINALITY AS item (id, rev, no);

-- name: claim
-- In the order of ids, as everybody locks jobs.
WITH mine AS MATERIALIZED (
  SELECT j.id FROM jobs j JOIN unnest(:job_ids::uuid[], :versions::bigint[]) AS seen (id, version) USING (id)
   WHERE j.version = seen.version AND j.status = 'pending' AND (j.workspace_id, j.chat_guid) = (:workspace_id, :chat_guid)
   ORDER BY j.id FOR NO KEY UPDATE OF j)
UPDATE jobs SET status = 'asking', ask_id = :ask_id FROM mine WHERE jobs.id = mine.id RETURNING jobs.id;

-- name: asked
WITH mine AS MATERIALIZED (
  SELECT id FROM jobs WHERE open_ask_id = :ask_id AND status = 'asking' ORDER BY id FOR NO KEY UPDATE)
UPDATE jobs SET status = 'awaiting_reply' FROM mine WHERE jobs.id = mine.id RETURNING jobs.*;

-- name: show_notice
-- Told and taken home in one: a notice has no effect that could be held. One with newer facts is told again.
WITH mine AS MATERIALIZED (
  SELECT j.id FROM jobs j JOIN asks a ON a.id = j.open_ask_id
   WHERE (a.workspace_id, a.chat_guid) = (:workspace_id, :chat_guid) AND a.closed_at IS NULL AND NOT a.expects_reply
     AND a.shown_at IS NOT NULL AND j.status IN ('asking', 'awaiting_reply') AND j.waiting IS NULL
   ORDER BY j.id FOR NO KEY UPDATE OF j)
UPDATE jobs SET status = 'resolved', resolution = jsonb_build_object('verdict', 'shown'), answered_rev = ask_rev,
       finished_at = (SELECT app_now())
  FROM mine WHERE jobs.id = mine.id RETURNING jobs.*;

-- name: step_forward
WITH mine AS MATERIALIZED (
  SELECT j.id FROM jobs j JOIN asks a ON a.id = j.open_ask_id
   WHERE (a.workspace_id, a.chat_guid) = (:workspace_id, :chat_guid) AND a.closed_at IS NULL
     AND j.status = 'awaiting_reply' AND j.waiting IS NOT NULL
   ORDER BY j.id FOR NO KEY UPDATE OF j)
UPDATE jobs SET status = 'pending' FROM mine WHERE jobs.id = mine.id RETURNING jobs.*;

-- name: lock_asked
SELECT id FROM jobs WHERE open_ask_id = :ask_id ORDER BY id FOR NO KEY UPDATE;

-- name: withdraw^
UPDATE asks SET withdrawn_at = app_now()
 WHERE id = :ask_id AND submitted_at IS NULL AND withdrawn_at IS NULL AND closed_at IS NULL RETURNING id;

-- name: take_back
-- Refused by the channel three times: it could not be asked. Before that the pause between two attempts doubles.
UPDATE jobs SET status     = CASE WHEN a.withdrawn_at IS NULL AND ask_attempts >= 3 THEN 'failed' ELSE 'pending' END,
                end_reason = CASE WHEN a.withdrawn_at IS NULL AND ask_attempts >= 3 THEN 'could not be asked' END,
                last_error = CASE WHEN a.withdrawn_at IS NULL THEN 'the channel refused it' ELSE last_error END,
                not_before = CASE WHEN a.withdrawn_at IS NULL
                                  THEN greatest(not_before, app_now() + interval '15 s' * 2 ^ ask_attempts) ELSE not_before END
  FROM asks a
 WHERE a.id = :ask_id AND jobs.open_ask_id = a.id AND jobs.status = 'asking' AND (a.rejected_at IS NOT NULL OR a.withdrawn_at IS NOT NULL)
RETURNING jobs.*;

-- name: ask^
SELECT * FROM asks WHERE id = :ask_id;

-- name: mark_submitted$
UPDATE asks SET submitted_at = coalesce(submitted_at, app_now())
 WHERE id = :ask_id AND withdrawn_at IS NULL AND rejected_at IS NULL AND closed_at IS NULL RETURNING true;

-- name: mark_shown!
UPDATE asks SET submitted_at = coalesce(submitted_at, app_now()), shown_at = app_now(), shown_by = :shown_by
 WHERE id = :ask_id AND withdrawn_at IS NULL AND rejected_at IS NULL AND shown_at IS NULL;

-- name: mark_rejected!
UPDATE asks SET rejected_at = app_now() WHERE id = :ask_id AND shown_at IS NULL AND rejected_at IS NULL;
