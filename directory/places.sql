-- name: place^
SELECT u.id, u.external_id, u.label, u.property_id, p.name AS property_name, p.address AS property_address
  FROM directory_units u JOIN directory_properties p ON p.workspace_id = u.workspace_id AND p.id = u.property_id
 WHERE u.workspace_id = :workspace_id AND u.id = :id;

-- name: exact
SELECT u.id, u.external_id, u.label, u.property_id, p.name AS property_name, p.address AS property_address
  FROM directory_units u JOIN directory_properties p ON p.workspace_id = u.workspace_id AND p.id = u.property_id
 WHERE u.workspace_id = :workspace_id AND (u.external_id = :text OR lower(p.name || ' ' || u.label) = lower(:text));

-- name: places
SELECT u.id, u.external_id, u.label, u.property_id, p.name AS property_name, p.address AS property_address
  FROM directory_units u JOIN directory_properties p ON p.workspace_id = u.workspace_id AND p.id = u.property_id
 WHERE u.workspace_id = :workspace_id ORDER BY p.name, u.label, u.external_id;
