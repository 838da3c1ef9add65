-- Sayso's database, to be read from top to bottom. PostgreSQL 15 or newer; no extension.
--
-- A subsystem that needs the property manager puts a row in `jobs`. A conductor shows it, in an ask, in a chat, and writes
-- what the person decided on the row. The subsystem takes the end home. Everything else here serves those three sentences.
--
-- Sections by owner, lowest layer first: jobs, ledger, directory, channels, conductor, subsystems, runtime. A table is
-- written by the folder of its owner alone; its name starts with the owner's.
--
-- Lock order, everywhere: chat (FOR NO KEY UPDATE, never FOR UPDATE: that would wait for every open enqueue) -> jobs by
-- id -> message -> ask. Producers and finishes take no chat. Nobody takes a chat while holding a job or an ask.
--
-- Every back edge of a job starts from an unfinished row, which already owns its key: none can hit one_live_job_per_key.
-- Refusals of the guards carry SQLSTATE SY001 to SY099; jobs/errors.py says what those mean that a verb can meet.
-- Times are timestamptz. Only the database's clock decides, and a session can set it.

CREATE FUNCTION app_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS      -- in WHERE write (SELECT app_now())
$$ SELECT coalesce(nullif(current_setting('sayso.now', true), '')::timestamptz, clock_timestamp()) $$;
CREATE FUNCTION app_actor() RETURNS text LANGUAGE sql STABLE AS             -- set_config('sayso.actor', …, true)
$$ SELECT coalesce(nullif(current_setting('sayso.actor', true), ''), 'db:' || session_user) $$;
CREATE FUNCTION app_reason() RETURNS text LANGUAGE sql STABLE AS
$$ SELECT nullif(current_setting('sayso.reason', true), '') $$;

-- Version 7 (RFC 9562): 48 bits of unix milliseconds, then random bits; ids sort by when they were made.
CREATE FUNCTION app_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
           PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
         52, 1), 53, 1), 'hex')::uuid $$;

-- ================================================================ jobs/: chats, asks, jobs and their history

CREATE TABLE chats (
  workspace_id uuid   NOT NULL,
  chat_guid    text   NOT NULL,                   -- our own stable name; providers' guids are aliases of it
  next_look_at timestamptz,                       -- derived; written by turns alone, under the lock
  turn_no      bigint NOT NULL DEFAULT 0,         -- order of this chat's history that no clock can bend; fence for slow work
  turn_failures int   NOT NULL DEFAULT 0,         -- turns that raised, in a row; backs off, and is shown red
  last_error   text,
  unheard_since timestamptz,                      -- the person wrote, and no turn has read it: nothing decided here finishes before
  PRIMARY KEY (workspace_id, chat_guid),
  CONSTRAINT a_thread_belongs_to_one_workspace UNIQUE (chat_guid)
) WITH (fillfactor = 70);
CREATE INDEX chats_to_look_at ON chats (next_look_at) WHERE next_look_at IS NOT NULL;

-- "Look at this chat." Producers only insert; a turn deletes the chat's wakes after it has locked the chat, before it reads.
CREATE TABLE chat_wakes (workspace_id uuid NOT NULL, chat_guid text NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY,
  left_at timestamptz NOT NULL DEFAULT app_now());
CREATE INDEX chat_wakes_by_chat ON chat_wakes (workspace_id, chat_guid);

-- One question or bundle put to a person, whatever number of messages it takes; or the carrier of a notice.
CREATE TABLE asks (
  id            uuid PRIMARY KEY DEFAULT app_uuid(),
  workspace_id  uuid NOT NULL,
  chat_guid     text NOT NULL,
  expects_reply boolean NOT NULL DEFAULT true,    -- false: carries a notice and takes no slot
  opened_turn   bigint NOT NULL,
  opened_at     timestamptz NOT NULL DEFAULT app_now(),
  withdrawn_at  timestamptz,                      -- set once: its question never went to the channel
  submitted_at  timestamptz,                      -- set once: from here on the person may have seen it
  rejected_at   timestamptz,                      -- set once: the channel certainly did not take it
  shown_at      timestamptz,                      -- set once: accepted, delivered, echoed, answered or assumed
  shown_by      text,
  closed_at     timestamptz,
  closed_turn   bigint,
  closed_why    text,
  open_id uuid GENERATED ALWAYS AS (CASE WHEN closed_at IS NULL THEN id END) STORED,
  FOREIGN KEY (workspace_id, chat_guid) REFERENCES chats,
  CONSTRAINT an_open_ask_can_be_pointed_at UNIQUE (workspace_id, chat_guid, open_id, expects_reply),
  CONSTRAINT a_submitted_ask_is_not_withdrawn CHECK (withdrawn_at IS NULL OR submitted_at IS NULL),
  CONSTRAINT a_rejected_ask_was_not_shown     CHECK (rejected_at  IS NULL OR shown_at IS NULL),
  CONSTRAINT shown_says_how                   CHECK ((shown_at IS NULL) = (shown_by IS NULL)),
  CONSTRAINT closed_says_why                  CHECK ((closed_at IS NULL) = (closed_why IS NULL)),
  CONSTRAINT a_shown_ask_was_submitted        CHECK (shown_at IS NULL OR submitted_at IS NOT NULL)
);
CREATE UNIQUE INDEX one_open_ask_per_chat    ON asks (workspace_id, chat_guid) WHERE closed_at IS NULL AND expects_reply;
CREATE UNIQUE INDEX one_open_notice_per_chat ON asks (workspace_id, chat_guid) WHERE closed_at IS NULL AND NOT expects_reply;

CREATE TABLE ask_items (                          -- which wording stood under which number; append-only
  ask_id uuid NOT NULL REFERENCES asks, item_no smallint NOT NULL,
  job_id uuid NOT NULL, ask_rev int NOT NULL,     -- no FK to jobs: jobs leave the live table earlier
  PRIMARY KEY (ask_id, item_no),
  CONSTRAINT a_wording_stands_once_in_an_ask UNIQUE (ask_id, job_id, ask_rev)
);

-- Which owner finishes which kind. Filled at start from each subsystem's kinds.py.
CREATE TABLE job_kinds (source text NOT NULL, kind text NOT NULL, PRIMARY KEY (source, kind));

