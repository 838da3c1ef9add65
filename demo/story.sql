-- name: place^
-- The demo workspace, the chat of its manager, and who that is.
SELECT w.id AS workspace_id, p.chat_guid, p.id AS manager_id, p.name AS manager
  FROM directory_workspaces w JOIN directory_people p ON p.workspace_id = w.id AND p.role = 'manager'
 WHERE w.is_demo ORDER BY p.external_id LIMIT 1;

-- name: happened
-- What happened since, outside the manager's chat: moves of rows, calls in the ledger, texts to vendors and tenants.
SELECT what, key, at, about, said FROM (
  SELECT 'row' AS what, 'row ' || e.id AS key, e.at, e.job_id AS about,
         CASE WHEN e.finished THEN e.new_status || ' → home' WHEN e.old_status IS NULL THEN 'new: ' || e.new_status
              WHEN e.old_status = e.new_status THEN e.new_status ELSE e.old_status || ' → ' || e.new_status END
         || coalesce(' (' || e.reason || ')', '') AS said, e.version
    FROM job_events e WHERE e.workspace_id = :workspace_id AND e.at >= :since
  UNION ALL
  SELECT 'ledger', 'ledger ' || c.id, c.called_at, c.job_id,
         CASE WHEN c.undoes IS NULL THEN c.tool || ': ' || c.rationale ELSE 'undone: ' || c.tool END, 0
    FROM ledger_calls c WHERE c.workspace_id = :workspace_id AND c.called_at >= :since
  UNION ALL
  SELECT CASE WHEN m.vendor_id IS NULL THEN 'tenant' ELSE 'vendor' END, 'text ' || m.id || m.status, m.ended_at, m.job_id,
         CASE WHEN m.status IN ('accepted', 'assumed') THEN 'text' ELSE m.status || ' text' END
         || ' to ' || coalesce(v.name, p.name) || ': ' || m.body, 0
    FROM channel_messages m
    LEFT JOIN directory_vendors v ON (v.workspace_id, v.id) = (m.workspace_id, m.vendor_id)
    LEFT JOIN directory_people p ON (p.workspace_id, p.id) = (m.workspace_id, m.person_id)
   WHERE m.workspace_id = :workspace_id AND m.chat_guid IS NULL AND m.ended_at >= :since
) happened ORDER BY at, version, key;

-- name: named^
-- What a job is about, in a few words.
SELECT j.kind || coalesce(' ' || p.name || ' ' || u.label, '') AS name
  FROM jobs j
  LEFT JOIN intake_orders o ON o.workspace_id = j.workspace_id AND o.id::text = j.issue_id
  LEFT JOIN directory_units u ON (u.workspace_id, u.id) = (o.workspace_id, o.unit_id)
  LEFT JOIN directory_properties p ON (p.workspace_id, p.id) = (u.workspace_id, u.property_id)
 WHERE j.id = :job_id;

-- name: stands^
-- Whose turn it is: whether a question was shown, whether a decision is held, whether a quick reply may be about the
-- question before, and whether anything is still under way.
SELECT EXISTS (SELECT FROM asks a WHERE a.workspace_id = :workspace_id AND a.closed_at IS NULL AND a.expects_reply
                                    AND a.shown_at IS NOT NULL) AS open,
       EXISTS (SELECT FROM jobs j WHERE j.workspace_id = :workspace_id AND j.status = 'resolved' AND j.finished_at IS NULL
                                    AND j.kind <> 'notice') AS held,
       EXISTS (SELECT FROM asks a JOIN asks b USING (workspace_id, chat_guid)
                WHERE a.workspace_id = :workspace_id AND a.closed_at IS NULL AND a.expects_reply AND b.expects_reply
                  AND a.shown_at > app_now() - :crossing_for AND b.closed_at > a.shown_at - :rival_for) AS crossable,
       EXISTS (SELECT FROM chat_wakes w WHERE w.workspace_id = :workspace_id)
    OR EXISTS (SELECT FROM channel_inbound i WHERE i.workspace_id = :workspace_id
                  AND NOT EXISTS (SELECT FROM conductor_readings r WHERE r.inbound_id = i.id))
    OR EXISTS (SELECT FROM channel_messages m WHERE m.workspace_id = :workspace_id
                  AND (m.status IN ('planned', 'submitting')
                       OR (m.source IS NOT NULL AND m.ended_at IS NOT NULL AND m.settled_at IS NULL)))
    OR EXISTS (SELECT FROM intake_orders o WHERE o.workspace_id = :workspace_id AND o.status = 'new')
    OR EXISTS (SELECT FROM jobs j WHERE j.workspace_id = :workspace_id AND j.finished_at IS NULL
                  AND (j.status = 'asking' OR (j.status IN ('resolved', 'cancelled', 'failed') AND j.finish_after <= app_now())))
       AS under_way;
