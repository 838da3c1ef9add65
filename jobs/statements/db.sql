-- name: act^
-- Settings last until the end of the transaction, and never leak through a pool. Returns what was set before.
WITH before AS MATERIALIZED (
  SELECT coalesce(current_setting('sayso.actor', true), '') AS actor, coalesce(current_setting('sayso.reason', true), '') AS reason)
SELECT actor, reason,
       set_config('sayso.actor', coalesce(:actor::text, actor), true) IS NOT NULL AS actor_set,
       set_config('sayso.reason', coalesce(:reason::text, reason), true) IS NOT NULL AS reason_set
  FROM before;

-- name: act_as_before^
SELECT set_config('sayso.actor', :actor::text, true), set_config('sayso.reason', :reason::text, true);
