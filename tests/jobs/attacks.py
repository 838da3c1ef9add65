"""Attacks on the table in plain SQL, each with the refusal it must meet, and moves that must work. Data only."""

# ruff: noqa: E501  one attack a line, as far as it goes
from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """`after` is the stage it starts from; `refusal` the SQLSTATE or the constraint that stops it."""

    name: str
    after: str
    sql: str
    refusal: str


@dataclass(frozen=True)
class Move:
    """A legal one: it must work, and then `holds` must be true."""

    name: str
    after: str
    sql: str
    holds: str


ASK = """'{"question": "Osalpa?", "draft": "Osalpa?", "answer": {"confirm": true, "slots": {}}, "hold_seconds": 60}'"""
SAID = """'{"verdict": "confirm", "confirmed": true, "freeform": null, "decided_by": "person:1", "decided_at": "2026-01-01T00:00:00Z",
            "evidence": [{"inbound": 1}], "interpreted_by": "words-1"}'"""
W, V = "'00000000-0000-7000-8000-0000000000aa'", "'00000000-0000-7000-8000-0000000000bb'"
A1, A2 = "'00000000-0000-7000-8000-000000000001'", "'00000000-0000-7000-8000-000000000002'"
NEW = f"INSERT INTO jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask) VALUES ({W}, 'pms_intake'"
OPEN = "INSERT INTO asks (id, workspace_id, chat_guid, expects_reply, opened_turn) VALUES"


def item(ask: str, key: str, no: int = 1) -> str:
    return f"INSERT INTO ask_items SELECT {ask}, {no}, id, ask_rev FROM jobs WHERE dedupe_key = '{key}';"


def asking(ask: str, key: str) -> str:
    return f"UPDATE jobs SET status = 'asking', ask_id = {ask} WHERE dedupe_key = '{key}';"


def set_job(what: str, key: str = "k") -> str:
    return f"UPDATE jobs SET {what} WHERE dedupe_key = '{key}';"


def mark(what: str) -> str:
    return f"UPDATE asks SET {what} WHERE id = {A1};"


NEWER = """waiting = '{"ask": {"question": "Bob?"}, "resume": {}}'"""
RESOLVE = f"status = 'resolved', resolution = {SAID}, answered_rev = ask_rev"
STAGES = {  # each begins where the one named first ends
    "nothing": ("", f"""INSERT INTO directory_workspaces (id, name) VALUES ({W}, 'W'), ({V}, 'V');
        INSERT INTO chats (workspace_id, chat_guid) VALUES ({W}, 'pm'), ({W}, 'other'), ({V}, 'far');
        INSERT INTO job_kinds VALUES ('pms_intake', 'confirm_dispatch'), ('pms_intake', 'notice'), ('pms_intake', 'pm_request')
            ON CONFLICT DO NOTHING;"""),
    "pending": ("nothing", f"{NEW}, 'confirm_dispatch', 'pm', 'k', {ASK}), ({W}, 'pms_intake', 'confirm_dispatch', 'pm', 'l', {ASK}),"
                f"({W}, 'pms_intake', 'notice', 'pm', 'n', '{{\"question\": \"News.\"}}');"),
    "asking": ("pending", f"{OPEN} ({A1}, {W}, 'pm', true, 1); {item(A1, 'k')} {asking(A1, 'k')}"),
    "submitted": ("asking", mark("submitted_at = app_now()")),
    "rejected": ("submitted", mark("rejected_at = app_now()")),
    "shown": ("submitted", mark("shown_at = app_now(), shown_by = 'accepted'")),
    "awaiting": ("shown", set_job("status = 'awaiting_reply'")),
    "superseded": ("awaiting", set_job(NEWER)),
    "deferred": ("awaiting", set_job("status = 'pending'")),
    "freshened": ("deferred", set_job("ask = '{\"question\": \"Bob?\"}'")),
    "held": ("awaiting", set_job(RESOLVE)),
    "cancelled": ("pending", set_job("status = 'cancelled', end_reason = 'closed'")),
    "finished": ("held", "SELECT set_config('sayso.now', (clock_timestamp() + interval '2 min')::text, true);"
                 + set_job("finished_at = app_now()") + "SELECT set_config('sayso.now', '', true);"),
}


