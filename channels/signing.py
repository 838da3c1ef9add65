"""Signatures of the http channel, the same in both directions: who has the secret wrote this, and not long ago."""

import hmac
import re

from channels.errors import BadSignatureError

HEADER = "Sayso-Signature"
TOLERANCE_SECONDS = 300  # how far the clocks of the two sides, and the way between them, may be apart
FORM = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})", re.ASCII)


def sign(secret: str, at: int, method: str, target: str, body: bytes) -> str:
    """The header's value. `at` is in Unix seconds; `target` is the path with its query, as it stands in the request."""
    return f"t={at},v1={_digest(secret, at, method, target, body)}"


def verify(secret: str, header: str | None, method: str, target: str, body: bytes, now: float) -> None:
    """Raises BadSignatureError unless the header was made with our secret, for exactly this request, around `now`."""
    if header is None:
        raise BadSignatureError(f"there is no header {HEADER}")
    signed = FORM.fullmatch(header)
    if signed is None:
        raise BadSignatureError(f"the header {HEADER} is not t=SECONDS,v1=HEX")
    at = int(signed[1])
    if not hmac.compare_digest(signed[2], _digest(secret, at, method, target, body)):
        raise BadSignatureError("the signature is not one of this request with our secret")
    if abs(now - at) > TOLERANCE_SECONDS:
        raise BadSignatureError(f"by our clock it was signed {now - at:.0f} s ago; {TOLERANCE_SECONDS} are allowed")


def _digest(secret: str, at: int, method: str, target: str, body: bytes) -> str:
    return hmac.digest(secret.encode(), f"{at}.{method} {target}.".encode() + body, "sha256").hex()
