-- name: register_kinds!
INSERT INTO job_kinds (source, kind) SELECT * FROM unnest(:sources::text[], :kinds::text[]) ON CONFLICT DO NOTHING;

-- name: enqueue^
SELECT job_id, outcome, job_status AS status
  FROM jobs_enqueue(:workspace_id, :source, :kind, :chat_guid, :dedupe_key, :ask, :resume, :priority, :not_before::timestamptz,
                    :issue_id::text, :batch_key::text);

-- name: insert_new
-- All whose key is free, in one statement and in the order of their keys, so that two callers meet in the same order.
INSERT INTO jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask, resume, priority, not_before, issue_id, batch_key)
SELECT workspace_id, source, kind, chat_guid, dedupe_key, ask, resume, priority, coalesce(not_before, (SELECT app_now())), issue_id, batch_key
  FROM unnest(:workspace_id::uuid[], :source::text[], :kind::text[], :chat_guid::text[], :dedupe_key::text[], :ask::jsonb[],
              :resume::jsonb[], :priority::text[], :not_before::timestamptz[], :issue_id::text[], :batch_key::text[])
       AS new (workspace_id, source, kind, chat_guid, dedupe_key, ask, resume, priority, not_before, issue_id, batch_key)
 ORDER BY dedupe_key
    ON CONFLICT (workspace_id, dedupe_key) WHERE finished_at IS NULL DO NOTHING
RETURNING id, dedupe_key;

-- name: supersede$
SELECT jobs_supersede(:job_id, :ask, :resume, :priority::text) AS outcome;