def born(name: str, refusal: str, *, kind: str = "confirm_dispatch", chat: str = "pm", key: str = "'z'", ask: str = ASK,
         more: str = "", value: str = "", source: str = "pms_intake") -> Attack:
    return Attack(name, "pending", f"INSERT INTO jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask{more}) "
                  f"VALUES ({W}, '{source}', '{kind}', '{chat}', {key}, {ask}{value});", refusal)


def with_ask(name: str, ask: str, refusal: str, kind: str = "confirm_dispatch") -> Attack:
    return born(f"an ask {name}", refusal, ask=f"'{ask}'", kind=kind)


BIRTHS = (
    born("a second live job under a key", "one_live_job_per_key", key="'k'"),
    born("a job born decided", "SY001", more=", status, resolution, release_at", value=f", 'resolved', {SAID}, app_now()"),
    born("a job born asking", "SY001", more=", status, ask_id", value=f", 'asking', {A1}"),
    born("a job born with an ask", "SY001", more=", ask_id", value=f", {A1}"),
    born("a job born finished", "SY001", more=", finished_at", value=", app_now()"),
    born("a job born with newer facts", "SY001", more=", waiting", value=", '{}'"),
    born("a kind that nobody registered", "its_owner_finishes_its_kind", kind="gossip"),
    born("a source that does not exist", "its_owner_finishes_its_kind", source="nobody"),
    born("a priority that does not exist", "priority_is_known", more=", priority", value=", 'asap'"),
    born("a chat that does not exist", "its_chat_is_of_its_workspace", chat="nowhere"),
    born("a chat of another workspace", "its_chat_is_of_its_workspace", chat="far"),
    born("a key of two lines", "a_key_is_a_short_line", key="E'z\\nz'"),
    born("an empty key", "a_key_is_a_short_line", key="''"),
    born("a due time without end", "times_are_finite", more=", not_before", value=", 'infinity'"),
    born("a resume that is a list", "a_resume_is_an_object_of_at_most_64_kib", more=", resume", value=", '[]'"),
    born("a resume of 70 KB", "a_resume_is_an_object_of_at_most_64_kib", more=", resume",
         value=", jsonb_build_object('x', repeat('x', 70000))"),
    born("a request of the manager that nobody made", "a_decision_says_who_decided_and_by_which_words", kind="pm_request",
         more=", status, resolution", value=", 'resolved', '{\"verdict\": \"new_request\"}'"),
    with_ask("of 70 KB", '{"question": "' + "x" * 70000 + '"}', "an_ask_is_at_most_64_kib"),
    with_ask("with NUL in it", '{"question": "a\\u0000b"}', "22P05"),
    with_ask("without a question", "{}", "an_ask_is_an_object_with_a_question"),
    with_ask("with an empty question", '{"question": ""}', "an_ask_is_an_object_with_a_question"),
    with_ask("that is a list", "[]", "an_ask_is_an_object_with_a_question"),
    with_ask("whose slot is called verdict", '{"question": "?", "answer": {"slots": {"verdict": {}}}}', "reserved_slot_names_are_ours"),
    with_ask("with a hold before its time", '{"question": "?", "hold_seconds": -1}', "a_hold_is_a_number_of_seconds"),
    with_ask("with a hold in words", '{"question": "?", "hold_seconds": "soon"}', "a_hold_is_a_number_of_seconds"),
    with_ask("of a notice with a hold", '{"question": "?", "hold_seconds": 5}', "a_notice_has_no_hold", kind="notice"),
)


