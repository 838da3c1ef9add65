-- name: find_properties^
SELECT name, address, manager_id FROM directory_properties WHERE workspace_id = :workspace_id AND external_id = :key FOR UPDATE;

-- name: put_properties!
INSERT INTO directory_properties (workspace_id, external_id, name, address, manager_id)
VALUES (:workspace_id, :key, :name, :address, :manager_id)
ON CONFLICT (workspace_id, external_id) DO UPDATE
   SET name = excluded.name, address = excluded.address, manager_id = excluded.manager_id;

-- name: find_units^
SELECT property_id, label FROM directory_units WHERE workspace_id = :workspace_id AND external_id = :key FOR UPDATE;

-- name: put_units!
INSERT INTO directory_units (workspace_id, external_id, property_id, label) VALUES (:workspace_id, :key, :property_id, :label)
ON CONFLICT (workspace_id, external_id) DO UPDATE SET property_id = excluded.property_id, label = excluded.label;

-- name: find_people^
SELECT name, role, chat_guid, channel, address, unit_id FROM directory_people WHERE workspace_id = :workspace_id AND external_id = :key FOR UPDATE;

-- name: put_people!
-- A chat stays with its manager, and whoever wants no texts stays without, whatever a sheet says.
INSERT INTO directory_people (workspace_id, external_id, name, role, chat_guid, channel, address, unit_id)
VALUES (:workspace_id, :key, :name, :role, :chat_guid, :channel, :address, :unit_id)
ON CONFLICT (workspace_id, external_id) DO UPDATE
   SET name = excluded.name, role = excluded.role, channel = excluded.channel, address = excluded.address,
       unit_id = excluded.unit_id;

-- name: find_vendors^
SELECT name, aliases, trades, is_active, insured_until, rate, channel, address
  FROM directory_vendors WHERE workspace_id = :workspace_id AND external_id = :key FOR UPDATE;

-- name: put_vendors!
INSERT INTO directory_vendors (workspace_id, external_id, name, aliases, trades, is_active, insured_until, rate, channel, address)
VALUES (:workspace_id, :key, :name, :aliases, :trades, :is_active, :insured_until, :rate, :channel, :address)
ON CONFLICT (workspace_id, external_id) DO UPDATE
   SET name = excluded.name, aliases = excluded.aliases, trades = excluded.trades, is_active = excluded.is_active,
       insured_until = excluded.insured_until, rate = excluded.rate, channel = excluded.channel,
       address = excluded.address;
