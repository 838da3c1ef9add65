-- name: get^
SELECT * FROM jobs WHERE id = :job_id;

-- name: find
-- The newest first. An empty list of statuses is any; text is looked for in what was asked and in the key.
SELECT * FROM jobs
 WHERE (:workspace_id::uuid IS NULL OR workspace_id = :workspace_id)
   AND (cardinality(:statuses::text[]) = 0 OR status = ANY (:statuses))
   AND (:source::text IS NULL OR source = :source)
   AND (:kind::text IS NULL OR kind = :kind)
   AND (:issue_id::text IS NULL OR issue_id = :issue_id)
   AND (:chat_guid::text IS NULL OR chat_guid = :chat_guid)
   AND (:text::text IS NULL OR strpos(lower(dedupe_key || ' ' || (ask ->> 'question')), lower(:text)) > 0)
 ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: timeline
-- What the table, the asks and the decisions know of one job, in the order in which it happened.
WITH moves AS (
  SELECT e.*, lag(finished, 1, false) OVER w AS was_finished, lag(ask_rev) OVER w AS was_rev
    FROM job_events e WHERE job_id = :job_id WINDOW w AS (ORDER BY version)),
marks AS (
  SELECT DISTINCT a.* FROM asks a JOIN ask_items i ON i.ask_id = a.id WHERE i.job_id = :job_id)
SELECT m.at, 1 AS step, m.version,
       CASE WHEN old_status IS NULL THEN CASE new_status WHEN 'pending' THEN 'enqueued' ELSE 'said unasked' END
            WHEN old_status <> new_status THEN
              CASE new_status WHEN 'asking' THEN 'put into an ask' WHEN 'awaiting_reply' THEN 'awaits the reply' WHEN 'resolved' THEN 'decided'
                   WHEN 'cancelled' THEN 'cancelled' WHEN 'failed' THEN 'failed'
                   ELSE CASE old_status WHEN 'resolved' THEN 'decision taken back' WHEN 'failed' THEN 'to be asked again'
                                        WHEN 'asking' THEN 'not asked after all' ELSE 'out of its ask' END END
              || CASE WHEN finished THEN ', and home' ELSE '' END
            WHEN finished AND NOT was_finished THEN 'home'
            WHEN m.ask_rev > was_rev THEN 'freshened'
            ELSE 'changed' END AS what,
       new_status AS status,
       concat_ws(', ', m.reason, CASE WHEN m.ask_rev > was_rev THEN 'wording ' || m.ask_rev END,
                 CASE WHEN new_status = 'resolved' AND old_status IS DISTINCT FROM 'resolved' THEN 'by ' || (d.resolution ->> 'decided_by') END) AS detail,
       m.actor, m.turn_no
  FROM moves m LEFT JOIN job_decisions d ON (d.job_id, d.decision_no) = (m.job_id, m.decision_no)
 UNION ALL SELECT withdrawn_at, 2, NULL, 'ask withdrawn', NULL, closed_why, NULL, NULL FROM marks WHERE withdrawn_at IS NOT NULL
 UNION ALL SELECT submitted_at, 2, NULL, 'text handed to the channel', NULL, NULL, NULL, NULL FROM marks WHERE submitted_at IS NOT NULL
 UNION ALL SELECT rejected_at, 2, NULL, 'text refused by the channel', NULL, NULL, NULL, NULL FROM marks WHERE rejected_at IS NOT NULL
 UNION ALL SELECT shown_at, 3, NULL, 'shown', NULL, shown_by, NULL, NULL FROM marks WHERE shown_at IS NOT NULL
 ORDER BY at, step, version;

-- name: surroundings^
-- What stands around a job: its chat, what is open there, and how many due jobs go before it (counted up to a hundred).
SELECT c.next_look_at, c.turn_failures, c.last_error,
       EXISTS (SELECT FROM chat_wakes w WHERE (w.workspace_id, w.chat_guid) = (j.workspace_id, j.chat_guid)) AS has_wake,
       (SELECT count(*) FROM (
          SELECT FROM jobs o WHERE (o.workspace_id, o.chat_guid, o.needs_reply, o.status) = (j.workspace_id, j.chat_guid, j.needs_reply, 'pending')
             AND o.not_before <= :now AND (o.rank, o.not_before, o.id) < (j.rank, j.not_before, j.id) LIMIT 100) AS ahead) AS ahead,
       open_ask.opened_at AS open_since,
       (SELECT string_agg(o.ask ->> 'question', ' / ') FROM jobs o WHERE o.open_ask_id = open_ask.id) AS open_question,
       own.submitted_at, own.shown_at, own.shown_by, own.rejected_at, own.withdrawn_at
  FROM jobs j JOIN chats c USING (workspace_id, chat_guid)
  LEFT JOIN asks open_ask ON (open_ask.workspace_id, open_ask.chat_guid, open_ask.expects_reply) = (j.workspace_id, j.chat_guid, j.needs_reply)
                         AND open_ask.closed_at IS NULL
  LEFT JOIN asks own ON own.id = j.ask_id
 WHERE j.id = :job_id;

-- name: health^
SELECT (SELECT count(*) FROM jobs WHERE finished_at IS NULL AND finish_after < :now::timestamptz - interval '5 min') AS unfinished_over_5_minutes,
       (SELECT count(*) FROM jobs WHERE finished_at IS NULL AND finish_after >= '9999-01-01Z') AS finishes_that_need_a_person,
       (SELECT count(*) FROM jobs WHERE finished_at IS NULL AND finish_after IS NOT NULL AND finish_lease_until < :now::timestamptz - interval '1 min') AS expired_finish_leases,
       (SELECT count(*) FROM chats WHERE turn_failures >= 3) AS chats_whose_turns_fail,
       (SELECT count(*) FROM asks WHERE closed_at IS NULL AND shown_at IS NULL AND coalesce(submitted_at, opened_at) < :now::timestamptz - interval '10 min')
         AS asks_not_shown_over_10_minutes,
       (SELECT count(*) FROM generate_series(1, 3) AS month
         WHERE to_regclass('job_events_' || to_char(:now::timestamptz AT TIME ZONE 'UTC' + interval '1 month' * month, 'YYYYMM')) IS NULL)
         AS missing_months_of_history;

-- name: look_up
-- By the beginning of the id; else by the key, in each workspace the live job, else the latest.
WITH by_id AS (SELECT id FROM jobs WHERE id::text LIKE :like ORDER BY id LIMIT 2)
SELECT id FROM by_id UNION ALL
(SELECT DISTINCT ON (workspace_id) id FROM jobs WHERE dedupe_key = :key AND NOT EXISTS (SELECT FROM by_id)
  ORDER BY workspace_id, (finished_at IS NULL) DESC, created_at DESC);

-- name: failing
SELECT * FROM jobs WHERE finished_at IS NULL AND finish_after IS NOT NULL AND source = :source AND finish_attempts >= :attempts
 ORDER BY finish_after LIMIT 100;

-- name: live
SELECT * FROM jobs WHERE (finished_at IS NULL OR id = ANY (:seen)) AND (:chat_guid::text IS NULL OR chat_guid = :chat_guid)
 ORDER BY updated_at DESC LIMIT 1000;
