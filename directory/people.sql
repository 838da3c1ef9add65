-- name: person^
SELECT * FROM directory_people WHERE workspace_id = :workspace_id AND id = :id;

-- name: managers
SELECT * FROM directory_people WHERE workspace_id = :workspace_id AND role = 'manager' ORDER BY id;

-- name: managers_at
SELECT * FROM directory_people WHERE role = 'manager' AND channel = :channel AND address = :address ORDER BY workspace_id, id LIMIT 5;

-- name: manager_of^
SELECT m.* FROM directory_properties p JOIN directory_people m ON m.workspace_id = p.workspace_id AND m.id = p.manager_id
 WHERE p.workspace_id = :workspace_id AND p.id = :property_id;

-- name: manager_in^
SELECT * FROM directory_people WHERE workspace_id = :workspace_id AND chat_guid = :chat_guid;

-- name: tenant_of^
SELECT * FROM directory_people WHERE workspace_id = :workspace_id AND unit_id = :unit_id
 ORDER BY opted_out_at IS NOT NULL, external_id LIMIT 1;

-- name: tenants
SELECT * FROM directory_people WHERE workspace_id = :workspace_id AND role = 'tenant' AND (external_id = :who OR lower(name) = lower(:who))
 ORDER BY external_id = :who DESC LIMIT 2;

-- name: owner_of_chat^
SELECT c.workspace_id, w.name AS workspace, m.name AS manager
  FROM chats c JOIN directory_workspaces w ON w.id = c.workspace_id
  LEFT JOIN directory_people m ON m.workspace_id = c.workspace_id AND m.chat_guid = c.chat_guid
 WHERE c.chat_guid = :chat_guid;
