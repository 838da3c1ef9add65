-- name: begin!
INSERT INTO channel_histories (channel) VALUES (:channel) ON CONFLICT DO NOTHING;

-- name: cursor^
SELECT cursor, read_at FROM channel_histories WHERE channel = :channel;

-- name: move!
-- Two that read at once: the slower one does not put the cursor back.
UPDATE channel_histories SET cursor = :cursor, read_at = app_now() WHERE channel = :channel AND cursor = :after;
