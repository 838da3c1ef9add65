"""What stood before a reply: it says what a number means, and whether a bare word is about the question."""

from dataclasses import dataclass

from conductor.interpreting.reading import Item, Unclear


@dataclass(frozen=True)
class Before:
    asked_back: Unclear | None = None  # what we asked in return to the last reply about the open ask
    just_asked: bool = True  # the last text before the reply was the ask itself

    @property
    def asks_yes_or_no(self) -> bool:
        asked = self.asked_back
        return self.just_asked or (asked is not None and asked.reason in ("not_understood", "crossed"))

    @property
    def numbers_items(self) -> bool:
        return self.asked_back is not None and self.asked_back.reason == "which_item"

    @property
    def numbers_something(self) -> bool:
        """Whether a list of ours came after the ask's own text: its numbers are the ones that count."""
        return self.numbers_items or (self.asked_back is not None and bool(self.asked_back.options))

    def asked_about(self, item: Item) -> bool:
        return self.asked_back is not None and self.asked_back.item_no == item.item_no

    def asked_which(self, item: Item) -> Unclear | None:
        """The question back that only a name or a number answers."""
        asked = self.asked_back
        if asked is None or not self.asked_about(item):
            return None
        return asked if asked.options or asked.reason in ("two_of_name", "no_such_name") else None