closed = item(A1, "k") + asking(A1, "k")
EDGES = (
    Attack("awaiting a reply without having asked", "pending", set_job("status = 'awaiting_reply'"), "SY006"),
    Attack("a status that does not exist", "pending", set_job("status = 'lost'"), "SY006"),
    Attack("a yes to a question that nobody saw", "pending", set_job(RESOLVE), "SY008"),
    Attack("a yes to a wording that nobody saw", "freshened", set_job(RESOLVE), "SY008"),
    Attack("asking without an ask", "pending", set_job("status = 'asking'"), "an_asked_job_has_its_ask"),
    Attack("asking without standing in the ask", "pending", f"{OPEN} ({A1}, {W}, 'pm', true, 1); {asking(A1, 'k')}",
           "what_is_asked_stands_in_the_ask"),
    Attack("asking in the ask of another chat", "pending", f"{OPEN} ({A1}, {W}, 'other', true, 1); {closed}",
           "an_asked_job_belongs_to_the_open_ask_of_its_chat"),
    Attack("asking in the ask of another workspace", "pending", f"{OPEN} ({A1}, {V}, 'far', true, 1); {closed}",
           "an_asked_job_belongs_to_the_open_ask_of_its_chat"),
    Attack("a question in an ask that expects no reply", "pending", f"{OPEN} ({A1}, {W}, 'pm', false, 1); {closed}",
           "an_asked_job_belongs_to_the_open_ask_of_its_chat"),
    Attack("news in an ask that expects a reply", "pending", f"{OPEN} ({A1}, {W}, 'pm', true, 1); {item(A1, 'n')} {asking(A1, 'n')}",
           "an_asked_job_belongs_to_the_open_ask_of_its_chat"),
    Attack("a wording that joins an ask on its way", "submitted", item(A1, "l", 2), "SY019"),
    Attack("a job that joins an ask on its way", "submitted", asking(A1, "l"), "SY019"),
    Attack("a wording forged into an ask that was shown", "freshened", item(A1, "k", 2), "SY019"),
    Attack("asked again in an ask that is over", "deferred", asking(A1, "k"), "SY019"),
    Attack("asked again in an ask that was withdrawn", "asking",
           mark("withdrawn_at = app_now()") + set_job("status = 'pending'") + asking(A1, "k"),
           "an_asked_job_belongs_to_the_open_ask_of_its_chat"),
    Attack("asked again though the person may have seen it", "submitted", set_job("status = 'pending'"), "SY007"),
    Attack("given up though the person may have seen it", "submitted",
           set_job("status = 'failed', end_reason = 'could not be asked'"), "SY007"),
    Attack("awaiting a reply before it was shown", "submitted", set_job("status = 'awaiting_reply'"), "SY008"),
    Attack("a question that resolves by being shown", "shown", set_job(RESOLVE), "SY009"),
    Attack("a move to another chat while it is asked", "awaiting", set_job("chat_guid = 'other'"), "SY005"),
    Attack("a move to another ask while it is asked", "awaiting", set_job(f"ask_id = {A2}"), "SY014"),
    Attack("a move to the chat of another workspace", "pending", set_job("chat_guid = 'far'"), "its_chat_is_of_its_workspace"),
    Attack("an end without a reason", "pending", set_job("status = 'cancelled'"), "an_end_without_answer_says_why"),
    Attack("another reason for an end", "cancelled", set_job("end_reason = 'expired'"), "SY015"),
    Attack("a decision that becomes a cancellation", "held", set_job("status = 'cancelled', end_reason = 'closed'"), "SY006"),
    Attack("asked again after it was cancelled", "cancelled", set_job("status = 'pending'"), "SY006"),
    *(Attack(f"a job that gets another {column}", "pending", set_job(f"{column} = {value}"), "SY002") for column, value in
      (("id", A2), ("dedupe_key", "'y'"), ("kind", "'notice'"), ("source", "'memory'"), ("workspace_id", V),
       ("created_at", "'2020-01-01'"))),
)


