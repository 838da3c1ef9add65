-- name: lock_chat^
-- A chat's messages are numbered one at a time, so that the order of the numbers is the order of the commits.
SELECT chat_guid FROM chats WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid FOR NO KEY UPDATE;

-- name: insert^
INSERT INTO channel_inbound (workspace_id, chat_guid, seq, channel, provider_id, person_id, body, quotes, sent_at)
SELECT :workspace_id, :chat_guid,
       1 + coalesce((SELECT max(seq) FROM channel_inbound WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid), 0),
       :channel, :provider_id, :person_id, :body,
       (SELECT m.id FROM channel_messages m WHERE m.id = :quotes::uuid AND (m.workspace_id, m.chat_guid) = (:workspace_id, :chat_guid)),
       :sent_at
ON CONFLICT (workspace_id, channel, provider_id) DO NOTHING
RETURNING id, seq;

-- name: heard^
SELECT id, seq FROM channel_inbound WHERE workspace_id = :workspace_id AND channel = :channel AND provider_id = :provider_id;

-- name: unread
SELECT i.id, i.seq, i.channel, i.person_id, i.body, i.sent_at, i.received_at, i.quotes IS NOT NULL AS quotes, m.ask_id AS quotes_ask
  FROM channel_inbound i LEFT JOIN channel_messages m ON m.id = i.quotes
 WHERE i.workspace_id = :workspace_id AND i.chat_guid = :chat_guid AND i.seq > :seq
 ORDER BY i.seq;

-- name: thread
-- Of ours only what was shown. When it ended is when its reader could first see it.
SELECT * FROM (
  (SELECT 'sayso' AS author, id, ended_at AS at, purpose, body, ask_id FROM channel_messages
    WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid AND status IN ('accepted', 'assumed')
    ORDER BY created_at DESC LIMIT :most)
  UNION ALL
  (SELECT 'person', i.id, i.received_at, NULL, i.body, m.ask_id FROM channel_inbound i LEFT JOIN channel_messages m ON m.id = i.quotes
    WHERE i.workspace_id = :workspace_id AND i.chat_guid = :chat_guid ORDER BY i.seq DESC LIMIT :most)
  ORDER BY at DESC, id DESC LIMIT :most) latest
ORDER BY at, id;
