-- name: policy^
-- The policy for this very property goes before the one for everywhere.
SELECT * FROM memory_policies
 WHERE workspace_id = :workspace_id AND trade = :trade AND ended_at IS NULL AND (property_id = :property_id OR property_id IS NULL)
 ORDER BY property_id NULLS LAST LIMIT 1;

-- name: precedent^
-- The last time somebody was sent for this trade: at this property, else anywhere.
SELECT * FROM memory_events
 WHERE workspace_id = :workspace_id AND trade = :trade AND vendor_id IS NOT NULL AND retracted_at IS NULL
 ORDER BY (property_id = :property_id) DESC, decided_at DESC, id DESC LIMIT 1;

-- name: sent
-- The latest times that this vendor was sent for this trade.
SELECT * FROM memory_events
 WHERE workspace_id = :workspace_id AND trade = :trade AND vendor_id = :vendor_id AND retracted_at IS NULL
 ORDER BY decided_at DESC, id DESC LIMIT :most;

-- name: lock_policy!
-- Two that state a policy for the same trade and place at once do so one after the other.
SELECT pg_advisory_xact_lock(hashtextextended('memory_policies ' || :workspace_id::text || ' ' || :trade, 0));

-- name: standing^
SELECT * FROM memory_policies
 WHERE workspace_id = :workspace_id AND trade = :trade AND property_id IS NOT DISTINCT FROM :property_id::uuid AND ended_at IS NULL
   FOR NO KEY UPDATE;

-- name: end_policy!
UPDATE memory_policies SET ended_at = app_now() WHERE workspace_id = :workspace_id AND id = :id AND ended_at IS NULL;

-- name: state_policy<!
INSERT INTO memory_policies (workspace_id, trade, property_id, vendor_id, stated_by, stated_at)
VALUES (:workspace_id, :trade, :property_id, :vendor_id, :stated_by, app_now())
RETURNING *;

-- name: event^
SELECT * FROM memory_events WHERE workspace_id = :workspace_id AND job_id = :job_id AND decision_no = :decision_no
   FOR NO KEY UPDATE;

-- name: log_event!
INSERT INTO memory_events (workspace_id, job_id, decision_no, trade, property_id, vendor_id, decided_by, decided_at)
VALUES (:workspace_id, :job_id, :decision_no, :trade, :property_id, :vendor_id, :decided_by, :decided_at)
ON CONFLICT (job_id, decision_no) DO NOTHING;

-- name: retract!
UPDATE memory_events SET retracted_at = app_now()
 WHERE workspace_id = :workspace_id AND job_id = :job_id AND decision_no = :decision_no AND retracted_at IS NULL;