ASKS = (
    Attack("a second open ask in a chat", "asking", f"{OPEN} ({A2}, {W}, 'pm', true, 1);", "one_open_ask_per_chat"),
    Attack("a second open notice in a chat", "pending", f"{OPEN} ({A1}, {W}, 'pm', false, 1), ({A2}, {W}, 'pm', false, 1);",
           "one_open_notice_per_chat"),
    Attack("an open ask that carries nothing", "pending", f"{OPEN} ({A1}, {W}, 'pm', true, 1); SET CONSTRAINTS ALL IMMEDIATE;",
           "SY013"),
    Attack("an ask born shown", "pending", f"INSERT INTO asks (workspace_id, chat_guid, opened_turn, submitted_at, shown_at, shown_by)"
           f" VALUES ({W}, 'pm', 1, app_now(), app_now(), 'reply');", "SY010"),
    Attack("an ask that closes over its jobs", "awaiting", mark("closed_at = app_now(), closed_why = 'x'"),
           "an_asked_job_belongs_to_the_open_ask_of_its_chat"),
    Attack("an ask opened again", "deferred", mark("closed_at = NULL, closed_why = NULL"), "SY010"),
    Attack("why an ask closed, rewritten", "deferred", mark("closed_why = 'answered'"), "SY010"),
    Attack("an ask withdrawn after it was submitted", "submitted", mark("withdrawn_at = app_now()"),
           "a_submitted_ask_is_not_withdrawn"),
    Attack("an ask refused after it was shown", "shown", mark("rejected_at = app_now()"), "a_rejected_ask_was_not_shown"),
    Attack("an ask shown though it never left", "asking", mark("shown_at = app_now(), shown_by = 'accepted'"),
           "a_shown_ask_was_submitted"),
    Attack("an ask shown, nobody says how", "submitted", mark("shown_at = app_now()"), "shown_says_how"),
    Attack("an ask that was never shown after all", "shown", mark("shown_at = NULL, shown_by = NULL"), "SY010"),
    Attack("an ask that never left after all", "submitted", mark("submitted_at = NULL"), "SY010"),
    Attack("an ask that was not refused after all", "rejected", mark("rejected_at = NULL"), "SY010"),
    Attack("how an ask was shown, rewritten", "shown", mark("shown_by = 'reply'"), "SY010"),
    Attack("an ask that moves to another chat", "asking", mark("chat_guid = 'other'"), "SY010"),
    Attack("a thread in two workspaces", "nothing", f"INSERT INTO chats (workspace_id, chat_guid) VALUES ({V}, 'pm');",
           "a_thread_belongs_to_one_workspace"),
    Attack("turns counted backwards", "nothing", "UPDATE chats SET turn_no = -1 WHERE chat_guid = 'pm';", "SY021"),
    Attack("a chat that gets another name", "nothing", "UPDATE chats SET chat_guid = 'ours' WHERE chat_guid = 'pm';", "SY021"),
)