-- Something a subsystem needs the property manager for, or tells them. Live until finished_at.
CREATE TABLE jobs (
  id           uuid PRIMARY KEY DEFAULT app_uuid(),
  workspace_id uuid NOT NULL,
  source       text NOT NULL,
  kind         text NOT NULL,
  status       text NOT NULL DEFAULT 'pending',
  priority     text NOT NULL DEFAULT 'normal',
  issue_id     text,
  chat_guid    text NOT NULL,
  ask          jsonb NOT NULL,
  resume       jsonb NOT NULL DEFAULT '{}',
  ask_rev      int  NOT NULL DEFAULT 1,           -- counts the versions of (ask, resume)
  waiting      jsonb,                             -- {ask, resume} that arrived while the older ones are before the person
  resolution   jsonb,
  answered_rev int,                               -- the ask_rev the answerer was looking at
  decision_no  int NOT NULL DEFAULT 0,            -- counts resolutions
  not_before   timestamptz NOT NULL DEFAULT app_now(),
  dedupe_key   text NOT NULL,
  batch_key    text,
  ask_id       uuid,                              -- the ask that carries or last carried it
  ask_attempts int NOT NULL DEFAULT 0,
  release_at   timestamptz,                       -- end of the hold
  finish_after timestamptz,                       -- earliest finish: the release, then the back-off; the year 9999 = needs a person
  finish_attempts    int NOT NULL DEFAULT 0,      -- counted when claimed, so that a crash counts
  finish_lease_until timestamptz,
  finish_error text,
  finished_at  timestamptz,                       -- the owner has taken the end home
  end_reason   text,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT app_now(),
  updated_at   timestamptz NOT NULL DEFAULT app_now(),
  ended_at     timestamptz,
  version      bigint NOT NULL DEFAULT 1,         -- moves with what a person can see, not with leases and attempts
  rank smallint NOT NULL GENERATED ALWAYS AS (CASE priority WHEN 'urgent' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END) STORED,
  open_ask_id uuid GENERATED ALWAYS AS (CASE WHEN status IN ('asking','awaiting_reply') THEN ask_id END) STORED,
  needs_reply boolean NOT NULL GENERATED ALWAYS AS (kind <> 'notice') STORED,

  CONSTRAINT status_is_known   CHECK (status IN ('pending','asking','awaiting_reply','resolved','cancelled','failed')),
  CONSTRAINT priority_is_known CHECK (priority IN ('urgent','normal','low')),
  CONSTRAINT a_resolution_exactly_when_resolved CHECK ((status = 'resolved') = (resolution IS NOT NULL)),
  CONSTRAINT a_release_exactly_when_resolved    CHECK ((status = 'resolved') = (release_at IS NOT NULL)),
  CONSTRAINT an_asked_job_has_its_ask           CHECK (status NOT IN ('asking','awaiting_reply') OR ask_id IS NOT NULL),
  CONSTRAINT only_an_asked_job_has_facts_waiting CHECK (waiting IS NULL OR status IN ('asking','awaiting_reply')),
  CONSTRAINT the_answer_is_to_what_was_shown
             CHECK (status <> 'resolved' OR kind = 'notice' OR coalesce(answered_rev = ask_rev, kind = 'pm_request' AND ask_id IS NULL)),
  CONSTRAINT only_an_end_is_finished    CHECK (finished_at IS NULL OR status IN ('resolved','cancelled','failed')),
  CONSTRAINT nothing_finishes_in_its_hold CHECK (finished_at IS NULL OR release_at IS NULL OR finished_at >= release_at),
  CONSTRAINT an_end_without_answer_says_why CHECK ((status IN ('cancelled','failed')) = (end_reason IS NOT NULL)),
  CONSTRAINT times_are_finite            CHECK (isfinite(not_before) AND isfinite(coalesce(release_at, not_before)) AND isfinite(coalesce(finish_after, not_before))),
  CONSTRAINT a_key_is_a_short_line       CHECK (dedupe_key <> '' AND length(dedupe_key) <= 300 AND dedupe_key !~ '[[:cntrl:]]'),
  CONSTRAINT its_owner_finishes_its_kind FOREIGN KEY (source, kind) REFERENCES job_kinds,
  CONSTRAINT what_is_asked_stands_in_the_ask FOREIGN KEY (open_ask_id, id, ask_rev) REFERENCES ask_items (ask_id, job_id, ask_rev),
  CONSTRAINT its_chat_is_of_its_workspace FOREIGN KEY (workspace_id, chat_guid) REFERENCES chats,
  CONSTRAINT an_asked_job_belongs_to_the_open_ask_of_its_chat
             FOREIGN KEY (workspace_id, chat_guid, open_ask_id, needs_reply)
             REFERENCES asks (workspace_id, chat_guid, open_id, expects_reply)
);
CREATE UNIQUE INDEX one_live_job_per_key ON jobs (workspace_id, dedupe_key) WHERE finished_at IS NULL;
CREATE INDEX jobs_waiting    ON jobs (workspace_id, chat_guid, needs_reply, rank, not_before, id) WHERE status = 'pending';
CREATE INDEX jobs_asked      ON jobs (open_ask_id) WHERE open_ask_id IS NOT NULL;      -- serves the FK check when an ask closes
CREATE INDEX jobs_to_finish  ON jobs (finish_after) WHERE finished_at IS NULL AND finish_after IS NOT NULL;
CREATE INDEX jobs_held       ON jobs (workspace_id, chat_guid) WHERE status = 'resolved' AND finished_at IS NULL;
CREATE INDEX jobs_of_an_issue ON jobs (workspace_id, issue_id) WHERE issue_id IS NOT NULL;
CREATE INDEX jobs_to_archive ON jobs (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE job_events (                         -- no words of any person in here: it can neither be edited nor erased
  id           bigint GENERATED ALWAYS AS IDENTITY,
  at           timestamptz NOT NULL DEFAULT app_now(),
  tx           xid8 NOT NULL DEFAULT pg_current_xact_id(),   -- followers read (tx, id) below pg_snapshot_xmin()
  workspace_id uuid NOT NULL, job_id uuid NOT NULL, chat_guid text NOT NULL, ask_id uuid, turn_no bigint,
  old_status   text, new_status text NOT NULL, version bigint NOT NULL, ask_rev int NOT NULL, decision_no int NOT NULL,
  finished     boolean NOT NULL,
  actor        text NOT NULL DEFAULT app_actor(), db_user text NOT NULL DEFAULT session_user, reason text
) PARTITION BY RANGE (at);
CREATE INDEX job_events_of_a_job ON job_events (job_id, version);

CREATE TABLE job_decisions (                      -- every decision ever made, revoked ones too; its words can be blanked by erase
  workspace_id uuid NOT NULL, job_id uuid NOT NULL, decision_no int NOT NULL,
  ask_id uuid, answered_rev int, resolution jsonb NOT NULL, made_at timestamptz NOT NULL DEFAULT app_now(),
  PRIMARY KEY (job_id, decision_no)
);

-- ---------------------------------------------------------------- guards (BEFORE ROW; generated columns of NEW are not computed yet here)
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

CREATE FUNCTION jobs_guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
CREATE TRIGGER a_guard BEFORE INSERT OR UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION jobs_guard();

CREATE FUNCTION asks_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF num_nonnulls(NEW.withdrawn_at, NEW.submitted_at, NEW.rejected_at, NEW.shown_at, NEW.closed_at) > 0 THEN
      RAISE EXCEPTION 'an ask is born open, and unseen' USING ERRCODE = 'SY010';
    END IF;
    RETURN NEW;
  END IF;
  IF (NEW.id, NEW.workspace_id, NEW.chat_guid, NEW.opened_turn, NEW.opened_at, NEW.expects_reply)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.chat_guid, OLD.opened_turn, OLD.opened_at, OLD.expects_reply)
  OR (OLD.withdrawn_at IS NOT NULL AND NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at)
  OR (OLD.submitted_at IS NOT NULL AND NEW.submitted_at IS DISTINCT FROM OLD.submitted_at)
  OR (OLD.rejected_at  IS NOT NULL AND NEW.rejected_at  IS DISTINCT FROM OLD.rejected_at)
  OR (OLD.shown_at     IS NOT NULL AND (NEW.shown_at, NEW.shown_by) IS DISTINCT FROM (OLD.shown_at, OLD.shown_by))
  OR (OLD.closed_at    IS NOT NULL AND (NEW.closed_at, NEW.closed_turn, NEW.closed_why) IS DISTINCT FROM (OLD.closed_at, OLD.closed_turn, OLD.closed_why)) THEN
    RAISE EXCEPTION 'ask %: what happened cannot be unset', OLD.id USING ERRCODE = 'SY010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_guard BEFORE INSERT OR UPDATE ON asks FOR EACH ROW EXECUTE FUNCTION asks_guard();

