-- name: insert^
-- A text with this key that is there already stays as it is: no row comes back.
INSERT INTO channel_messages (workspace_id, idempotency_key, purpose, chat_guid, person_id, vendor_id, channel, address, body,
                              ask_id, source, job_id, due_at)
VALUES (:workspace_id, :key, :purpose, :chat_guid, :person_id, :vendor_id, :channel, :address, :body,
        :ask_id, :source, :job_id, coalesce(:due_at::timestamptz, app_now()))
ON CONFLICT (workspace_id, idempotency_key) DO NOTHING
RETURNING id;

-- name: with_key^
SELECT * FROM channel_messages WHERE workspace_id = :workspace_id AND idempotency_key = :key;

-- name: cancel^
UPDATE channel_messages SET status = 'cancelled', last_error = :why WHERE id = :id AND status = 'planned' RETURNING *;
