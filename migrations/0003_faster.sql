-- What a CHECK costs: its text is read and planned anew by every statement. The long ones become functions that the guard
-- calls, whose plans are kept; they refuse under the same names.

-- Which rule of what can be asked is broken, or null. Not as CHECKs: those are read and planned anew by every statement,
-- which took half the time of an enqueue. The guard calls it, and refuses under the name of the rule.
CREATE FUNCTION jobs_unfit(p_ask jsonb, p_resume jsonb, p_kind text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE hold jsonb := p_ask -> 'hold_seconds';
BEGIN
  RETURN CASE
    WHEN (jsonb_typeof(p_ask), jsonb_typeof(p_ask -> 'question')) IS DISTINCT FROM ('object', 'string') OR p_ask ->> 'question' = ''
      THEN 'an_ask_is_an_object_with_a_question'
    WHEN octet_length(p_ask::text) > 65536 THEN 'an_ask_is_at_most_64_kib'
    WHEN jsonb_typeof(p_resume) IS DISTINCT FROM 'object' OR octet_length(p_resume::text) > 65536
      THEN 'a_resume_is_an_object_of_at_most_64_kib'
    WHEN p_ask #> '{answer,slots}' ?| ARRAY['verdict','confirmed','freeform','decided_by','decided_at','evidence','interpreted_by']
      THEN 'reserved_slot_names_are_ours'
    WHEN jsonb_typeof(hold) <> 'number' THEN 'a_hold_is_a_number_of_seconds'
    WHEN hold::numeric NOT BETWEEN 0 AND 86400 THEN 'a_hold_is_a_number_of_seconds'
    WHEN p_kind = 'notice' AND hold <> '0' THEN 'a_notice_has_no_hold' END;
END $$;
CREATE FUNCTION jobs_undecided(p_resolution jsonb, p_kind text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE WHEN p_kind <> 'notice' AND NOT coalesce(
      p_resolution ?& ARRAY['verdict','confirmed','decided_by','decided_at','evidence'] AND p_resolution ->> 'decided_by' <> ''
      AND jsonb_typeof(p_resolution -> 'evidence') <> 'null', false) THEN 'a_decision_says_who_decided_and_by_which_words' END;
END $$;

CREATE OR REPLACE FUNCTION jobs_guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE a asks; broken text;
BEGIN
  IF TG_OP = 'INSERT' OR (NEW.ask, NEW.resume, NEW.waiting, NEW.resolution) IS DISTINCT FROM (OLD.ask, OLD.resume, OLD.waiting, OLD.resolution) THEN
    broken := coalesce(jobs_unfit(NEW.ask, NEW.resume, NEW.kind),
      CASE WHEN TG_OP = 'UPDATE' AND NEW.waiting IS NOT NULL AND jobs_unfit(NEW.waiting -> 'ask', NEW.waiting -> 'resume', NEW.kind) <> ''
           THEN 'waiting_facts_can_be_asked' END,
      CASE WHEN NEW.resolution IS NOT NULL THEN jobs_undecided(NEW.resolution, NEW.kind) END);
    IF broken <> '' AND NEW.ask IS NOT NULL AND NEW.resume IS NOT NULL THEN
      RAISE EXCEPTION 'job % breaks the rule "%"', NEW.id, broken USING ERRCODE = 'check_violation', CONSTRAINT = broken, TABLE = 'jobs';
    END IF;
  END IF;
  IF TG_OP = 'INSERT' THEN
    IF NOT (NEW.status = 'pending' OR (NEW.status = 'resolved' AND NEW.kind = 'pm_request')) THEN
      RAISE EXCEPTION 'a job is born pending, not %', NEW.status USING ERRCODE = 'SY001';
    END IF;
    IF NEW.ask_id IS NOT NULL OR NEW.waiting IS NOT NULL OR NEW.finished_at IS NOT NULL THEN
      RAISE EXCEPTION 'a job is born neither asked nor finished' USING ERRCODE = 'SY001';
    END IF;
    IF NEW.status = 'resolved' THEN
      NEW.release_at := greatest(NEW.release_at, app_now() + make_interval(secs => coalesce((NEW.ask ->> 'hold_seconds')::float, 0)));
    END IF;
    NEW.version := 1; NEW.ask_rev := 1; NEW.finish_after := NEW.release_at;
    NEW.decision_no := CASE NEW.status WHEN 'resolved' THEN 1 ELSE 0 END;
    NEW.ended_at := CASE NEW.status WHEN 'resolved' THEN app_now() END;
    RETURN NEW;
  END IF;
  IF (NEW.id, NEW.workspace_id, NEW.source, NEW.kind, NEW.dedupe_key, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.source, OLD.kind, OLD.dedupe_key, OLD.created_at) THEN
    RAISE EXCEPTION 'identity of job % cannot change', OLD.id USING ERRCODE = 'SY002';
  END IF;
  IF OLD.finished_at IS NOT NULL THEN
    RAISE EXCEPTION 'job % is finished (%)', OLD.id, OLD.status USING ERRCODE = 'SY003';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
      ('pending','asking'), ('pending','resolved'), ('pending','cancelled'), ('pending','failed'),
      ('asking','awaiting_reply'), ('asking','pending'), ('asking','resolved'), ('asking','cancelled'), ('asking','failed'),
      ('awaiting_reply','resolved'), ('awaiting_reply','pending'), ('awaiting_reply','cancelled'),
      ('resolved','pending'), ('failed','pending')) THEN
    RAISE EXCEPTION 'job % cannot go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'SY006';
  END IF;
  IF OLD.status = 'asking' AND NEW.status IN ('pending','awaiting_reply','resolved','failed') THEN
    SELECT * INTO a FROM asks WHERE id = OLD.ask_id;         -- its marks are set once, so reading them is enough
    IF NEW.status IN ('pending','failed') AND a.withdrawn_at IS NULL AND a.rejected_at IS NULL THEN
      RAISE EXCEPTION 'ask % may have been seen: it is reconciled, not repeated', a.id USING ERRCODE = 'SY007';
    ELSIF NEW.status IN ('awaiting_reply','resolved') AND a.shown_at IS NULL THEN
      RAISE EXCEPTION 'ask % has not been shown', a.id USING ERRCODE = 'SY008';
    ELSIF NEW.status = 'resolved' AND NEW.kind <> 'notice' THEN
      RAISE EXCEPTION 'only a notice resolves by being shown' USING ERRCODE = 'SY009';
    END IF;
  END IF;
  IF OLD.status = 'pending' AND NEW.status = 'resolved' AND NOT EXISTS (      -- a late answer, to a wording that was shown
       SELECT FROM ask_items i JOIN asks k ON k.id = i.ask_id
        WHERE (i.ask_id, i.job_id, i.ask_rev) = (OLD.ask_id, OLD.id, OLD.ask_rev) AND k.shown_at IS NOT NULL) THEN
    RAISE EXCEPTION 'job % was never shown as it stands: nobody can have answered it', OLD.id USING ERRCODE = 'SY008';
  END IF;
  IF NEW.status = 'asking' AND OLD.status = 'pending' AND EXISTS (SELECT FROM asks WHERE id = NEW.ask_id AND submitted_at IS NOT NULL) THEN
    RAISE EXCEPTION 'ask % is already on its way: a job joins only before that', NEW.ask_id USING ERRCODE = 'SY019';
  END IF;
  IF NEW.ask_id IS DISTINCT FROM OLD.ask_id AND NOT (OLD.status = 'pending' AND NEW.status = 'asking') THEN
    RAISE EXCEPTION 'job % changes its ask only by being asked', OLD.id USING ERRCODE = 'SY014';
  END IF;
  IF NEW.chat_guid <> OLD.chat_guid AND NEW.status <> 'pending' THEN
    RAISE EXCEPTION 'only a pending job moves to another chat' USING ERRCODE = 'SY005';
  END IF;
  IF NEW.status = 'resolved' AND OLD.status = 'resolved' AND NEW.release_at < OLD.release_at THEN
    RAISE EXCEPTION 'the hold of job % can be lengthened, not shortened', OLD.id USING ERRCODE = 'SY017';
  END IF;
  IF NEW.status = 'resolved' AND OLD.status = 'resolved'
     AND (NEW.resolution, NEW.answered_rev) IS DISTINCT FROM (OLD.resolution, OLD.answered_rev) THEN
    RAISE EXCEPTION 'the decision on job % is revoked and made again, not rewritten', OLD.id USING ERRCODE = 'SY015';
  END IF;
  IF NEW.status = OLD.status AND NEW.end_reason IS DISTINCT FROM OLD.end_reason THEN
    RAISE EXCEPTION 'why job % ended cannot be rewritten', OLD.id USING ERRCODE = 'SY015';
  END IF;
  IF OLD.waiting IS NOT NULL AND NEW.waiting IS NULL AND NEW.status IN ('pending','asking','awaiting_reply') THEN
    RAISE EXCEPTION 'the newer facts of job % come into force when it goes back to pending: they are not dropped', OLD.id USING ERRCODE = 'SY016';
  END IF;
  NEW.decision_no := OLD.decision_no; NEW.ended_at := OLD.ended_at;          -- both are counted and stamped here alone

  IF NEW.status = 'pending' AND OLD.status <> 'pending' THEN
    NEW.resolution := NULL; NEW.answered_rev := NULL; NEW.release_at := NULL; NEW.end_reason := NULL; NEW.ended_at := NULL;
    NEW.finish_after := NULL; NEW.finish_lease_until := NULL; NEW.finish_error := NULL; NEW.finish_attempts := 0;
    IF NEW.waiting IS NOT NULL THEN               -- the newer facts step forward
      NEW.ask := NEW.waiting -> 'ask'; NEW.resume := NEW.waiting -> 'resume'; NEW.waiting := NULL;
    END IF;
  END IF;
  IF (NEW.ask, NEW.resume) IS DISTINCT FROM (OLD.ask, OLD.resume) THEN
    IF NEW.status <> 'pending' THEN
      RAISE EXCEPTION 'job % is %: what was shown cannot be rewritten', OLD.id, OLD.status USING ERRCODE = 'SY004';
    END IF;
    NEW.ask_rev := OLD.ask_rev + 1;
  ELSE
    NEW.ask_rev := OLD.ask_rev;
  END IF;
  IF NEW.status = 'asking' AND OLD.status = 'pending' THEN NEW.ask_attempts := OLD.ask_attempts + 1; END IF;
  IF NEW.status IN ('resolved','cancelled','failed') AND OLD.status <> NEW.status THEN
    NEW.ended_at := app_now(); NEW.waiting := NULL;
    IF NEW.status = 'resolved' THEN                -- the hold counts from here, whoever writes
      NEW.release_at := greatest(NEW.release_at, app_now() + make_interval(secs => coalesce((NEW.ask ->> 'hold_seconds')::float, 0)));
    END IF;
    NEW.finish_after := coalesce(NEW.release_at, NEW.ended_at);
    IF NEW.status = 'resolved' THEN
      IF OLD.waiting IS NOT NULL THEN
        RAISE EXCEPTION 'the facts of job % changed after it was shown: ask again', OLD.id USING ERRCODE = 'SY016';
      END IF;
      NEW.decision_no := OLD.decision_no + 1;
    END IF;
  ELSIF NEW.release_at > NEW.finish_after THEN
    NEW.finish_after := NEW.release_at;
  END IF;
  IF NEW.finished_at IS NOT NULL THEN
    NEW.finished_at := app_now();
    IF NEW.release_at > NEW.finished_at THEN
      RAISE EXCEPTION 'job % is held until %', OLD.id, NEW.release_at USING ERRCODE = 'SY020';
    END IF;
    IF NEW.status = 'resolved' AND NEW.kind <> 'notice' AND EXISTS (
         SELECT FROM chats c WHERE (c.workspace_id, c.chat_guid) = (NEW.workspace_id, NEW.chat_guid) AND c.unheard_since IS NOT NULL) THEN
      RAISE EXCEPTION 'the person wrote after deciding job %, and nobody has read it', OLD.id USING ERRCODE = 'SY022';
    END IF;
  END IF;
  NEW.version := OLD.version + CASE WHEN
      (NEW.status, NEW.priority, NEW.not_before, NEW.ask_rev, NEW.chat_guid, NEW.release_at, NEW.finished_at, NEW.waiting) IS DISTINCT FROM
      (OLD.status, OLD.priority, OLD.not_before, OLD.ask_rev, OLD.chat_guid, OLD.release_at, OLD.finished_at, OLD.waiting) THEN 1 ELSE 0 END;
  NEW.updated_at := app_now();
  RETURN NEW;
END $$;

ALTER TABLE jobs
  DROP CONSTRAINT an_ask_is_an_object_with_a_question,
  DROP CONSTRAINT an_ask_is_at_most_64_kib,
  DROP CONSTRAINT a_resume_is_an_object_of_at_most_64_kib,
  DROP CONSTRAINT reserved_slot_names_are_ours,
  DROP CONSTRAINT a_hold_is_a_number_of_seconds,
  DROP CONSTRAINT a_decision_says_who_decided_and_by_which_words,
  DROP CONSTRAINT a_notice_has_no_hold,
  DROP CONSTRAINT waiting_facts_can_be_asked;
