"""The conductor's own lines, as pure text. What an ask says is its owner's draft."""

from collections.abc import Sequence
from datetime import timedelta

import jobs
from conductor.interpreting import Item, Unclear, Verdict
from jobs.ask import Ask, Choice


def word_ask(job: jobs.Job) -> str:
    """The question as it goes out. One that was decided and stopped before says that it is the same one."""
    draft = job.the_ask.draft
    return f"Once more: {draft}" if job.decision_no > 0 else draft


def word_notice(job: jobs.Job, open_ask: jobs.OpenAsk | None) -> str:
    """The news, and in a line the question that is still open."""
    questions = [item.job.the_ask.question for item in open_ask.items] if open_ask is not None else []
    return "\n".join([job.the_ask.draft, *(f"Still open: {question}" for question in questions)])


def word_decision(ask: Ask, verdict: Verdict) -> str:
    """What was understood, when it happens, and how to stop it."""
    if verdict.verdict == "deny":
        return f"OK, no: “{ask.question}” Nothing goes out."
    understood = " and ".join(label(ask, slot, value) for slot, value in verdict.values.items())
    if verdict.verdict == "correct":
        understood = f"OK, {understood} instead. I had asked: “{ask.question}”"
    else:
        understood = f"OK, {understood}: “{ask.question}”" if understood else f"OK, yes: “{ask.question}”"
    if not ask.hold_seconds:
        return understood
    return f"{understood} Going ahead in {ask.hold_seconds} s; say “stop” to hold it."


def label(ask: Ask, slot: str, value: str) -> str:
    """The words a person knows a value by."""
    match ask.answer.slots.get(slot):
        case Choice() as choice:
            return next((o.label for o in (*choice.options, *choice.candidates) if o.id == value), value)
        case _:
            return value


def word_later(wait: timedelta) -> str:
    """When the question comes back, in whole minutes or hours."""
    minutes = max(1, round(wait.total_seconds() / 60))
    return f"OK, I’ll ask again in {f'{minutes} min' if minutes < 60 else f'{round(minutes / 60)} h'}."


def word_stopped(ask: Ask) -> str:
    return f"Stopped: “{ask.question}” Nothing went out."


def word_too_late(ask: Ask) -> str:
    return f"That was too late to stop: “{ask.question}” has gone ahead. It can still be undone from the ledger."


def word_what_happened(closed: Sequence[jobs.Job]) -> str:
    """What became of the last question, for a reply that came too late for it."""
    return "\n".join(_what_happened(job) for job in closed)


def _what_happened(job: jobs.Job) -> str:
    question = job.the_ask.question
    match job.status:
        case "resolved" if job.resolution and job.resolution["confirmed"] and job.finished_at is None:
            return f"Going ahead unless you say “stop”: {question}"
        case "resolved" if job.resolution and job.resolution["confirmed"]:
            return word_too_late(job.the_ask)
        case "resolved":
            return f"“{question}” is answered with no; nothing went out."
        case "cancelled" | "failed":
            return f"“{question}” is no longer open; nothing went out."
        case _:
            return f"“{question}” is to be asked again; I did nothing with that."


def word_ask_back(unclear: Unclear, items: Sequence[Item]) -> str:
    """The shortest question that settles what was left unclear; the next reply may name an option by its number."""
    options = "\n".join(f"{n}. {option.label}" for n, option in enumerate(unclear.options, start=1))
    match unclear.reason:
        case "two_of_name":
            return f"Which one?\n{options}"
        case "no_such_name":
            head = "I know nobody by that name for this."
            return f"{head} One of these?\n{options}" if options else f"{head} Who else?"
        case "which_item":
            lines = [f"{item.item_no}. {describe(item)}" for item in items]
            return "\n".join(["Which one do you mean? Say it with its number, like “no 1” or “stop 2”.", *lines])
        case "crossed":
            lines = [describe(item) for item in items]
            return "\n".join(["That may be about something else, so I did nothing with it.", *lines])
        case "not_understood":
            lines = [describe(item) for item in items if item.item_no == unclear.item_no or unclear.item_no is None]
            return "\n".join(["I didn’t get that, so I did nothing.", *lines, *([options] if options else [])])


def describe(item: Item) -> str:
    """One line for one thing that a reply can be about."""
    if item.state == "held":
        return f"Going ahead unless you say “stop”: {item.ask.question}"
    return f"Still open: {item.ask.question}"


def word_nothing_open() -> str:
    return "Nothing needs you right now, and I can’t take requests here yet. I’ll write when something comes up."
