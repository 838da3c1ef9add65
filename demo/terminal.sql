-- name: first_unit$
-- The unit whose tenant the newcomer is at first.
SELECT u.external_id FROM directory_units u
  JOIN directory_people t ON (t.workspace_id, t.unit_id) = (u.workspace_id, u.id)
  JOIN directory_properties p ON (p.workspace_id, p.id) = (u.workspace_id, u.property_id)
 WHERE u.workspace_id = :workspace_id
 ORDER BY (p.name || p.address) LIKE '%%12 Birch%%' AND u.label LIKE '%%4' DESC, u.external_id LIMIT 1;

-- name: latest_job$
-- The job that last moved.
SELECT job_id FROM job_events WHERE workspace_id = :workspace_id AND at >= :since ORDER BY id DESC LIMIT 1;

-- name: latest_dispatch$
-- The last dispatch of this sitting that has not been undone.
SELECT c.id FROM ledger_calls c
 WHERE c.workspace_id = :workspace_id AND c.tool = 'dispatch_vendor' AND c.undoes IS NULL AND c.called_at >= :since
   AND NOT EXISTS (SELECT FROM ledger_calls u WHERE u.undoes = c.id)
 ORDER BY c.called_at DESC LIMIT 1;
