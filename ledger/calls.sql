-- name: lock_key!
-- One caller at a time per key, until the end of the transaction: the second sees what the first has done.
SELECT pg_advisory_xact_lock(hashtextextended('ledger ' || :workspace_id::text || ' ' || :key, 0));

-- name: with_key^
SELECT * FROM ledger_calls WHERE workspace_id = :workspace_id AND idempotency_key = :key;

-- name: get^
SELECT * FROM ledger_calls WHERE id = :id;

-- name: undone_by^
SELECT * FROM ledger_calls WHERE undoes = :id;

-- name: insert^
INSERT INTO ledger_calls (workspace_id, tool, idempotency_key, job_id, arguments, before, after, rationale, decided_by, trust,
                          confidence, undoes)
VALUES (:workspace_id, :tool, :key, :job_id, :arguments, :before, :after, :rationale, :decided_by, :trust, :confidence, :undoes)
RETURNING id;

-- name: later^
-- The last call on the same row, made after this one, that touched one of these fields.
SELECT l.* FROM ledger_calls c
  JOIN ledger_calls l ON l.workspace_id = c.workspace_id AND l.id <> c.id AND l.called_at >= c.called_at
                     AND l.arguments ->> :target = c.arguments ->> :target AND l.after ?| :fields::text[]
 WHERE c.id = :id
 ORDER BY l.called_at DESC, l.id DESC LIMIT 1;

-- name: listed
SELECT * FROM ledger_calls
 WHERE (:workspace_id::uuid IS NULL OR workspace_id = :workspace_id) AND (:job_id::uuid IS NULL OR job_id = :job_id)
   AND (:tool::text IS NULL OR tool = :tool)
 ORDER BY called_at DESC, id DESC LIMIT :limit;
