"""How a job describes itself to a conductor that knows no kinds: the question, its wording, what would answer it."""

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator

from jobs.errors import BadValue, bad

LARGEST, LONGEST_HOLD = 65536, 86400  # bytes of JSON, and seconds: as schema.sql has them
RESERVED = ("verdict", "confirmed", "freeform", "decided_by", "decided_at", "evidence", "interpreted_by")
LAID_OUT = "\n\r\t"  # what may break lines in quoted words


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Option(_Value):
    """One thing that may be chosen; `id` is what the resolution will hold."""

    id: str = Field(min_length=1)
    label: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    suggested: bool = False
    note: str | None = None


class Choice(_Value):
    """One of `options`, which the text lists, or of `candidates`, which may be named too; `open`: or anything else."""

    type: Literal["choice"] = "choice"
    options: tuple[Option, ...]
    candidates: tuple[Option, ...] = ()
    open: bool = False


class Time(_Value):
    type: Literal["time"] = "time"


class Amount(_Value):
    type: Literal["amount"] = "amount"


class Text(_Value):
    type: Literal["text"] = "text"


Slot = Annotated[Choice | Time | Amount | Text, Field(discriminator="type")]


class Answer(_Value):
    """What would answer: a yes or no, values for named slots, or both."""

    confirm: bool = True
    slots: dict[str, Slot] = {}


class Ask(_Value):
    """All that a conductor may know of a job. Any fault in it raises BadValue, which names the field and the value."""

    question: str = Field(min_length=1)
    draft: str = Field(min_length=1)
    answer: Answer
    facts: dict[str, str] = {}
    reversible: bool = True
    hold_seconds: int = Field(default=0, ge=0, le=LONGEST_HOLD)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """From JSON. Raises BadValue."""
        return cls.model_validate(data)

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    @model_validator(mode="wrap")
    @classmethod
    def _sound(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            ask = handler(data)
        except ValidationError as error:
            raise bad_value(error, "ask") from error
        sound_json("ask", ask.as_json())
        for name, slot in ask.answer.slots.items():
            field = f"ask.answer.slots.{name}"
            if name in RESERVED or not name.isidentifier():
                raise bad(field, name, "no name for a slot", f"Use a plain word, none of {', '.join(RESERVED)}.")
            if isinstance(slot, Choice):
                _sound_choice(field, slot)
        return ask


def bad_value(error: ValidationError, *where: str) -> BadValue:
    """The first fault that Pydantic found, as a refusal; `where` is the field that it looked at."""
    fault = error.errors(include_url=False)[0]
    return bad(".".join((*where, *map(str, fault["loc"]))), fault["input"], fault["msg"], "Correct it, and try again.")


def _sound_choice(field: str, choice: Choice) -> None:
    ids = [option.id for option in (*choice.options, *choice.candidates)]
    if twice := next((i for i in ids if ids.count(i) > 1), None):
        raise bad(field, twice, "the id of two options", "Give each its own.")
    if not ids and not choice.open:
        raise bad(field, (), "nothing to choose from", "Give options, or open it to other values.")
    for option in (*choice.options, *choice.candidates):
        for text in (option.id, option.label, *option.aliases):
            one_line(field, text)


def one_line(field: str, text: str, longest: int = 300) -> None:
    """Raises BadValue unless `text` is one line of visible characters."""
    if not text.strip() or len(text) > longest or any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        raise bad(field, text, "not a short line", f"Use one line of 1 to {longest} visible characters.")


def sound_json(field: str, data: Any) -> None:
    """Raises BadValue if `data` cannot be stored: control characters, numbers that JSON lacks, or more than 64 KiB."""
    for where, text in _texts(field, data):
        if c := next((c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in LAID_OUT), None):
            raise bad(where, text, f"the character U+{ord(c):04X} is in it", "Remove it.")
    try:
        size = len(json.dumps(data, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise bad(field, data, f"not JSON, {error}", "Use texts, numbers, lists, objects.") from error
    if size > LARGEST:
        raise bad(field, size, "bytes, too many", f"Shorten it to {LARGEST}.")


def _texts(where: str, data: Any) -> Iterator[tuple[str, str]]:
    if isinstance(data, str):
        yield where, data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield where, str(key)
            yield from _texts(f"{where}.{key}", value)
    elif isinstance(data, Sequence):
        for number, value in enumerate(data):
            yield from _texts(f"{where}.{number}", value)
