"""What the reader promises: plain words are understood, and nothing is decided that nobody said."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor.interpreting import Item, Reading, Unclear, Verdict, interpret
from conductor.interpreting.lexicon import KNOWN
from jobs.ask import Answer, Ask, Choice, Option

SENT_AT = datetime(2026, 3, 3, 14, 5, tzinfo=UTC)
OSALPA = Option(id="v-osalpa", label="Osalpa Electric", aliases=("omar",), suggested=True)
BOBS_ELECTRIC = Option(id="v-bobs", label="Bob's Electric", aliases=("bob",))
BOB_REYES = Option(id="v-reyes", label="Bob Reyes Wiring")
ALICE = Option(id="v-alice", label="Alice Moreau Plumbing")
JOB = UUID(int=7)
WHICH_ITEM = Unclear("which_item")
WHICH_BOB = Unclear("two_of_name", 1, "vendor", (BOBS_ELECTRIC, BOB_REYES))


def dispatch(item_no: int = 1, state: str = "open", confirm: bool = True, *, reversible: bool = False) -> Item:
    vendor = Choice(options=(OSALPA,), candidates=(BOBS_ELECTRIC, BOB_REYES, ALICE))
    question = "Sending Osalpa for the electrical at 12 Birch #4?" if confirm else "Who should handle this?"
    answer = Answer(confirm=confirm, slots={"vendor": vendor})
    ask = Ask(question=question, draft=question, answer=answer, reversible=reversible)
    return Item(item_no, JOB, state, ask)  # type: ignore[arg-type]


def read(text: str, *items: Item, asked_back: Unclear | None = None, just_asked: bool = True) -> Reading:
    return interpret(text, items or (dispatch(),), asked_back, SENT_AT, just_asked)


def verdicts(reading: Reading) -> list[tuple[int, str, dict[str, str]]]:
    return [(v.item_no, v.verdict, v.values) for v in reading.verdicts]


@pytest.mark.parametrize(
    "text",
    ["yes", "Yes.", "YEP!!", "ok", "ok go ahead", "sure, do it", "send him please", "yesss",
     "yess please",
     "sí", "dale", "sure thing", "ye\u200bs", "👍🏽", "osalpa", "yes osalpa", "use omar",
     "Osapla Electric"],
)
def test_a_plain_yes_confirms_the_one_open_ask(text: str) -> None:
    reading = read(text)
    assert verdicts(reading) == [(1, "confirm", {})]
    assert reading.unclear is None


@pytest.mark.parametrize("text", ["no", "Nope.", "nah", "no thanks", "don't send him",
     "do not send anyone", "no gracias"])
def test_a_plain_no_denies_it(text: str) -> None:
    assert verdicts(read(text)) == [(1, "deny", {})]


@pytest.mark.parametrize(
    "text",
    ["yes but tomorrow", "yes if it's not raining", "yes?", "send bob?", "nah we did that yesterday",
     "ok no", "yes no",
     "yes, mark", "no osalpa", "yes bob", "no problem", "sent him", "sent him already", "Bob says yes",
     'the tenant wrote "yes"', "10-4",
     "2", "$500 max", "si cobra menos de 200", "lol", "👀", "wait", "stop", "yes wait", "no wait", "thanks",
     "ok thanks", "eyes",
     "want", "plumbing", "No, thank you. Alice", "will do", "not bob", "", "  ", "yes 2",
     "no use him for this", "great"],
)
def test_what_is_not_wholly_understood_decides_nothing_and_is_asked_back(text: str) -> None:
    reading = read(text)
    assert reading.verdicts == ()
    assert reading.unclear is not None


@pytest.mark.parametrize("text", ["no use alice", "No, use Alice instead.", "go with alice moreau please",
     "Alice", "no alice"])
def test_naming_another_one_corrects_the_vendor(text: str) -> None:
    assert verdicts(read(text)) == [(1, "correct", {"vendor": "v-alice"})]


@pytest.mark.parametrize("text", ["no use bob", "Bob", "send bob", "use bob's"])
def test_a_name_that_two_bear_is_asked_back_with_both(text: str) -> None:
    assert read(text) == Reading((), WHICH_BOB)


def test_a_whole_name_settles_which_of_two() -> None:
    assert verdicts(read("no, bob reyes")) == [(1, "correct", {"vendor": "v-reyes"})]


@pytest.mark.parametrize(
    ("text", "vendor"),
    [("electric", "v-bobs"), ("the electric one", "v-bobs"), ("1", "v-bobs"), ("#2", "v-reyes"),
     ("the second one", "v-reyes"), ("wiring please", "v-reyes"), ("Reyes", "v-reyes"),
     ("use the electric one", "v-bobs"), ("2.", "v-reyes")],
)
def test_a_number_or_a_word_of_one_option_alone_answers_which(text: str, vendor: str) -> None:
    assert verdicts(read(text, asked_back=WHICH_BOB)) == [(1, "correct", {"vendor": vendor})]


@pytest.mark.parametrize("text", ["yes", "ok", "3", "bob", "0", "12"])
def test_what_picks_none_of_the_options_leaves_the_question_open(text: str) -> None:
    reading = read(text, asked_back=WHICH_BOB)
    assert reading.verdicts == ()
    assert reading.unclear is not None


def test_a_name_nobody_bears_is_asked_back() -> None:
    assert read("no use rufus").unclear == Unclear("no_such_name", 1, "vendor")


def test_a_short_name_with_a_slip_is_offered_and_not_taken() -> None:
    assert read("use alicr").unclear == Unclear("no_such_name", 1, "vendor", (ALICE,))


def test_yes_does_not_answer_who() -> None:
    assert read("yes", dispatch(confirm=False)).unclear == Unclear("not_understood", 1)
    assert verdicts(read("alice", dispatch(confirm=False))) == [(1, "choose", {"vendor": "v-alice"})]


def test_yes_with_two_open_binds_to_neither_unless_it_says_which() -> None:
    two = (dispatch(1), dispatch(2))
    assert read("yes", *two) == Reading((), Unclear("which_item"))
    assert verdicts(read("yes for 2", *two, asked_back=WHICH_ITEM)) == [(2, "confirm", {})]
    assert verdicts(read("1 no", *two, asked_back=WHICH_ITEM)) == [(1, "deny", {})]
    assert verdicts(read("use alice for 2", *two, asked_back=WHICH_ITEM)) == [(2, "correct", {"vendor": "v-alice"})]


def test_later_comes_back_in_an_hour() -> None:
    assert verdicts(read("not now")) == [(1, "defer", {"until": "2026-03-03T15:05:00+00:00"})]


@pytest.mark.parametrize("text", ["wait", "stop!", "wait no", "no wait", "cancel that please", "hold on"])
def test_words_that_revoke_belong_to_what_is_held(text: str) -> None:
    assert verdicts(read(text, dispatch(1), dispatch(2, "held"))) == [(2, "revoke", {})]
    assert verdicts(read(text, dispatch(1, "held"))) == [(1, "revoke", {})]


def test_a_bare_no_revokes_what_is_held_only_when_nothing_else_is_open() -> None:
    assert verdicts(read("no", dispatch(1, "held"))) == [(1, "revoke", {})]
    assert read("no", dispatch(1), dispatch(2, "held")) == Reading((), Unclear("which_item"))


def test_ok_while_something_is_held_may_be_about_that() -> None:
    assert read("ok", dispatch(1), dispatch(2, "held")) == Reading((), Unclear("which_item"))


@pytest.mark.parametrize("text", ["ok", "thanks", "great, thanks", "👍"])
def test_an_acknowledgement_with_nothing_open_needs_no_answer(text: str) -> None:
    assert read(text, dispatch(1, "held")) == Reading()
    assert interpret(text, (), None, SENT_AT, just_asked=False) == Reading()


@pytest.mark.parametrize("text", ["yes", "no", "stop", "yes thanks", "hi", "cancel", ""])
def test_a_decision_with_nothing_to_decide_is_told_so(text: str) -> None:
    assert interpret(text, (), None, SENT_AT, just_asked=True) == Reading((), Unclear("not_understood"))


def test_yes_to_what_is_held_needs_no_answer() -> None:
    assert read("yes", dispatch(1, "held")) == Reading()


def test_ok_after_something_else_was_said_does_not_decide_what_cannot_be_undone() -> None:
    assert read("ok", just_asked=False).verdicts == ()
    assert verdicts(read("ok", dispatch(reversible=True), just_asked=False)) == [(1, "confirm", {})]
    assert verdicts(read("yes", just_asked=False)) == [(1, "confirm", {})]


def test_a_word_that_is_also_a_name_is_asked_back() -> None:
    dale = Choice(options=(OSALPA,), candidates=(Option(id="v-dale", label="Dale Park Electric"),))
    ask = Ask(question="Send Osalpa?", draft="Send Osalpa?", answer=Answer(slots={"vendor": dale}), reversible=False)
    assert read("dale", Item(1, JOB, "open", ask)).verdicts == ()


def test_a_number_counts_only_where_the_text_shows_it() -> None:
    trade = Choice(options=(Option(id="electrical", label="Electrical"), Option(id="hvac", label="HVAC")))
    shown = "Which trade is it?\n1. Electrical\n2. HVAC"
    for draft, expected in ((shown, [(1, "choose", {"trade": "hvac"})]), ("Which trade is it?", [])):
        ask = Ask(question="Which trade is it?", draft=draft, answer=Answer(confirm=False, slots={"trade": trade}))
        assert verdicts(read("2", Item(1, JOB, "open", ask))) == expected


def test_a_numbered_place_that_is_not_listed_is_taken_where_the_slot_is_open() -> None:
    for is_open, expected in ((True, [(1, "choose", {"unit": "12 birch 4"})]), (False, [])):
        unit = Choice(options=(), candidates=(Option(id="u", label="9 Alder #1"),), open=is_open)
        ask = Ask(question="Which unit?", draft="Which unit?", answer=Answer(confirm=False, slots={"unit": unit}))
        assert verdicts(read("12 Birch #4", Item(1, JOB, "open", ask))) == expected
        assert verdicts(read("idk ask the tenant", Item(1, JOB, "open", ask))) == []


def test_the_span_holds_the_words_that_decide() -> None:
    text = "  no, use Alice!"
    (verdict,) = read(text).verdicts
    assert text[slice(*verdict.span)] == "no, use Alice"


@given(st.text(max_size=40), st.sampled_from(["yes", "no", "send him", "use alice", "wait"]), st.booleans())
def test_a_foreign_word_beside_a_verdict_decides_nothing(extra: str, says: str, first: bool) -> None:
    word = "".join(c for c in extra if c.isalnum()) + "qx"
    text = f"{word} {says}" if first else f"{says} {word}"
    assert word.casefold() not in KNOWN
    assert not read(text).verdicts


@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error_and_within_its_bounds(text: str) -> None:
    for asked_back in (None, WHICH_BOB):
        for verdict in read(text, asked_back=asked_back).verdicts:
            assert isinstance(verdict, Verdict)
            assert 0 <= verdict.span[0] < verdict.span[1] <= len(text)