CREATE FUNCTION ask_items_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE a asks;
BEGIN
  SELECT * INTO a FROM asks WHERE id = NEW.ask_id FOR SHARE;  -- so that it cannot be submitted meanwhile
  IF num_nonnulls(a.submitted_at, a.withdrawn_at, a.rejected_at, a.closed_at) > 0 THEN
    RAISE EXCEPTION 'ask % is already on its way or over: no wording joins it', a.id USING ERRCODE = 'SY019';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_guard BEFORE INSERT ON ask_items FOR EACH ROW EXECUTE FUNCTION ask_items_guard();

CREATE FUNCTION chats_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.turn_no < OLD.turn_no OR (NEW.workspace_id, NEW.chat_guid) <> (OLD.workspace_id, OLD.chat_guid) THEN
    RAISE EXCEPTION 'chat % keeps its name, and its turns are counted upwards', OLD.chat_guid USING ERRCODE = 'SY021';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_guard BEFORE UPDATE ON chats FOR EACH ROW EXECUTE FUNCTION chats_guard();

CREATE FUNCTION history_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'SY011'; END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON job_events FOR EACH ROW EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON job_decisions FOR EACH ROW EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ask_items FOR EACH ROW EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only BEFORE DELETE ON asks FOR EACH ROW EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only_t BEFORE TRUNCATE ON job_events FOR EACH STATEMENT EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only_t BEFORE TRUNCATE ON job_decisions FOR EACH STATEMENT EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only_t BEFORE TRUNCATE ON ask_items FOR EACH STATEMENT EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only_t BEFORE TRUNCATE ON asks FOR EACH STATEMENT EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only_t BEFORE TRUNCATE ON jobs FOR EACH STATEMENT EXECUTE FUNCTION history_is_append_only();
-- only the triggers of jobs write these two
CREATE TRIGGER written_by_the_database BEFORE INSERT ON job_events FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER written_by_the_database BEFORE INSERT ON job_decisions FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION history_is_append_only();

-- Makes the months of job_events from p_from up to p_until that are missing; returns how many. No default partition: a
-- missing month refuses every transition, so there are always twelve ahead, and status is red under three.
CREATE FUNCTION jobs_make_months(p_from timestamptz, p_until timestamptz) RETURNS int LANGUAGE plpgsql AS $$
DECLARE m timestamp := date_trunc('month', p_from AT TIME ZONE 'UTC'); made int := 0; part text;
BEGIN
  WHILE m <= p_until AT TIME ZONE 'UTC' LOOP
    part := 'job_events_' || to_char(m, 'YYYYMM');
    IF to_regclass(part) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF job_events FOR VALUES FROM (%L) TO (%L)',
                     part, m AT TIME ZONE 'UTC', (m + interval '1 month') AT TIME ZONE 'UTC');
      EXECUTE format('CREATE TRIGGER append_only_t BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION history_is_append_only()', part);
      made := made + 1;
    END IF;
    m := m + interval '1 month';
  END LOOP;
  RETURN made;
END $$;
SELECT jobs_make_months(app_now() - interval '3 months', app_now() + interval '12 months');

CREATE FUNCTION jobs_no_live_delete() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF OLD.finished_at IS NULL THEN RAISE EXCEPTION 'job % is live: cancel it', OLD.id USING ERRCODE = 'SY012'; END IF; RETURN OLD; END $$;
CREATE TRIGGER a_guard_delete BEFORE DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION jobs_no_live_delete();

