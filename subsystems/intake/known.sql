-- name: units
SELECT u.id, u.external_id, u.label, u.property_id, p.name AS property_name, p.address AS property_address
  FROM directory_units u JOIN directory_properties p ON p.workspace_id = u.workspace_id AND p.id = u.property_id
 WHERE u.workspace_id = :workspace_id ORDER BY p.name, u.label, u.external_id LIMIT :most;

-- name: unit_ids
SELECT id FROM directory_units WHERE workspace_id = :workspace_id ORDER BY external_id;

-- name: property_names
SELECT id, name FROM directory_properties WHERE workspace_id = :workspace_id AND id = ANY (:ids::uuid[]);

-- name: tenants
SELECT * FROM directory_people WHERE workspace_id = :workspace_id AND role = 'tenant' AND (external_id = :who OR lower(name) = lower(:who))
 ORDER BY external_id = :who DESC LIMIT 2;
