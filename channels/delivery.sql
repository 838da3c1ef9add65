-- name: cancel_moot^
-- What speaks of an ask is not said once the ask is over; nor is what was taken back, nor what takes back what nobody got.
UPDATE channel_messages m SET status = 'cancelled', last_error = moot.why
  FROM channel_messages t, LATERAL (
    SELECT 'its ask is no longer open' AS why FROM asks a
     WHERE a.id = t.ask_id AND t.purpose IN ('ask', 'notice', 'ask_back') AND num_nonnulls(a.closed_at, a.withdrawn_at, a.rejected_at) > 0
     UNION ALL
    SELECT 'it was taken back before it left' FROM channel_messages u
     WHERE (u.workspace_id, u.idempotency_key) = (t.workspace_id, t.idempotency_key || ':undo')
     UNION ALL
    SELECT 'what it takes back never arrived' FROM channel_messages o
     WHERE (o.workspace_id, o.idempotency_key) = (t.workspace_id, left(t.idempotency_key, -5)) AND right(t.idempotency_key, 5) = ':undo'
       AND o.status IN ('rejected', 'cancelled')) AS moot
 WHERE t.id = :id AND m.id = t.id AND m.status = 'planned'
RETURNING m.id;

-- name: claim^
-- The texts to one address leave one at a time, in the order in which they were planned. One that waits for its next
-- attempt holds back the later ones; one whose fate is unknown does not. due_at becomes the end of the lease.
UPDATE channel_messages m
   SET status = 'submitting', attempts = attempts + 1, submitted_at = :now, lease_until = :lease_until, due_at = :lease_until
 WHERE id = :id AND status = 'planned' AND due_at <= :now
   AND NOT EXISTS (SELECT FROM channel_pauses p WHERE p.workspace_id IS NULL OR p.workspace_id = m.workspace_id)
   AND NOT EXISTS (SELECT FROM channel_messages e
                    WHERE e.status IN ('planned', 'submitting') AND (e.due_at <= :now OR e.attempts > 0)
                      AND (e.workspace_id, e.channel, e.address) = (m.workspace_id, m.channel, m.address)
                      AND (e.created_at, e.id) < (m.created_at, m.id))
RETURNING *;

-- name: record^
-- The result of a submission. A worker that was overtaken, by a sweep or another attempt, gets no row and changes nothing.
-- It returns no *: prepared before a migration adds a column it would fail, and what was sent would count as unknown.
UPDATE channel_messages
   SET status = :status, provider_id = :provider_id, last_error = :error, lease_until = NULL, due_at = :due_at
 WHERE id = :id AND status = 'submitting' AND attempts = :attempts
RETURNING id, pg_notify('sayso', '');

-- name: claim_look^
UPDATE channel_messages SET due_at = :next_look WHERE id = :id AND status = 'unknown' AND due_at <= :now RETURNING *;

-- name: record_look^
UPDATE channel_messages SET status = :status, provider_id = :provider_id, last_error = :error
 WHERE id = :id AND status = 'unknown'
RETURNING id;

-- name: expire
UPDATE channel_messages
   SET status = 'unknown', lease_until = NULL, due_at = :now, last_error = 'whoever sent it went silent'
 WHERE id IN (SELECT id FROM channel_messages
               WHERE status = 'submitting' AND lease_until <= :now ORDER BY id FOR UPDATE SKIP LOCKED)
RETURNING id;

-- name: settle^
UPDATE channel_messages SET settled_at = app_now()
 WHERE id = :id AND source IS NOT NULL AND ended_at IS NOT NULL AND settled_at IS NULL
RETURNING *;
