-- name: last_read_seq$
SELECT coalesce(max(seq), 0) FROM conductor_readings WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid;

-- name: remember!
INSERT INTO conductor_readings (inbound_id, workspace_id, chat_guid, seq, turn_no, ask_id, verdicts, asked_back, reader)
VALUES (:inbound_id, :workspace_id, :chat_guid, :seq, :turn_no, :ask_id, :verdicts, :asked_back, :reader);

-- name: last_asked_back$
SELECT asked_back FROM conductor_readings WHERE ask_id = :ask_id ORDER BY seq DESC LIMIT 1;
