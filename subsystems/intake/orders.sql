-- name: insert^
-- The same report twice is one order: no row comes back the second time.
INSERT INTO intake_orders (workspace_id, origin, external_id, unit_id, tenant_id, words, category, trade, urgency, received_at)
VALUES (:workspace_id, :origin, :external_id, :unit_id, :tenant_id, :words, :category, :trade, :urgency, :received_at)
ON CONFLICT (workspace_id, origin, external_id) DO NOTHING
RETURNING *;

-- name: reported^
SELECT * FROM intake_orders WHERE workspace_id = :workspace_id AND origin = :origin AND external_id = :external_id;

-- name: lock^
SELECT * FROM intake_orders WHERE workspace_id = :workspace_id AND id = :id FOR NO KEY UPDATE;

-- name: unasked
-- Orders that nobody was asked about: of any workspace, those that waited longest first.
SELECT * FROM intake_orders WHERE status = 'new' ORDER BY workspace_id, received_at LIMIT :most FOR NO KEY UPDATE SKIP LOCKED;

-- name: move<!
-- Only a dispatched order has a vendor.
UPDATE intake_orders SET status = :status, vendor_id = :vendor_id WHERE workspace_id = :workspace_id AND id = :id RETURNING *;

-- name: complete<!
UPDATE intake_orders SET trade = :trade, unit_id = :unit_id, tenant_id = :tenant_id
 WHERE workspace_id = :workspace_id AND id = :id RETURNING *;
