"""The http channel: texts go to a bridge, somebody's own gateway to phones, as docs/http-channel.md describes it."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import AfterValidator, BaseModel, StringConstraints

from channels.contract import Accepted, LookedUp, NotSent, Outgoing, Rejected, Submitted, Unknown
from channels.outbox import is_text
from channels.signing import HEADER, sign

NAME = "http"
TIMEOUTS = httpx.Timeout(connect=3, write=5, read=10, pool=3)  # seconds; all of them are far below delivery.LEASE
ANSWER_SECONDS = 20  # for the whole of an answer, however slowly it drips
LONGEST_ANSWER = 65_536  # bytes; more is cut off
LONGEST_PAGE = 16_777_216  # likewise, of a page of history
CERTAINLY_NOT = (400, 401, 403, 404, 409, 410, 413, 422)
COME_AGAIN = (429, 503)
NEVER_LEFT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

Model = TypeVar("Model", bound=BaseModel)


def _texty(name: str) -> str:
    if not all(map(is_text, name)):
        raise ValueError("has a character that is no text")
    return name


Name = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=1000), AfterValidator(_texty)]


class Taken(BaseModel):
    """The bridge has the text."""

    provider_id: Name


class Page(BaseModel):
    """A piece of what the bridge got, in its order, not yet looked into. `cursor` asks for what comes after it."""

    events: list[Any]
    cursor: Name


@dataclass(frozen=True)
class NoPage:
    """The history could not be read this time."""

    why: str


class Http:
    """May be used by many threads at once. Every request is made once, on a connection of its own: one that is kept
    may just have been closed by the other side, and then nobody could tell whether what was written on it arrived."""

    name = NAME

    def __init__(self, url: str, secret: str, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives Unix seconds: the bridge compares them with its own clock, so they are not those of SQL."""
        self._url = url.rstrip("/")
        self._secret = secret
        self._clock = clock
        self._client = httpx.Client(
            timeout=TIMEOUTS, limits=httpx.Limits(max_connections=None, max_keepalive_connections=0), trust_env=False,
            follow_redirects=False,
            headers={"accept-encoding": "identity", "connection": "close", "user-agent": "sayso"})

    def submit(self, text: Outgoing) -> Submitted:
        content = json.dumps({"id": str(text.id), "address": text.address, "body": text.body}).encode()
        try:
            status, answer = self._request("POST", "/messages", content)
        except NEVER_LEFT as error:
            return NotSent(f"the bridge cannot be reached: {error!r}")
        except httpx.HTTPError as error:
            return Unknown(f"the bridge did not answer: {error!r}")
        if status in (200, 201, 202) and (taken := _read(Taken, answer)):
            return Accepted(taken.provider_id)
        said = f"the bridge answered {status}: {_words(answer)}"
        return Rejected(said) if status in CERTAINLY_NOT else NotSent(said) if status in COME_AGAIN else Unknown(said)

    def look_up(self, text: Outgoing) -> LookedUp:
        """Tells the bridge not to take it any more: what it has not taken now it never will, so no clock decides."""
        try:
            status, answer = self._request("DELETE", f"/messages/{text.id}", b"")
        except httpx.HTTPError as error:
            return Unknown(f"the bridge did not answer: {error!r}")
        if status == 200 and (taken := _read(Taken, answer)):
            return Accepted(taken.provider_id)
        if status == 204:
            return Rejected("the bridge had not taken it, and was told not to take it any more")
        return Unknown(f"the bridge answered {status}: {_words(answer)}")

    def history(self, after: str) -> Page | NoPage:
        """What the bridge got after this cursor; an empty cursor is the beginning. Changes nothing on either side."""
        try:
            status, answer = self._request("GET", f"/events?after={quote(after, safe='')}", b"", LONGEST_PAGE)
        except httpx.HTTPError as error:
            return NoPage(f"the bridge did not answer: {error!r}")
        page = _read(Page, answer) if status == 200 else None
        return page or NoPage(f"the bridge answered {status}: {_words(answer)}")

    def _request(self, method: str, path: str, content: bytes, longest: int = LONGEST_ANSWER) -> tuple[int, bytes]:
        """The status and the first `longest` bytes of what was answered. Raises httpx.HTTPError."""
        request = self._client.build_request(method, self._url + path, content=content,
                                             headers={"content-type": "application/json"})
        request.headers[HEADER] = sign(self._secret, int(self._clock()), method, request.url.raw_path.decode(), content)
        until, answer = time.monotonic() + ANSWER_SECONDS, b""
        response = self._client.send(request, stream=True)
        try:
            for piece in response.iter_raw():
                answer += piece
                if len(answer) > longest:
                    break
                if time.monotonic() > until:
                    raise httpx.ReadTimeout(f"the answer took more than {ANSWER_SECONDS} s", request=request)
        finally:
            response.close()
        return response.status_code, answer[:longest]


def _read(model: type[Model], answer: bytes) -> Model | None:
    try:
        return model.model_validate(json.loads(answer))
    except (ValueError, RecursionError):
        return None


def _words(answer: bytes) -> str:
    return answer.decode("utf-8", "replace").strip() or "nothing"
