-- name: sessions^
-- Of this database: how long the oldest transaction is open, prepared ones included, and how long anybody waits for a lock.
SELECT coalesce(extract(epoch FROM clock_timestamp() - least(
         (SELECT min(xact_start) FROM pg_stat_activity
           WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()),
         (SELECT min(prepared) FROM pg_prepared_xacts WHERE database = current_database()))), 0)::int
         AS oldest_transaction_seconds,
       coalesce(extract(epoch FROM clock_timestamp() - (SELECT min(waitstart) FROM pg_locks WHERE NOT granted)), 0)::int
         AS oldest_lock_wait_seconds;