-- ---------------------------------------------------------------- what every statement leaves behind (AFTER STATEMENT, after the FK checks)
CREATE FUNCTION jobs_after_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE n int;
BEGIN
  WITH e AS (INSERT INTO job_events (workspace_id, job_id, chat_guid, new_status, version, ask_rev, decision_no, finished, reason)
               SELECT workspace_id, id, chat_guid, status, version, ask_rev, decision_no, false, app_reason() FROM new_rows),
       d AS (INSERT INTO job_decisions (workspace_id, job_id, decision_no, ask_id, answered_rev, resolution)
               SELECT workspace_id, id, decision_no, ask_id, answered_rev, resolution FROM new_rows WHERE status = 'resolved'),
       w AS (INSERT INTO chat_wakes (workspace_id, chat_guid) SELECT DISTINCT workspace_id, chat_guid FROM new_rows WHERE status = 'pending')
  SELECT count(*) INTO n FROM new_rows;
  IF n > 0 THEN PERFORM pg_notify('sayso', ''); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER z_history_insert AFTER INSERT ON jobs REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION jobs_after_insert();

CREATE FUNCTION jobs_after_update() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE left_ask uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows n JOIN old_rows o USING (id) WHERE n.version > o.version) THEN RETURN NULL; END IF;
  INSERT INTO job_events (workspace_id, job_id, chat_guid, ask_id, turn_no, old_status, new_status, version, ask_rev, decision_no, finished, reason)
    SELECT n.workspace_id, n.id, n.chat_guid, n.ask_id, nullif(current_setting('sayso.turn', true), '')::bigint,
           o.status, n.status, n.version, n.ask_rev, n.decision_no, n.finished_at IS NOT NULL, app_reason()
      FROM new_rows n JOIN old_rows o USING (id) WHERE n.version > o.version;
  INSERT INTO job_decisions (workspace_id, job_id, decision_no, ask_id, answered_rev, resolution)
    SELECT n.workspace_id, n.id, n.decision_no, n.ask_id, n.answered_rev, n.resolution
      FROM new_rows n JOIN old_rows o USING (id) WHERE n.decision_no > o.decision_no;
  INSERT INTO chat_wakes (workspace_id, chat_guid)
    SELECT n.workspace_id, n.chat_guid FROM new_rows n JOIN old_rows o USING (id)
     WHERE (o.status, o.not_before, o.priority, o.chat_guid, o.waiting) IS DISTINCT FROM (n.status, n.not_before, n.priority, n.chat_guid, n.waiting)
    UNION
    SELECT o.workspace_id, o.chat_guid FROM new_rows n JOIN old_rows o USING (id) WHERE o.chat_guid <> n.chat_guid;
  -- the last job to leave an ask closes it, whoever moved it; lock the ask before looking (two may leave at once)
  FOR left_ask IN SELECT DISTINCT o.open_ask_id FROM old_rows o JOIN new_rows n USING (id)
                   WHERE o.open_ask_id IS NOT NULL AND n.open_ask_id IS DISTINCT FROM o.open_ask_id ORDER BY 1 LOOP
    PERFORM FROM asks WHERE id = left_ask FOR UPDATE;
    UPDATE asks SET closed_at = app_now(), closed_why = coalesce(app_reason(), 'its last job left'),
                    closed_turn = (SELECT turn_no FROM chats c WHERE (c.workspace_id, c.chat_guid) = (asks.workspace_id, asks.chat_guid))
     WHERE id = left_ask AND closed_at IS NULL AND NOT EXISTS (SELECT FROM jobs WHERE open_ask_id = left_ask);
  END LOOP;
  PERFORM pg_notify('sayso', '');
  RETURN NULL;
END $$;
CREATE TRIGGER z_history_update AFTER UPDATE ON jobs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION jobs_after_update();

-- Anything that a conductor should look at leaves a wake.
CREATE FUNCTION chat_wake(p_ws uuid, p_chat text) RETURNS void LANGUAGE sql AS
$$ INSERT INTO chat_wakes (workspace_id, chat_guid) VALUES (p_ws, p_chat); SELECT pg_notify('sayso', '') $$;

CREATE FUNCTION asks_after_mark() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS
$$ BEGIN PERFORM chat_wake(NEW.workspace_id, NEW.chat_guid); RETURN NULL; END $$;
CREATE TRIGGER z_wake AFTER UPDATE ON asks FOR EACH ROW
  WHEN ((NEW.withdrawn_at, NEW.rejected_at, NEW.shown_at) IS DISTINCT FROM (OLD.withdrawn_at, OLD.rejected_at, OLD.shown_at))
  EXECUTE FUNCTION asks_after_mark();

-- Any word of the person stops what is held in that chat until it is read, and for ten seconds more.
CREATE FUNCTION chat_spoken(p_ws uuid, p_chat text) RETURNS void LANGUAGE sql AS
$$ UPDATE chats SET unheard_since = coalesce(unheard_since, app_now()) WHERE (workspace_id, chat_guid) = (p_ws, p_chat);
   UPDATE jobs SET release_at = greatest(release_at, app_now() + interval '10 s')
    WHERE workspace_id = p_ws AND chat_guid = p_chat AND status = 'resolved' AND finished_at IS NULL $$;

CREATE FUNCTION asks_carry_a_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM asks WHERE id = NEW.id AND closed_at IS NULL)
     AND NOT EXISTS (SELECT FROM jobs WHERE open_ask_id = NEW.id) THEN
    RAISE EXCEPTION 'open ask % carries no job', NEW.id USING ERRCODE = 'SY013';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER an_open_ask_carries_a_job AFTER INSERT ON asks
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION asks_carry_a_job();

-- ---------------------------------------------------------------- verbs that other languages call
-- outcome: created | unchanged | freshened | overtaken (live, past pending, nothing written: supersede or let be, knowingly)
CREATE FUNCTION jobs_enqueue(p_ws uuid, p_source text, p_kind text, p_chat text, p_key text, p_ask jsonb,
    p_resume jsonb DEFAULT '{}', p_priority text DEFAULT 'normal', p_not_before timestamptz DEFAULT NULL,
    p_issue text DEFAULT NULL, p_batch text DEFAULT NULL,
    OUT job_id uuid, OUT outcome text, OUT job_status text) LANGUAGE plpgsql AS $$
