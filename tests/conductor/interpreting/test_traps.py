"""Traps: words beside a name, stop words, numbers and thanks that a careless reader takes for a decision."""

import pytest

from conductor.interpreting import Item, Unclear
from jobs.ask import Answer, Ask, Choice, Option
from tests.conductor.interpreting.test_interpret import (
    ALICE,
    BOB_REYES,
    BOBS_ELECTRIC,
    JOB,
    WHICH_BOB,
    WHICH_ITEM,
    dispatch,
    read,
    verdicts,
)

LISTED_AGAIN = Unclear("not_understood", 1, "vendor", (BOBS_ELECTRIC, BOB_REYES))
NO_OPTIONS = Unclear("not_understood", 1)


def asks(question: str, *, confirm: bool = True, options: tuple[Option, ...] = ()) -> Item:
    answer = Answer(confirm=confirm, slots={"vendor": Choice(options=options)} if options else {})
    return Item(1, JOB, "open", Ask(question=question, draft=question, answer=answer, reversible=False))


def listed() -> Item:
    """Who should go, with three numbered in the ask's own text."""
    options = (ALICE, BOBS_ELECTRIC, BOB_REYES)
    shown = "\n".join(f"{n}. {option.label}" for n, option in enumerate(options, 1))
    return asks(f"Who should handle it?\n{shown}", confirm=False, options=options)


@pytest.mark.parametrize("asked_back", [None, WHICH_BOB, LISTED_AGAIN, NO_OPTIONS])
@pytest.mark.parametrize(
    "text",
    [
        "don't use reyes", "do not send Bob Reyes", "absolutely not reyes", "no way reyes", "skip it reyes",
        "not reyes", "mejor no reyes", "claro que no reyes", "decline reyes", "nobody reyes", "no, don't use reyes",
        "never reyes", "please don't send reyes", "anyone but reyes", "yes no reyes", "use alice not reyes",
        "cancel reyes",
    ],
)  # fmt: skip
def test_a_prohibition_never_chooses_the_name_it_forbids(text: str, asked_back: Unclear | None) -> None:
    for item in (dispatch(), dispatch(confirm=False)):
        assert read(text, item, asked_back=asked_back).verdicts == ()


@pytest.mark.parametrize("text", ["don't send omar", "absolutely not omar", "no way osalpa", "not osalpa"])
def test_a_prohibition_of_the_one_suggested_is_no_yes(text: str) -> None:
    assert not any(verdict == "confirm" for _, verdict, _ in verdicts(read(text)))


@pytest.mark.parametrize(
    "text", ["no use bob reyes", "no, bob reyes", "nope send bob reyes", "nah bob reyes", "send bob reyes, thanks"]
)
def test_a_plain_no_before_a_name_redirects(text: str) -> None:
    assert verdicts(read(text)) == [(1, "correct", {"vendor": "v-reyes"})]


@pytest.mark.parametrize(
    "text", ["hey omar", "thanks omar", "hi reyes", "omar thanks", "hey reyes", "gracias bob reyes", "hey it's omar"]
)
def test_a_greeting_or_thanks_with_a_name_decides_nothing(text: str) -> None:
    for item in (dispatch(), dispatch(confirm=False)):
        assert read(text, item).verdicts == ()
    assert read(text, asked_back=WHICH_BOB).verdicts == ()


@pytest.mark.parametrize(
    "text",
    [
        "ok stop", "stop?", "wait, use reyes", "wait a minute", "no stop i meant the other one", "stop osalpa", "whoa!",
        "hold on let me check", "please cancel", "undo", "espera", "never mind", "not yet", "don't! stop", "wiat",
        "don't wait. stop", "yes wait", "stop texting me", "can you hold on?",
    ],
)  # fmt: skip
def test_a_stop_word_anywhere_takes_back_what_is_held(text: str) -> None:
    assert verdicts(read(text, dispatch(1, "held"))) == [(1, "revoke", {})]
    assert verdicts(read(text, dispatch(1), dispatch(2, "held"))) == [(2, "revoke", {})]
    both = dispatch(1, "held"), dispatch(2, "held")
    assert verdicts(read(text, *both)) == [(1, "revoke", {}), (2, "revoke", {})]


