"""A signature holds for one request, one secret and a while; anything else is refused by what is wrong with it."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.errors import BadSignatureError
from channels.signing import sign, verify

ROOT = Path(__file__).parents[2]
SECRET = "a secret of the docs"
BODY = b'{"id": "e1"}'
SIGNED = sign(SECRET, 1_800_000_000, "POST", "/events", BODY)


def test_the_examples_of_the_page_for_bridges_are_right() -> None:
    page = (ROOT / "docs" / "http-channel.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `(/\S+)` \| `(.*?)` \| `([0-9a-f]{64})` \|$", page, re.MULTILINE)
    assert [method for method, *_ in rows] == ["POST", "GET", "DELETE"]
    for method, target, body, digest in rows:
        header = f"t=1800000000,v1={digest}"
        verify("an example, and no secret", header, method, target, body.encode(), 1_800_000_000)


@given(st.text(min_size=16), st.integers(0, 10**11), st.sampled_from(["POST", "GET", "DELETE"]),
       st.text(st.characters(codec="ascii", exclude_characters=" ")), st.binary())
def test_what_is_signed_is_verified(secret: str, at: int, method: str, path: str, body: bytes) -> None:
    secret = secret.encode("utf-8", "replace").decode()
    verify(secret, sign(secret, at, method, f"/{path}", body), method, f"/{path}", body, float(at))


@pytest.mark.parametrize("seconds", [-300, 0, 300])
def test_the_clocks_may_be_five_minutes_apart(seconds: int) -> None:
    verify(SECRET, SIGNED, "POST", "/events", BODY, 1_800_000_000 + seconds)


@pytest.mark.parametrize(("change", "why"), [
    ({"header": None}, "there is no header"),
    ({"header": ""}, "is not t=SECONDS,v1=HEX"),
    ({"header": SIGNED + "\n"}, "is not t=SECONDS,v1=HEX"),
    ({"header": SIGNED.replace("t=", "t=-")}, "is not t=SECONDS,v1=HEX"),
    ({"header": SIGNED.replace("t=18", "t=١٨")}, "is not t=SECONDS,v1=HEX"),
    ({"header": SIGNED.replace("t=18", "t=19"), "now": 1_900_000_000}, "not one of this request"),
    ({"header": SIGNED[:-1] + ("0" if SIGNED[-1] != "0" else "1")}, "not one of this request"),
    ({"secret": "another secret!!"}, "not one of this request"),
    ({"method": "PUT"}, "not one of this request"),
    ({"target": "/events?x"}, "not one of this request"),
    ({"body": BODY + b" "}, "not one of this request"),
    ({"now": 1_800_000_301}, "signed 301 s ago"),
    ({"now": 1_799_999_699}, "signed -301 s ago"),
])
def test_anything_else_is_refused_by_what_is_wrong(change: dict[str, object], why: str) -> None:
    call: dict[str, object] = {"secret": SECRET, "header": SIGNED, "method": "POST", "target": "/events", "body": BODY,
                               "now": 1_800_000_000, **change}
    with pytest.raises(BadSignatureError, match=why) as refusal:
        verify(**call)  # type: ignore[arg-type]
    assert SECRET not in f"{refusal.value}"
    assert "docs/http-channel.md" in refusal.value.next_step