DECLARE j record;
BEGIN
  LOOP
    SELECT id, status, source, kind, (ask, resume) IS NOT DISTINCT FROM (p_ask, p_resume)
           AND (priority = p_priority OR priority = 'urgent') AS same INTO j
      FROM jobs WHERE workspace_id = p_ws AND dedupe_key = p_key AND finished_at IS NULL;   -- reads, locks nothing
    IF FOUND THEN
      job_id := j.id; job_status := j.status;
      IF (j.source, j.kind) <> (p_source, p_kind) THEN
        RAISE EXCEPTION 'the live job with key % is a % of %', p_key, j.kind, j.source USING ERRCODE = 'SY018';
      END IF;
      IF j.same THEN outcome := 'unchanged'; RETURN; END IF;
      IF j.status <> 'pending' THEN outcome := 'overtaken'; RETURN; END IF;
      UPDATE jobs SET ask = p_ask, resume = p_resume, priority = CASE WHEN priority = 'urgent' THEN priority ELSE p_priority END
       WHERE id = j.id AND status = 'pending';
      IF FOUND THEN outcome := 'freshened'; RETURN; END IF;
      CONTINUE;                                                                            -- it was just taken: look again
    END IF;
    INSERT INTO jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask, resume, priority, not_before, issue_id, batch_key)
      VALUES (p_ws, p_source, p_kind, p_chat, p_key, p_ask, p_resume, p_priority, coalesce(p_not_before, app_now()), p_issue, p_batch)
      ON CONFLICT (workspace_id, dedupe_key) WHERE finished_at IS NULL DO NOTHING          -- never DO UPDATE: it locks the
      RETURNING id INTO job_id;                                                            -- live row even if its WHERE is false
    IF job_id IS NOT NULL THEN outcome := 'created'; job_status := 'pending'; RETURN; END IF;
  END LOOP;
END $$;

-- the owner's facts changed; works in every live state, waits for nobody's network
CREATE FUNCTION jobs_supersede(p_id uuid, p_ask jsonb, p_resume jsonb, p_priority text DEFAULT NULL, OUT outcome text) LANGUAGE plpgsql AS $$
DECLARE s text; f timestamptz;
BEGIN
  SELECT status, finished_at INTO s, f FROM jobs WHERE id = p_id FOR NO KEY UPDATE;
  IF NOT FOUND OR f IS NOT NULL OR s IN ('cancelled','failed') THEN outcome := 'ended'; RETURN; END IF;
  PERFORM set_config('sayso.reason', 'superseded', true);
  IF s = 'resolved' THEN UPDATE jobs SET status = 'pending' WHERE id = p_id; s := 'pending'; outcome := 'decision taken back';
  ELSIF s = 'pending' THEN outcome := 'freshened';
  ELSE outcome := 'will be asked again'; END IF;
  IF s = 'pending' THEN UPDATE jobs SET ask = p_ask, resume = p_resume, priority = coalesce(p_priority, priority) WHERE id = p_id;
  ELSE UPDATE jobs SET waiting = jsonb_build_object('ask', p_ask, 'resume', p_resume), priority = coalesce(p_priority, priority) WHERE id = p_id; END IF;
  PERFORM set_config('sayso.reason', '', true);
END $$;

-- an engineer's retry: outcome says which of four things it was
CREATE FUNCTION jobs_retry(p_id uuid, OUT job_id uuid, OUT outcome text) LANGUAGE plpgsql AS $$
DECLARE j jobs; e record;
BEGIN
  SELECT * INTO j FROM jobs WHERE id = p_id FOR NO KEY UPDATE;
  job_id := p_id;
  IF NOT FOUND THEN outcome := 'no such job';
  ELSIF j.finished_at IS NULL AND j.status = 'failed' THEN
    UPDATE jobs SET status = 'pending', not_before = app_now(), ask_attempts = 0 WHERE id = p_id; outcome := 'will be asked again';
  ELSIF j.finished_at IS NULL AND j.status IN ('resolved','cancelled') THEN
    UPDATE jobs SET finish_after = greatest(release_at, app_now()), finish_lease_until = NULL WHERE id = p_id; outcome := 'will be finished again';
  ELSIF j.finished_at IS NOT NULL AND j.status = 'failed' THEN                     -- already home: a new job, never the old one
    e := jobs_enqueue(j.workspace_id, j.source, j.kind, j.chat_guid, j.dedupe_key, j.ask, j.resume, j.priority, NULL, j.issue_id, j.batch_key);
    job_id := e.job_id; outcome := CASE e.outcome WHEN 'created' THEN 'new job' ELSE 'another live job has the key' END;
  ELSE outcome := 'nothing to retry'; END IF;
END $$;

-- ================================================================ ledger/: what was done to the world, by whom, how it is undone

-- One call of one typed tool. before and after hold only the fields the call touched. An undo is a row of its own.
CREATE TABLE ledger_calls (
  id              uuid PRIMARY KEY DEFAULT app_uuid(),
  workspace_id    uuid NOT NULL,
  tool            text NOT NULL,
  idempotency_key text NOT NULL,                  -- job_id:decision_no:effect for what a decision causes
  job_id          uuid,                           -- the job whose decision is the authority; no FK: jobs leave earlier
  arguments       jsonb NOT NULL,
  before          jsonb NOT NULL,
  after           jsonb NOT NULL,
  rationale       text NOT NULL,
  decided_by      text NOT NULL,                  -- who said so: 'person:<id>', 'policy:<id>', 'operator:<name>'
  trust           text NOT NULL,                  -- of whoever decided
  confidence      real,                           -- only of what no person decided
  actor           text NOT NULL DEFAULT app_actor(),
  undoes          uuid REFERENCES ledger_calls,
  called_at       timestamptz NOT NULL DEFAULT app_now(),
  CONSTRAINT a_call_is_made_once    UNIQUE (workspace_id, idempotency_key),
  CONSTRAINT a_call_is_undone_once  UNIQUE (undoes),
  CONSTRAINT trust_is_known         CHECK (trust IN ('contact', 'staff', 'admin')),
  CONSTRAINT confidence_is_a_share  CHECK (confidence BETWEEN 0 AND 1),
  CONSTRAINT somebody_decided       CHECK (decided_by <> '')
);
CREATE INDEX ledger_calls_latest ON ledger_calls (workspace_id, called_at DESC);
CREATE INDEX ledger_calls_of_a_job ON ledger_calls (job_id) WHERE job_id IS NOT NULL;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger_calls FOR EACH ROW EXECUTE FUNCTION history_is_append_only();
CREATE TRIGGER append_only_t BEFORE TRUNCATE ON ledger_calls FOR EACH STATEMENT EXECUTE FUNCTION history_is_append_only();

