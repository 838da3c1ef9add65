-- name: insert^
-- A workspace of this name that is there already stays as it is: no row comes back.
INSERT INTO directory_workspaces (name, hold_seconds, is_demo) VALUES (:name, :hold_seconds, :is_demo)
ON CONFLICT (name) DO NOTHING
RETURNING *;

-- name: insert_manager!
INSERT INTO directory_people (workspace_id, external_id, name, role, chat_guid, channel, address)
VALUES (:workspace_id, :chat_guid, :name, 'manager', :chat_guid, :channel, :address);

-- name: named^
SELECT * FROM directory_workspaces WHERE name = :name;

-- name: all
SELECT * FROM directory_workspaces ORDER BY name;

-- name: overview
SELECT w.*,
       array(SELECT p.name FROM directory_people p WHERE p.workspace_id = w.id AND p.role = 'manager' ORDER BY p.id) AS managers,
       array(SELECT p.chat_guid FROM directory_people p WHERE p.workspace_id = w.id AND p.role = 'manager' ORDER BY p.id) AS chats,
       (SELECT count(*) FROM directory_properties p WHERE p.workspace_id = w.id) AS properties,
       (SELECT count(*) FROM directory_units u WHERE u.workspace_id = w.id) AS units,
       (SELECT count(*) FROM directory_people p WHERE p.workspace_id = w.id AND p.role <> 'manager') AS people,
       (SELECT count(*) FROM directory_vendors v WHERE v.workspace_id = w.id) AS vendors
  FROM directory_workspaces w ORDER BY w.name;
