"""Which unit somebody means."""

from pathlib import Path
from uuid import UUID

import pytest

import directory
from jobs.db import Conn


@pytest.fixture
def home(db: Conn, tmp_path: Path) -> UUID:
    """12 Birch with #4 and #12, 12 Elm with #4 and #B."""
    home = directory.create_workspace(db, name="Home", manager_name="Dana", chat_guid="dana").id
    for kind, text in (
        ("properties", "id,name,address\np1,12 Birch,12 Birch Street\np2,12 Elm,12 Elm Road"),
        ("units", "id,property,label\nb4,p1,#4\nb12,p1,#12\ne4,p2,#4\neb,p2,Apt B"),
    ):
        (tmp_path / kind).write_text(text)
        assert directory.import_rows(db, home, kind, tmp_path / kind).errors == ()
    return home


@pytest.mark.parametrize(("text", "means"), [
    ("b4", "b4"), (" b4 ", "b4"), ("12 Birch #4", "b4"), ("12 birch 4", "b4"), ("birch 4", "b4"),
    ("Birch Street, #4", "b4"), ("birch 12", "b12"), ("12 birch 12", "b12"), ("elm unit 4", "e4"),
    ("12 Elm Road apt b", "eb"), ("B", "eb"),
])
def test_a_unit_is_found_by_its_id_or_by_what_people_call_it(db: Conn, home: UUID, text: str, means: str) -> None:
    assert directory.unit(db, home, text).external_id == means
    assert directory.place(db, home, directory.unit(db, home, text).id).external_id == means


@pytest.mark.parametrize("text", ["4", "#4", "12 4", "unit 4"])
def test_what_fits_several_units_is_asked_back_and_never_guessed(db: Conn, home: UUID, text: str) -> None:
    with pytest.raises(directory.NotOne, match=r"12 Birch #4 \(b4\), 12 Elm #4 \(e4\)"):
        directory.unit(db, home, text)


@pytest.mark.parametrize("text", ["", "12 birch", "oak 4", "birch 5", "birch 4 and elm 4", "4 birch"])
def test_what_fits_no_unit_is_refused(db: Conn, home: UUID, text: str) -> None:
    with pytest.raises(directory.NoSuch):
        directory.unit(db, home, text)


def test_a_unit_of_another_workspace_is_not_found(db: Conn, home: UUID) -> None:
    other = directory.create_workspace(db, name="Other", manager_name="Lee", chat_guid="lee").id
    with pytest.raises(directory.NoSuch):
        directory.unit(db, other, "b4")
    with pytest.raises(directory.NoSuch):
        directory.place(db, other, directory.unit(db, home, "b4").id)