-- ================================================================ directory/: who and where

CREATE TABLE directory_workspaces (
  id           uuid PRIMARY KEY DEFAULT app_uuid(),
  name         text NOT NULL UNIQUE,
  hold_seconds int  NOT NULL DEFAULT 60,          -- seconds a decision is held before its effect is released
  is_demo      boolean NOT NULL DEFAULT false,
  created_at   timestamptz NOT NULL DEFAULT app_now(),
  CONSTRAINT a_hold_is_at_most_an_hour CHECK (hold_seconds BETWEEN 0 AND 3600)
);
ALTER TABLE chats ADD CONSTRAINT its_workspace_exists FOREIGN KEY (workspace_id) REFERENCES directory_workspaces;

-- external_id is the user's own key for the row: importing it twice changes the row, and never adds another.
CREATE TABLE directory_people (
  workspace_id uuid NOT NULL REFERENCES directory_workspaces,
  id           uuid NOT NULL DEFAULT app_uuid(),
  external_id  text NOT NULL,
  name         text NOT NULL,
  role         text NOT NULL,
  chat_guid    text,                              -- the manager's chat: who writes there may decide there
  channel      text NOT NULL DEFAULT 'terminal',  -- how the person is reached
  address      text NOT NULL,
  opted_out_at timestamptz,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, external_id),
  CONSTRAINT role_is_known CHECK (role IN ('manager', 'staff', 'tenant')),
  CONSTRAINT a_manager_has_a_chat CHECK ((role = 'manager') = (chat_guid IS NOT NULL)),
  CONSTRAINT its_chat_is_of_its_workspace FOREIGN KEY (workspace_id, chat_guid) REFERENCES chats
);
CREATE UNIQUE INDEX one_manager_per_chat ON directory_people (workspace_id, chat_guid) WHERE chat_guid IS NOT NULL;
CREATE INDEX directory_managers_by_address ON directory_people (channel, address) WHERE role = 'manager';

CREATE TABLE directory_properties (
  workspace_id uuid NOT NULL REFERENCES directory_workspaces,
  id           uuid NOT NULL DEFAULT app_uuid(),
  external_id  text NOT NULL,
  name         text NOT NULL,
  address      text NOT NULL,
  manager_id   uuid NOT NULL,                     -- who answers for it: questions about it go to this person's chat
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, external_id),
  FOREIGN KEY (workspace_id, manager_id) REFERENCES directory_people
);

CREATE TABLE directory_units (
  workspace_id uuid NOT NULL REFERENCES directory_workspaces,
  id           uuid NOT NULL DEFAULT app_uuid(),
  external_id  text NOT NULL,
  property_id  uuid NOT NULL,
  label        text NOT NULL,                     -- '#4'
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, external_id),
  FOREIGN KEY (workspace_id, property_id) REFERENCES directory_properties
);
-- A unit with the property it is in.
CREATE VIEW directory_places AS
  SELECT u.workspace_id, u.id, u.external_id, u.label, u.property_id, p.name AS property_name, p.address AS property_address
    FROM directory_units u JOIN directory_properties p ON (p.workspace_id, p.id) = (u.workspace_id, u.property_id);

ALTER TABLE directory_people ADD COLUMN unit_id uuid,      -- where a tenant lives
  ADD CONSTRAINT its_unit_is_of_its_workspace FOREIGN KEY (workspace_id, unit_id) REFERENCES directory_units,
  ADD CONSTRAINT only_a_tenant_lives_in_a_unit CHECK (unit_id IS NULL OR role = 'tenant');
CREATE INDEX directory_tenants ON directory_people (workspace_id, unit_id) WHERE unit_id IS NOT NULL;

CREATE TABLE directory_vendors (
  workspace_id  uuid NOT NULL REFERENCES directory_workspaces,
  id            uuid NOT NULL DEFAULT app_uuid(),
  external_id   text NOT NULL,
  name          text NOT NULL,
  aliases       text[] NOT NULL DEFAULT '{}',
  trades        text[] NOT NULL,
  is_active     boolean NOT NULL DEFAULT true,
  insured_until date,                             -- null: no insurance on file
  rate          text,                             -- as the vendor quotes it: '$95/h'
  channel       text NOT NULL DEFAULT 'terminal',
  address       text NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, external_id)
);

-- ================================================================ channels/: what leaves and what comes in