@pytest.mark.parametrize(
    "text", ["do not wait, send him", "don't stop", "dont cancel", "he cancelled already", "can't wait"]
)
def test_a_stop_word_that_is_negated_takes_nothing_back(text: str) -> None:
    assert read(text, dispatch(1, "held")).verdicts == ()
    assert read(text, dispatch(1), dispatch(2, "held")).verdicts == ()


def test_a_stop_word_beside_the_name_or_listed_number_of_one_held_item_takes_back_that_one() -> None:
    mike = Choice(options=(Option(id="v-mike", label="Mike Plumbing", suggested=True),))
    ask = Ask(question="Send Mike?", draft="Send Mike?", answer=Answer(slots={"vendor": mike}), reversible=False)
    held = dispatch(1, "held"), Item(2, JOB, "held", ask)
    assert verdicts(read("stop mike", *held)) == [(2, "revoke", {})]
    assert verdicts(read("please undo 2", *held, asked_back=WHICH_ITEM)) == [(2, "revoke", {})]
    for text in ("stop mike now", "wait 2 minutes", "undo 3", "wait, send mike"):
        assert len(read(text, *held, asked_back=WHICH_ITEM).verdicts) == 2
    assert len(read("undo 2", *held).verdicts) == 2


@pytest.mark.parametrize("text", ["don't use osalpa", "no use alice", "don't send him", "nobody", "no"])
def test_a_refusal_with_nothing_but_held_decisions_takes_them_back(text: str) -> None:
    assert verdicts(read(text, dispatch(1, "held"))) == [(1, "revoke", {})]


@pytest.mark.parametrize("text", ["yes for 1", "1 yes", "no to 2", "2 no", "send 1", "yes 2", "1"])
@pytest.mark.parametrize("asked_back", [None, WHICH_BOB, LISTED_AGAIN, NO_OPTIONS])
def test_a_number_means_no_item_where_the_items_were_not_listed_last(text: str, asked_back: Unclear | None) -> None:
    for item_no, verdict, values in verdicts(read(text, dispatch(1), dispatch(2), asked_back=asked_back)):
        picks_from_the_list = asked_back is not None and asked_back.options
        assert picks_from_the_list
        assert (item_no, verdict) == (1, "correct")
        assert values


@pytest.mark.parametrize("text", ["1", "send 1", "ok send 1", "yes book 1", "use 2", "the second one"])
def test_a_number_means_no_option_where_the_items_were_listed_last(text: str) -> None:
    for item in (listed(), dispatch()):
        assert read(text, item, dispatch(2, "held"), asked_back=WHICH_ITEM).verdicts == ()
        assert read(text, item, dispatch(2, "held"), asked_back=WHICH_ITEM).unclear == WHICH_ITEM


@pytest.mark.parametrize("text", ["which is cheaper?", "hmm", "which one is closer?", "3", "let me think"])
def test_the_options_last_shown_stay_valid_when_a_reply_to_them_is_not_understood(text: str) -> None:
    assert read(text, asked_back=WHICH_BOB).unclear == LISTED_AGAIN
    assert read(text, asked_back=LISTED_AGAIN).unclear == LISTED_AGAIN
    for pick, vendor in (("2", "v-reyes"), ("electric", "v-bobs"), ("ok send 1", "v-bobs")):
        assert verdicts(read(pick, asked_back=LISTED_AGAIN)) == [(1, "correct", {"vendor": vendor})]
    assert read("yes", asked_back=LISTED_AGAIN).verdicts == ()


@pytest.mark.parametrize("text", ["the one", "no 2", "thanks 2", "yes alice", "1 or 2", "2?", "not 2"])
def test_what_is_no_plain_pick_picks_nothing(text: str) -> None:
    assert read(text, asked_back=WHICH_BOB).verdicts == ()


def test_a_number_is_of_the_list_last_shown_and_not_of_the_asks_own() -> None:
    assert verdicts(read("2", listed())) == [(1, "choose", {"vendor": "v-bobs"})]
    assert verdicts(read("2", listed(), asked_back=NO_OPTIONS)) == [(1, "choose", {"vendor": "v-bobs"})]
    assert verdicts(read("2", listed(), asked_back=LISTED_AGAIN)) == [(1, "choose", {"vendor": "v-reyes"})]
    assert read("3", listed(), asked_back=LISTED_AGAIN).verdicts == ()