finished = set_job("finished_at = app_now()")
DECISIONS = (
    Attack("a decision without words", "awaiting", set_job("status = 'resolved'"), "a_resolution_exactly_when_resolved"),
    Attack("words without a decision", "awaiting", set_job(f"resolution = {SAID}"), "a_resolution_exactly_when_resolved"),
    Attack("a decision that nobody made", "awaiting", set_job(RESOLVE.replace("person:1", "")),
           "a_decision_says_who_decided_and_by_which_words"),
    Attack("a decision without evidence", "awaiting", set_job(RESOLVE.replace('[{"inbound": 1}]', "null")),
           "a_decision_says_who_decided_and_by_which_words"),
    Attack("a yes to an older wording", "freshened", f"{OPEN} ({A2}, {W}, 'pm', true, 2); {item(A2, 'k')} {asking(A2, 'k')}"
           f"UPDATE asks SET submitted_at = app_now(), shown_at = app_now(), shown_by = 'reply' WHERE id = {A2};"
           + set_job("status = 'awaiting_reply'") + set_job(RESOLVE.replace("= ask_rev", "= 1")), "the_answer_is_to_what_was_shown"),
    Attack("a yes that does not say to which wording", "awaiting", set_job(RESOLVE.replace("= ask_rev", "= NULL")),
           "the_answer_is_to_what_was_shown"),
    Attack("a yes though the facts have changed", "superseded", set_job(RESOLVE), "SY016"),
    Attack("a yes that drops the newer facts", "superseded", set_job(RESOLVE + ", waiting = NULL"), "SY016"),
    Attack("newer facts dropped", "superseded", set_job("waiting = NULL"), "SY016"),
    Attack("newer facts dropped on the way back", "superseded", set_job("status = 'pending', waiting = NULL"), "SY016"),
    Attack("newer facts that cannot be asked about", "awaiting", set_job("waiting = '{\"ask\": {}, \"resume\": {}}'"),
           "waiting_facts_can_be_asked"),
    Attack("newer facts on a job that is not asked", "pending", set_job(NEWER), "only_an_asked_job_has_facts_waiting"),
    Attack("a question rewritten before the person", "awaiting", set_job("ask = '{\"question\": \"Bob?\"}'"), "SY004"),
    Attack("what the answer leads to, rewritten", "awaiting", set_job("resume = '{\"vendor\": \"bob\"}'"), "SY004"),
    Attack("a question rewritten under its answer", "held", set_job("ask = '{\"question\": \"Bob?\"}'"), "SY004"),
    Attack("a decision rewritten", "held", set_job("resolution = resolution || '{\"vendor\": \"bob\"}'"), "SY015"),
    Attack("a hold shortened", "held", set_job("release_at = release_at - interval '1 s'"), "SY017"),
    Attack("a hold taken off", "held", set_job("release_at = NULL"), "a_release_exactly_when_resolved"),
    Attack("finished in its hold", "held", finished, "SY020"),
    Attack("finished while a word of the person is unread", "held", f"""SELECT chat_spoken({W}, 'pm');
           SELECT set_config('sayso.now', (clock_timestamp() + interval '2 min')::text, true);""" + finished, "SY022"),
    Attack("finished in its hold, with a later stamp", "held", set_job("finished_at = release_at"), "SY020"),
    Attack("finished without an end", "awaiting", finished, "only_an_end_is_finished"),
    Attack("decided and finished at once, past the hold", "awaiting", set_job(RESOLVE + ", finished_at = app_now()"), "SY020"),
    Attack("no longer finished", "finished", set_job("finished_at = NULL"), "SY003"),
    Attack("a decision revoked after it was taken home", "finished", set_job("status = 'pending'"), "SY003"),
    Attack("a finished job changed in anything", "finished", set_job("priority = 'low'"), "SY003"),
)


event = "workspace_id, job_id, chat_guid, new_status, version, ask_rev, decision_no, finished"
HISTORY = (
    Attack("a live job deleted", "pending", "DELETE FROM jobs WHERE dedupe_key = 'k';", "SY012"),
    *(Attack(f"{table} emptied", "held", f"SET CONSTRAINTS ALL IMMEDIATE; TRUNCATE {table} CASCADE;", "SY011") for table in
      ("jobs", "job_events", "job_decisions", "asks", "ask_items", "chats", "job_kinds")),
    *(Attack(f"a row of {table} deleted", "held", f"DELETE FROM {table};", "SY011") for table in
      ("job_events", "job_decisions", "asks", "ask_items")),
    Attack("an event rewritten", "held", "UPDATE job_events SET actor = 'nobody';", "SY011"),
    Attack("a month of events emptied", "held", "DO $$ BEGIN EXECUTE 'TRUNCATE job_events_' || to_char(app_now() AT TIME ZONE 'UTC',"
           " 'YYYYMM'); END $$;", "SY011"),
    Attack("a decision rewritten in its history", "held", "UPDATE job_decisions SET resolution = '{}';", "SY011"),
    Attack("a wording rewritten in its history", "held", "UPDATE ask_items SET ask_rev = 2;", "SY011"),
    Attack("an event forged", "held", f"INSERT INTO job_events ({event}) SELECT workspace_id, id, chat_guid, 'resolved', 9, 1, 1, true FROM jobs;",
           "SY011"),
    Attack("a decision forged", "pending", f"INSERT INTO job_decisions (workspace_id, job_id, decision_no, resolution)"
           f" SELECT workspace_id, id, 1, {SAID} FROM jobs;", "SY011"),
    Attack("a chat deleted under its jobs", "pending", "DELETE FROM chats WHERE chat_guid = 'pm';", "its_chat_is_of_its_workspace"),
    Attack("a kind deleted under its jobs", "pending", "DELETE FROM job_kinds WHERE kind = 'confirm_dispatch';",
           "its_owner_finishes_its_kind"),
)


