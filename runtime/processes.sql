-- name: beat!
-- A process is alive: its row says so from now.
INSERT INTO runtime_processes (name, host, pid) VALUES (:name, :host, :pid)
    ON CONFLICT (host, name) DO UPDATE
   SET pid = excluded.pid, beat_at = clock_timestamp(),
       started_at = CASE WHEN runtime_processes.pid = excluded.pid THEN runtime_processes.started_at ELSE clock_timestamp() END;

-- name: of_host
-- What this machine's processes last said.
SELECT * FROM runtime_processes WHERE host = :host ORDER BY name;

-- name: forget!
-- No process of this machine runs any more.
DELETE FROM runtime_processes WHERE host = :host;

-- name: late^
-- How many processes have said nothing for three beats and more.
SELECT count(*)::int AS late FROM runtime_processes WHERE beat_at < clock_timestamp() - interval '20 s';

-- name: runs^
SELECT EXISTS (SELECT FROM runtime_processes WHERE name = :name) AS runs;