@pytest.mark.parametrize(
    "text",
    ["send reyes tomorrow", "send bob if it rains", "use bob for 200", "reyes at noon", "1 if it rains", "2 tomorrow",
     "yes but tomorrow", "use bob rufus"],
)  # fmt: skip
def test_a_condition_beside_a_name_is_not_dropped_by_a_later_number(text: str) -> None:
    for asked_back in (None, WHICH_BOB, LISTED_AGAIN):
        assert read(text, asked_back=asked_back).unclear == NO_OPTIONS
    assert read("1", asked_back=NO_OPTIONS).verdicts == ()


@pytest.mark.parametrize("text", ["👍", "✅", "vale", "ok", "ok osalpa", "osalpa", "great, ok"])
def test_a_weak_yes_decides_what_cannot_be_undone_only_right_after_the_question(text: str) -> None:
    assert verdicts(read(text)) == [(1, "confirm", {})]
    assert read(text, just_asked=False).verdicts == ()
    for asked_back in (NO_OPTIONS, Unclear("crossed")):
        assert verdicts(read(text, asked_back=asked_back, just_asked=False)) == [(1, "confirm", {})]


@pytest.mark.parametrize("text", ["yes thanks", "sure, thank you", "adelante, gracias", "use omar thanks"])
def test_a_plain_yes_with_thanks_is_still_a_yes(text: str) -> None:
    assert verdicts(read(text)) == [(1, "confirm", {})]


@pytest.mark.parametrize("text", ["ok thanks", "vale gracias", "👍 ty"])
def test_thanks_may_be_manners_and_a_weak_yes_with_it_does_not_decide_what_cannot_be_undone(text: str) -> None:
    assert read(text).unclear == NO_OPTIONS
    assert verdicts(read(text, dispatch(reversible=True))) == [(1, "confirm", {})]


@pytest.mark.parametrize(
    "text",
    [
        "nobody", "no one", "none", "none of them", "nadie", "ninguno", "never mind", "nevermind", "skip it", "cancel",
        "I'll handle it", "I’ll do it myself", "no, nobody", "nobody, thanks",
    ],
)  # fmt: skip
@pytest.mark.parametrize("asked_back", [None, WHICH_BOB, Unclear("no_such_name", 1, "vendor"), LISTED_AGAIN])
def test_nobody_denies_a_question_of_any_kind(text: str, asked_back: Unclear | None) -> None:
    for confirm in (True, False):
        assert verdicts(read(text, dispatch(confirm=confirm), asked_back=asked_back)) == [(1, "deny", {})]


def test_no_to_who_is_asked_back_once_and_then_it_is_a_no() -> None:
    who = dispatch(confirm=False)
    assert read("no", who).unclear == NO_OPTIONS
    for asked_back in (WHICH_BOB, Unclear("no_such_name", 1, "vendor"), NO_OPTIONS, LISTED_AGAIN):
        assert verdicts(read("no", who, asked_back=asked_back)) == [(1, "deny", {})]
        assert verdicts(read("no", asked_back=asked_back)) == [(1, "deny", {})]
    assert read("no", who, asked_back=Unclear("not_understood", 2)).verdicts == ()


@pytest.mark.parametrize("text", ["cancel", "cancel it", "don't cancel", "send him", "nevermind", "use omar"])
def test_words_that_may_mean_the_opposite_of_a_question_whether_to_cancel_decide_nothing(text: str) -> None:
    options = (Option(id="v-osalpa", label="Osalpa Electric", aliases=("omar",), suggested=True),)
    assert read(text, asks("Cancel Osalpa's Thursday visit?", options=options)).verdicts == ()


def test_do_not_cancel_is_no_refusal() -> None:
    assert read("don't cancel").verdicts == ()


def test_a_pasted_flood_of_words_decides_nothing() -> None:
    assert read("ty " * 3000 + "x " + "ty " * 3000).verdicts == ()
    assert read("ty " * 3000 + "x " + "ty " * 3000, dispatch(1, "held")).verdicts == ()
