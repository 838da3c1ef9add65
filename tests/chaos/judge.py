"""The judge: what became of a round, from what the provider took, what people said, and history. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tests.outside.people import Said

Row = Mapping[str, Any]
ARRIVED = ("accepted", "assumed")
VENDOR_TEXT = ":vendor_text"


@dataclass(frozen=True)
class Evidence:
    """All rows about the orders of one round, and all that the provider took and the people said about them."""

    orders: Sequence[Row]
    jobs: Sequence[Row]
    events: Sequence[Row]  # of job_events, by id
    asks: Sequence[Row]
    items: Sequence[Row]
    texts: Sequence[Row]  # of channel_messages
    calls: Sequence[Row]  # of ledger_calls
    heard: Sequence[Row]  # of channel_inbound, with whether each has a reading
    taken: Sequence[Row]  # the provider's log
    said: Sequence[Said]
    vendors: Mapping[str, str] = field(default_factory=dict)  # id -> name


@dataclass(frozen=True)
class Fault:
    """Something that must not be. `jobs` are those whose story tells more."""

    rule: str
    what: str
    jobs: tuple[Any, ...] = ()


Found = Iterator[tuple[str, tuple[Any, ...]]]
Rule = Callable[[Evidence], Found]


def faults(evidence: Evidence) -> list[Fault]:
    """Everything that must not be; empty when all is well."""
    return [Fault(rule.__name__.replace("_", " "), what, jobs) for rule in RULES for what, jobs in rule(evidence)]


def every_job_ends_once(e: Evidence) -> Found:
    """From history alone: the end is the last thing that happens to a job, and it goes home once."""
    by_job = defaultdict(list)
    for event in e.events:
        by_job[event["job_id"]].append(event)
    for job in e.jobs:
        story = sorted(by_job[job["id"]], key=lambda event: event["version"])
        versions = [event["version"] for event in story]
        if versions != list(range(1, len(versions) + 1)):
            yield f"job {job['id']}: its history has gaps: {versions}", (job["id"],)
        homes = [event for event in story if event["finished"]]
        if len(homes) != 1 or homes[0] is not story[-1]:
            yield f"job {job['id']} went home {len(homes)} times, or lived on ({job['status']})", (job["id"],)


def no_text_is_taken_twice(e: Evidence) -> Found:
    for message_id, times in Counter(entry["id"] for entry in e.taken).items():
        if times > 1:
            yield f"text {message_id} was given to the provider {times} times", ()
    for provider_id, times in Counter(entry["provider_id"] for entry in e.taken).items():
        if times > 1:
            yield f"the provider's own id {provider_id} stands for {times} texts", ()


def no_question_is_given_twice(e: Evidence) -> Found:
    """One wording of one job, decided so often before, reaches its reader once; and no answer is without a question."""
    taken = {entry["id"] for entry in e.taken}
    decisions = {(event["job_id"], event["ask_id"]): event["decision_no"]
                 for event in e.events if event["new_status"] == "asking"}
    wordings = defaultdict(list)
    for item in e.items:
        wordings[item["ask_id"]].append((item["job_id"], item["ask_rev"]))
    given: Counter[Any] = Counter()
    for text in e.texts:
        if text["purpose"] in ("ask", "notice") and (str(text["id"]) in taken or text["status"] == "assumed"):
            for job_id, rev in wordings[text["ask_id"]]:
                given[(job_id, rev, decisions.get((job_id, text["ask_id"])))] += 1
    for (job_id, rev, _), times in given.items():
        if times > 1:
            yield f"job {job_id}, wording {rev} was put to its reader {times} times", (job_id,)
    asked = {job_id for job_id, _, _ in given}
    for job in e.jobs:
        if job["status"] == "resolved" and job["id"] not in asked:
            yield f"job {job['id']} was decided, and its question never reached anybody", (job["id"],)


def no_chat_has_two_open_asks(e: Evidence) -> Found:
    """By the numbers of turns, which no clock bends, and by what history says of each job."""
    by_chat = defaultdict(list)
    for ask in e.asks:
        if ask["expects_reply"]:
            by_chat[ask["chat_guid"]].append(ask)
    for chat, asks in by_chat.items():
        for earlier, later in pairwise(sorted(asks, key=lambda ask: ask["opened_turn"])):
            if earlier["closed_turn"] is None or earlier["closed_turn"] > later["opened_turn"]:
                yield f"chat {chat}: ask {later['id']} was opened while {earlier['id']} was open", ()
    notices = {job["id"] for job in e.jobs if job["kind"] == "notice"}
    opened: defaultdict[str, dict[Any, Any]] = defaultdict(dict)  # chat -> job -> the ask that it is in
    for event in sorted(e.events, key=lambda event: event["id"]):
        here = opened[event["chat_guid"]]
        here.pop(event["job_id"], None)
        if event["new_status"] in ("asking", "awaiting_reply") and event["job_id"] not in notices:
            here[event["job_id"]] = event["ask_id"]
        if len(set(here.values())) > 1:
            yield f"chat {event['chat_guid']}: two asks were open at event {event['id']}", tuple(here)


def we_know_what_the_provider_knows(e: Evidence) -> Found:
    """No text is left unknown; what we call accepted was taken, what we call refused or taken back was not."""
    taken = {entry["id"] for entry in e.taken}
    told = {job["dedupe_key"] for job in e.jobs if job["kind"] == "notice"}
    for text in e.texts:
        was_taken, status, jobs = str(text["id"]) in taken, text["status"], (text["job_id"],) if text["job_id"] else ()
        name = f"text {text['id']} ({text['idempotency_key']})"
        if status in ("planned", "submitting", "unknown"):
            yield f"{name} is still {status}", jobs
        elif was_taken != (status == "accepted") and status != "assumed":
            yield f"{name} is {status}, and taken: {was_taken}", jobs
        if text["source"] is not None and text["settled_at"] is None:
            yield f"how {name} ended was never told to {text['source']}", jobs
        elif text["source"] is not None and status == "assumed" and f"message:{text['id']}" not in told:
            yield f"{name} was assumed to have arrived, and nobody was told so", jobs
    ours = {str(text["id"]) for text in e.texts}
    yield from ((f"the provider took {entry['id']}, which we never wrote", ())
                for entry in e.taken if entry["id"] not in ours)


def all_that_was_said_is_heard_once(e: Evidence) -> Found:
    heard = Counter(row["provider_id"] for row in e.heard)
    read = {row["provider_id"] for row in e.heard if row["was_read"]}
    for said in e.said:
        if heard[said.event_id] != 1:
            yield f"“{said.words}” about {said.ref} was stored {heard[said.event_id]} times", ()
        elif said.event_id not in read:
            yield f"“{said.words}” about {said.ref} was never read", ()


def each_decision_is_carried_out_once(e: Evidence) -> Found:
    undone = {call["undoes"] for call in e.calls if call["undoes"]}
    dispatches = [call for call in e.calls if call["tool"] == "dispatch_vendor" and call["undoes"] is None]
    for key, times in Counter(call["idempotency_key"] for call in dispatches).items():
        if times > 1:
            yield f"decision {key} was carried out {times} times", ()
    standing = Counter(call["arguments"]["order_id"] for call in dispatches if call["id"] not in undone)
    taken, order_of = {entry["id"] for entry in e.taken}, {job["id"]: job["issue_id"] for job in e.jobs}
    arrived = Counter(order_of[text["job_id"]] for text in e.texts if text["idempotency_key"].endswith(VENDOR_TEXT)
                      and (str(text["id"]) in taken or text["status"] == "assumed"))
    for order in e.orders:
        sent, told, jobs = standing[str(order["id"])], arrived[str(order["id"])], _jobs_of(e, order)
        if sent > 1 or told > 1:
            yield f"order {order['external_id']}: sent {sent} times, {told} texts to vendors", jobs
        elif sent != told:
            yield f"order {order['external_id']}: sent {sent} times, but {told} texts to vendors arrived", jobs


def every_order_ends_as_was_said(e: Evidence) -> Found:
    """Whoever was sent was named for it; nobody was sent on a no; what was not done as was said was reported."""
    undone = {call["undoes"] for call in e.calls if call["undoes"]}
    sent = defaultdict(list)
    for call in e.calls:
        if call["tool"] == "dispatch_vendor" and call["undoes"] is None and call["id"] not in undone:
            sent[call["arguments"]["order_id"]].append(e.vendors[call["arguments"]["vendor_id"]])
    reported = {job["issue_id"] for job in e.jobs if job["kind"] == "notice"}
    for order in e.orders:
        order_id, ref, jobs = str(order["id"]), order["external_id"], _jobs_of(e, order)
        named = [said.meaning for said in e.said if said.ref == ref and said.did == "answered"]
        if not named and order_id not in reported:
            yield f"order {ref} was never asked about, and nobody was told so", jobs
        for vendor in sent[order_id]:
            if vendor not in named:
                yield f"order {ref}: {vendor} was sent, but only {named} were named", jobs
        if named and order_id not in reported and sent[order_id] != ([named[-1]] if named[-1] else []):
            yield f"order {ref}: {named[-1]} was said, and {sent[order_id]} was sent", jobs


def _jobs_of(e: Evidence, order: Row) -> tuple[Any, ...]:
    return tuple(job["id"] for job in e.jobs if job["issue_id"] == str(order["id"]))


RULES: tuple[Rule, ...] = (
    every_job_ends_once, no_text_is_taken_twice, no_question_is_given_twice, no_chat_has_two_open_asks,
    we_know_what_the_provider_knows, all_that_was_said_is_heard_once, each_decision_is_carried_out_once,
    every_order_ends_as_was_said)
