-- name: release^
-- A worker that died after its tenth claim never said so: then a person is needed.
UPDATE jobs SET
       finish_attempts    = finish_attempts + CASE WHEN lost THEN 0 ELSE 1 END,
       finish_lease_until = CASE WHEN NOT lost THEN app_now() + interval '60 s' END,
       finish_after       = CASE WHEN lost THEN '9999-01-01Z' ELSE finish_after END,
       finish_error       = CASE WHEN lost THEN 'its worker died while finishing it, again and again' ELSE finish_error END
  FROM (SELECT id AS due, finish_attempts >= 10 AND finish_lease_until IS NOT NULL AS lost FROM jobs
         WHERE id = :job_id AND source = :source AND finished_at IS NULL AND finish_after <= (SELECT app_now())
           AND coalesce(finish_lease_until <= (SELECT app_now()), true)
           AND (status <> 'resolved' OR NOT EXISTS (SELECT FROM chats c WHERE c.unheard_since IS NOT NULL
                                                       AND (c.workspace_id, c.chat_guid) = (jobs.workspace_id, jobs.chat_guid)))
           FOR NO KEY UPDATE SKIP LOCKED) AS mine
 WHERE id = due RETURNING *;

-- name: finish^
UPDATE jobs SET finished_at = app_now(), finish_error = NULL
 WHERE id = :job_id AND version = :version AND finish_attempts = :finish_attempts AND finish_lease_until = :finish_lease_until
   AND finished_at IS NULL
RETURNING *;

-- name: finish_failed!
UPDATE jobs SET finish_error = :error, finish_lease_until = NULL,
       finish_after = CASE WHEN finish_attempts >= 10 THEN '9999-01-01Z'
                           ELSE app_now() + least(interval '5 s' * 2 ^ (finish_attempts - 1), interval '10 min') END
 WHERE id = :job_id AND finish_attempts = :finish_attempts AND finish_lease_until = :finish_lease_until AND finished_at IS NULL;
