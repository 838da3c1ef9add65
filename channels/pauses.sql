-- name: insert^
INSERT INTO channel_pauses (workspace_id, reason) VALUES (:workspace_id, :reason)
ON CONFLICT (workspace_id) DO UPDATE SET reason = excluded.reason
RETURNING *;

-- name: delete^
DELETE FROM channel_pauses WHERE workspace_id IS NOT DISTINCT FROM :workspace_id::uuid RETURNING *, pg_notify('sayso', '');

-- name: waiting
SELECT purpose, status, count(*) AS texts FROM channel_messages
 WHERE status IN ('planned', 'submitting', 'unknown') AND (:workspace_id::uuid IS NULL OR workspace_id = :workspace_id::uuid)
 GROUP BY purpose, status ORDER BY purpose, status;
