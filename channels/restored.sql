-- Run by `sayso restore`, in the transaction that puts a backup in place. What the backup saw as planned and due may have
-- left after it was made: nothing of that is sent, it is looked up. And nothing leaves at all until somebody resumes.
SET search_path = public;
INSERT INTO channel_pauses (workspace_id, reason) VALUES (NULL, 'restored from a backup')
    ON CONFLICT (workspace_id) DO UPDATE SET reason = excluded.reason, paused_at = app_now();
UPDATE channel_messages
   SET status = 'submitting', attempts = attempts + 1, submitted_at = app_now(), lease_until = app_now()
 WHERE status = 'planned' AND (due_at <= app_now() OR attempts > 0);
UPDATE channel_messages
   SET status = 'unknown', lease_until = NULL, due_at = app_now(), last_error = 'restored from a backup: it may have left since'
 WHERE status = 'submitting';
