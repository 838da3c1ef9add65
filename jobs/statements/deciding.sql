-- name: resolve^
UPDATE jobs SET status = 'resolved', resolution = :resolution, answered_rev = :ask_rev
 WHERE id = :job_id AND version = :version AND status IN ('awaiting_reply', 'pending') AND ask_rev = :ask_rev AND waiting IS NULL
RETURNING *;

-- name: revoke^
-- Fenced by the number of the decision, not by the version: a word of the person that pauses the hold moves the version,
-- and must not stand in the way of stopping that same decision.
UPDATE jobs SET status = 'pending'
 WHERE id = :job_id AND status = 'resolved' AND decision_no = :decision_no AND finished_at IS NULL RETURNING *;

-- name: defer^
UPDATE jobs SET status = 'pending', not_before = :until::timestamptz
 WHERE id = :job_id AND version = :version AND status = 'awaiting_reply' RETURNING *;

-- name: snooze^
UPDATE jobs SET status = 'pending', not_before = :until::timestamptz
 WHERE id = :job_id AND status IN ('pending', 'awaiting_reply') RETURNING *;

-- name: undecide!
UPDATE jobs SET status = 'pending' WHERE id = :job_id AND status = 'resolved' AND finished_at IS NULL;

-- name: cancel^
UPDATE jobs SET status = 'cancelled', end_reason = :reason, finished_at = CASE WHEN :by_owner THEN app_now() END
 WHERE id = :job_id AND status IN ('pending', 'asking', 'awaiting_reply') RETURNING *;

-- name: fail^
UPDATE jobs SET status = 'failed', end_reason = 'could not be asked', last_error = :error
 WHERE id = :job_id AND status IN ('pending', 'asking') RETURNING *;

-- name: retry^
SELECT job_id, outcome FROM jobs_retry(:job_id);

-- name: held
SELECT * FROM jobs WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND status = 'resolved' AND finished_at IS NULL
 ORDER BY ended_at, id;