-- The outbox: one row a text, written before its channel is called, in the transaction of what caused it.
CREATE TABLE channel_messages (
  id              uuid PRIMARY KEY DEFAULT app_uuid(),
  workspace_id    uuid NOT NULL REFERENCES directory_workspaces,
  idempotency_key text NOT NULL,
  purpose         text NOT NULL,
  chat_guid       text,                           -- to the manager of a chat: exactly one of these three
  person_id       uuid,                           -- to a tenant
  vendor_id       uuid,
  channel         text NOT NULL,                  -- where it goes, as the directory had it when it was planned
  address         text NOT NULL,
  body            text NOT NULL,
  ask_id          uuid REFERENCES asks,           -- shows this ask: its fate is the ask's
  source          text,                           -- the owner who is told how it ended; null: nobody needs to know
  job_id          uuid,
  status          text NOT NULL DEFAULT 'planned',
  due_at          timestamptz NOT NULL DEFAULT app_now(),
  attempts        int NOT NULL DEFAULT 0,         -- counted before the channel is called
  lease_until     timestamptz,
  provider_id     text,
  last_error      text,
  created_at      timestamptz NOT NULL DEFAULT app_now(),
  submitted_at    timestamptz,
  ended_at        timestamptz,
  settled_at      timestamptz,                    -- its outcome was taken home by source, once
  CONSTRAINT a_text_is_planned_once UNIQUE (workspace_id, idempotency_key),
  CONSTRAINT a_text_has_one_recipient CHECK (num_nonnulls(chat_guid, person_id, vendor_id) = 1),
  CONSTRAINT purpose_is_known CHECK (purpose IN ('ask', 'ask_back', 'confirmation', 'notice', 'effect')),
  CONSTRAINT message_status_is_known CHECK (status IN ('planned', 'submitting', 'unknown', 'accepted', 'assumed', 'rejected', 'cancelled')),
  CONSTRAINT a_body_is_text CHECK (body <> '' AND length(body) <= 4000),
  CONSTRAINT a_lease_exactly_while_submitting CHECK ((status = 'submitting') = (lease_until IS NOT NULL)),
  CONSTRAINT only_an_ended_text_is_settled CHECK (settled_at IS NULL OR ended_at IS NOT NULL),
  CONSTRAINT its_chat_is_of_its_workspace   FOREIGN KEY (workspace_id, chat_guid) REFERENCES chats,
  CONSTRAINT its_person_is_of_its_workspace FOREIGN KEY (workspace_id, person_id) REFERENCES directory_people,
  CONSTRAINT its_vendor_is_of_its_workspace FOREIGN KEY (workspace_id, vendor_id) REFERENCES directory_vendors
);
CREATE INDEX channel_messages_due     ON channel_messages (due_at) WHERE status IN ('planned', 'submitting', 'unknown');
CREATE INDEX channel_messages_to_settle ON channel_messages (ended_at) WHERE source IS NOT NULL AND ended_at IS NOT NULL AND settled_at IS NULL;
CREATE INDEX channel_messages_of_an_ask ON channel_messages (ask_id) WHERE ask_id IS NOT NULL;
CREATE INDEX channel_messages_of_a_chat ON channel_messages (workspace_id, chat_guid, created_at) WHERE chat_guid IS NOT NULL;

CREATE FUNCTION channel_messages_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'planned' THEN RAISE EXCEPTION 'a text is born planned, not %', NEW.status USING ERRCODE = 'SY031'; END IF;
    PERFORM pg_notify('sayso', '');
    RETURN NEW;
  END IF;
  IF (NEW.id, NEW.workspace_id, NEW.idempotency_key, NEW.chat_guid, NEW.person_id, NEW.vendor_id, NEW.channel, NEW.address, NEW.body, NEW.ask_id)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.idempotency_key, OLD.chat_guid, OLD.person_id, OLD.vendor_id, OLD.channel, OLD.address, OLD.body, OLD.ask_id)
  OR (OLD.settled_at IS NOT NULL AND NEW.settled_at IS DISTINCT FROM OLD.settled_at) THEN
    RAISE EXCEPTION 'text %: what is written stays as it is', OLD.id USING ERRCODE = 'SY032';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
      ('planned','submitting'), ('planned','cancelled'),
      ('submitting','planned'),                   -- certainly not taken: it never left, or was refused for now
      ('submitting','accepted'), ('submitting','rejected'), ('submitting','unknown'),
      ('unknown','accepted'), ('unknown','rejected'), ('unknown','assumed')) THEN
    RAISE EXCEPTION 'text % cannot go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'SY033';
  END IF;
  IF NEW.status IN ('accepted','assumed','rejected','cancelled') AND OLD.status <> NEW.status THEN NEW.ended_at := app_now(); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_guard BEFORE INSERT OR UPDATE ON channel_messages FOR EACH ROW EXECUTE FUNCTION channel_messages_guard();
CREATE TRIGGER append_only BEFORE DELETE ON channel_messages FOR EACH ROW EXECUTE FUNCTION history_is_append_only();