ATTACKS = (*BIRTHS, *EDGES, *ASKS, *DECISIONS, *HISTORY)


def status_is(status: str, also: str = "true") -> str:
    return f"SELECT status = '{status}' AND {also} FROM jobs WHERE dedupe_key = 'k' ORDER BY id DESC LIMIT 1"


MOVES = (
    Move("a question asked and shown", "shown", set_job("status = 'awaiting_reply'"), status_is("awaiting_reply")),
    Move("an answer", "awaiting", set_job(RESOLVE), status_is("resolved", "release_at = finish_after AND decision_no = 1")),
    Move("a late answer to what still stands", "deferred", set_job(RESOLVE), status_is("resolved")),
    Move("the last job that leaves closes the ask", "awaiting", set_job("status = 'pending'"),
         "SELECT closed_at IS NOT NULL FROM asks"),
    Move("a decision taken back in its hold", "held", set_job("status = 'pending'"),
         status_is("pending", "resolution IS NULL AND EXISTS (SELECT FROM job_decisions)")),
    Move("a hold lengthened", "held", set_job("release_at = release_at + interval '1 s'"), status_is("resolved", "finish_after = release_at")),
    Move("newer facts in force after the old ones left", "superseded", set_job("status = 'pending'"),
         status_is("pending", "waiting IS NULL AND ask_rev = 2 AND ask ->> 'question' = 'Bob?'")),
    Move("asked again after a certain refusal", "rejected", set_job("status = 'pending'"), status_is("pending", "ask_attempts = 1")),
    Move("given up after a certain refusal", "rejected", set_job("status = 'failed', end_reason = 'could not be asked'"), status_is("failed")),
    Move("a failed job asked again", "rejected", set_job("status = 'failed', end_reason = 'x'") + set_job("status = 'pending'"),
         status_is("pending", "end_reason IS NULL")),
    Move("a job cancelled while its text is under way", "submitted", set_job("status = 'cancelled', end_reason = 'closed'"), status_is("cancelled")),
    Move("news while a question is open", "awaiting", f"{OPEN} ({A2}, {W}, 'pm', false, 2); {item(A2, 'n')} {asking(A2, 'n')}",
         "SELECT count(*) = 2 FROM asks WHERE closed_at IS NULL"),
    Move("a pending job moved to another chat", "pending", set_job("chat_guid = 'other'"), status_is("pending", "chat_guid = 'other'")),
    Move("a request that the manager made unasked", "nothing", "INSERT INTO jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask,"
         f" status, resolution) VALUES ({W}, 'pms_intake', 'pm_request', 'pm', 'k', {ASK}, 'resolved', {SAID});",
         status_is("resolved", "release_at > app_now() + interval '50 s'")),
    Move("the key is free once the job is home", "finished", f"{NEW}, 'confirm_dispatch', 'pm', 'k', {ASK});", status_is("pending")),
    Move("a finished job archived", "finished", "DELETE FROM jobs WHERE dedupe_key = 'k';",
         "SELECT count(*) = 5 FROM job_events WHERE job_id NOT IN (SELECT id FROM jobs)"),
)
