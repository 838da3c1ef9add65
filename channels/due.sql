-- name: deliveries
-- The first text to each address that is not paused, and the unknown ones that are to be looked up.
WITH heads AS (
  SELECT DISTINCT ON (workspace_id, channel, address) id, workspace_id, status, attempts, due_at
    FROM channel_messages
   WHERE status IN ('planned', 'submitting') AND (due_at <= :now OR attempts > 0)
   ORDER BY workspace_id, channel, address, created_at, id)
SELECT id, attempts, due_at FROM heads h
 WHERE status = 'planned' AND due_at <= :now
   AND NOT EXISTS (SELECT FROM channel_pauses p WHERE p.workspace_id IS NULL OR p.workspace_id = h.workspace_id)
UNION ALL
SELECT id, attempts, due_at FROM channel_messages WHERE status = 'unknown' AND due_at <= :now
ORDER BY due_at LIMIT :most;

-- name: settlements
SELECT source, id FROM channel_messages
 WHERE source IS NOT NULL AND ended_at IS NOT NULL AND settled_at IS NULL
 ORDER BY ended_at LIMIT :most;

-- name: health^
SELECT count(*) FILTER (WHERE status = 'unknown') AS unknown_sends,
       count(*) FILTER (WHERE status = 'assumed' AND ended_at > :now - interval '1 day') AS assumed_sends,
       count(*) FILTER (WHERE status = 'submitting' AND lease_until <= :now) AS expired_send_leases,
       count(*) FILTER (WHERE source IS NOT NULL AND settled_at IS NULL AND ended_at < :now - interval '5 minutes') AS unsettled_sends
  FROM channel_messages;

-- name: history^
SELECT min(read_at) AS read_at FROM channel_histories;