-- What a person wrote in a chat, as it came. seq is given under a lock per chat, so that its order is the order of commits.
CREATE TABLE channel_inbound (
  id           uuid PRIMARY KEY DEFAULT app_uuid(),
  workspace_id uuid NOT NULL,
  chat_guid    text NOT NULL,
  seq          bigint NOT NULL,                   -- 1, 2, 3 … within the chat
  channel      text NOT NULL,
  provider_id  text NOT NULL,                     -- the channel's id of it: the same one twice is stored once
  person_id    uuid NOT NULL,
  body         text NOT NULL,
  quotes       uuid REFERENCES channel_messages,  -- the text of ours that it quotes
  sent_at      timestamptz NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT app_now(),
  CONSTRAINT a_message_is_heard_once UNIQUE (workspace_id, channel, provider_id),
  CONSTRAINT a_chat_is_one_sequence  UNIQUE (workspace_id, chat_guid, seq),
  CONSTRAINT its_chat_is_of_its_workspace   FOREIGN KEY (workspace_id, chat_guid) REFERENCES chats,
  CONSTRAINT its_person_is_of_its_workspace FOREIGN KEY (workspace_id, person_id) REFERENCES directory_people
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON channel_inbound FOR EACH ROW EXECUTE FUNCTION history_is_append_only();

CREATE FUNCTION channel_inbound_after() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM chat_spoken(NEW.workspace_id, NEW.chat_guid);
  PERFORM chat_wake(NEW.workspace_id, NEW.chat_guid);
  RETURN NULL;
END $$;
CREATE TRIGGER z_heard AFTER INSERT ON channel_inbound FOR EACH ROW EXECUTE FUNCTION channel_inbound_after();

-- While a row is here nothing leaves: of one workspace, or of all when workspace_id is null.
CREATE TABLE channel_pauses (
  workspace_id uuid REFERENCES directory_workspaces,
  paused_at    timestamptz NOT NULL DEFAULT app_now(),
  paused_by    text NOT NULL DEFAULT app_actor(),
  reason       text NOT NULL,
  CONSTRAINT paused_once UNIQUE NULLS NOT DISTINCT (workspace_id)
);

-- How far what a bridge got has been read there, beside what it told us by itself.
CREATE TABLE channel_histories (
  channel text PRIMARY KEY,
  cursor  text NOT NULL DEFAULT '',               -- the bridge's: where to go on; '' is the beginning
  read_at timestamptz NOT NULL DEFAULT app_now()  -- when it was last read
);

-- ================================================================ conductor/: what was understood

-- What today's reader makes of one reply: a claim, never the decision itself. A reply with a row here has been heard.
CREATE TABLE conductor_readings (
  inbound_id   uuid PRIMARY KEY REFERENCES channel_inbound,
  workspace_id uuid NOT NULL,
  chat_guid    text NOT NULL,
  seq          bigint NOT NULL,                   -- of the reply
  turn_no      bigint NOT NULL,
  ask_id       uuid REFERENCES asks,              -- the ask it was bound to; null: to none
  verdicts     jsonb NOT NULL,                    -- [{item_no, job_id, verdict, values, span}]
  asked_back   jsonb,                             -- what we asked in return: {reason, item_no, slot, options: [as numbered]}
  reader       text NOT NULL,                     -- version of the rules
  read_at      timestamptz NOT NULL DEFAULT app_now(),
  CONSTRAINT its_chat_is_of_its_workspace FOREIGN KEY (workspace_id, chat_guid) REFERENCES chats,
  CONSTRAINT a_chat_is_read_in_order UNIQUE (workspace_id, chat_guid, seq)
);
CREATE INDEX conductor_readings_of_an_ask ON conductor_readings (ask_id, seq) WHERE ask_id IS NOT NULL;

-- ================================================================ subsystems/intake/: orders

-- A request for work, from a tenant's text or an import.
CREATE TABLE intake_orders (
  workspace_id uuid NOT NULL REFERENCES directory_workspaces,
  id           uuid NOT NULL DEFAULT app_uuid(),
  origin       text NOT NULL,                     -- 'tenant', 'file', 'buildium'
  external_id  text NOT NULL,                     -- its id there: the same one twice is one order
  unit_id      uuid,                              -- null: not known yet
  tenant_id    uuid,
  words        text NOT NULL,                     -- what the tenant wrote, as written
  category     text,                              -- what the property software called it: a hint
  trade        text,                              -- null: nobody knows yet
  urgency      text NOT NULL,
  status       text NOT NULL DEFAULT 'new',
  vendor_id    uuid,
  received_at  timestamptz NOT NULL DEFAULT app_now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT an_order_comes_in_once UNIQUE (workspace_id, origin, external_id),
  CONSTRAINT urgency_is_known       CHECK (urgency IN ('emergency', 'urgent', 'normal', 'low')),
  CONSTRAINT order_status_is_known  CHECK (status IN ('new', 'waiting', 'dispatched', 'with_manager', 'closed')),
  CONSTRAINT a_vendor_exactly_when_dispatched CHECK ((status = 'dispatched') = (vendor_id IS NOT NULL)),
  CONSTRAINT its_unit_is_of_its_workspace   FOREIGN KEY (workspace_id, unit_id) REFERENCES directory_units,
  CONSTRAINT its_tenant_is_of_its_workspace FOREIGN KEY (workspace_id, tenant_id) REFERENCES directory_people,
  CONSTRAINT its_vendor_is_of_its_workspace FOREIGN KEY (workspace_id, vendor_id) REFERENCES directory_vendors
);
CREATE INDEX intake_orders_new ON intake_orders (workspace_id, received_at) WHERE status = 'new';

-- ================================================================ subsystems/memory/: what was decided before

-- A standing wish of a manager: for this trade (at this property, or anywhere) suggest this vendor.
CREATE TABLE memory_policies (
  workspace_id uuid NOT NULL REFERENCES directory_workspaces,
  id           uuid NOT NULL DEFAULT app_uuid(),
  trade        text NOT NULL,
  property_id  uuid,                              -- null: everywhere
  vendor_id    uuid NOT NULL,
  stated_by    uuid NOT NULL,                     -- the person whose wish it is
  stated_at    timestamptz NOT NULL DEFAULT app_now(),
  ended_at     timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, property_id) REFERENCES directory_properties,
  FOREIGN KEY (workspace_id, vendor_id)   REFERENCES directory_vendors,
  FOREIGN KEY (workspace_id, stated_by)   REFERENCES directory_people
);
CREATE UNIQUE INDEX one_policy_per_trade_and_place ON memory_policies (workspace_id, trade, property_id) NULLS NOT DISTINCT WHERE ended_at IS NULL;

-- The log of decisions: who was sent for what, on whose word. Precedents are read from it.
CREATE TABLE memory_events (
  workspace_id uuid NOT NULL REFERENCES directory_workspaces,
  id           uuid NOT NULL DEFAULT app_uuid(),
  job_id       uuid NOT NULL,
  decision_no  int  NOT NULL,
  trade        text NOT NULL,
  property_id  uuid NOT NULL,
  vendor_id    uuid,                              -- null: nobody was sent
  decided_by   text NOT NULL,
  decided_at   timestamptz NOT NULL,
  retracted_at timestamptz,                       -- the ledger call that logged it was undone
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT a_decision_is_logged_once UNIQUE (job_id, decision_no),
  FOREIGN KEY (workspace_id, property_id) REFERENCES directory_properties,
  FOREIGN KEY (workspace_id, vendor_id)   REFERENCES directory_vendors
);
CREATE INDEX memory_precedents ON memory_events (workspace_id, trade, decided_at DESC) WHERE vendor_id IS NOT NULL AND retracted_at IS NULL;

-- ================================================================ runtime/: how it runs

CREATE TABLE runtime_migrations (
  number     int PRIMARY KEY,
  name       text NOT NULL,
  sha256     text NOT NULL,                       -- of the file as applied: an applied file is never edited
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row a process that is or was running; overwritten every five seconds.
CREATE TABLE runtime_processes (
  name       text NOT NULL,                       -- 'relay', 'beat', 'deliveries-2'
  host       text NOT NULL,
  pid        int  NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  beat_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (host, name)
);
