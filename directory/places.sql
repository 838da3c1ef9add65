-- name: place^
SELECT id, external_id, label, property_id, property_name, property_address FROM directory_places
 WHERE workspace_id = :workspace_id AND id = :id;

-- name: exact
SELECT id, external_id, label, property_id, property_name, property_address FROM directory_places
 WHERE workspace_id = :workspace_id AND (external_id = :text OR lower(property_name || ' ' || label) = lower(:text));

-- name: places
SELECT id, external_id, label, property_id, property_name, property_address FROM directory_places
 WHERE workspace_id = :workspace_id ORDER BY property_name, label, external_id LIMIT :most;

-- name: unit_ids
SELECT id FROM directory_units WHERE workspace_id = :workspace_id ORDER BY external_id;

-- name: property_names
SELECT id, name FROM directory_properties WHERE workspace_id = :workspace_id AND id = ANY (:ids::uuid[]);
