"""The bridge of an installation, as the environment gives it: where it is, the shared secret, where we listen to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from runtime.errors import BadConfigurationError

VARIABLES = ("SAYSO_HTTP_URL", "SAYSO_HTTP_SECRET", "SAYSO_HTTP_LISTEN")
URL, SECRET, LISTEN = VARIABLES
SHORTEST_SECRET = 16  # characters
SEE = "docs/http-channel.md has an example."


@dataclass(frozen=True)
class Bridge:
    """All that is known of it. `host` and `port` are ours, for its events."""

    url: str
    secret: str = field(repr=False)
    host: str
    port: int

    @property
    def listen(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read(environment: Mapping[str, str]) -> Bridge | None:
    """None when no bridge is configured. Raises BadConfigurationError, which never quotes the secret or a password."""
    given = {name: environment[name] for name in VARIABLES if environment.get(name)}
    if not given:
        return None
    if missing := [name for name in VARIABLES if name not in given]:
        raise BadConfigurationError(f"{' and '.join(given)} without {' and '.join(missing)}",
                                    f"Set all three, or none. {SEE}")
    if len(given[SECRET]) < SHORTEST_SECRET or not given[SECRET].isprintable():
        raise BadConfigurationError(f"{SECRET} has {len(given[SECRET])} characters: it needs {SHORTEST_SECRET}, all of "
                                    "which can be printed", "Make one: openssl rand -hex 32")
    host, port = _listen(given[LISTEN])
    return Bridge(_url(given[URL]), given[SECRET], host, port)


def _url(url: str) -> str:
    parts = _split(url)
    if (parts is None or parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc
            or parts.query or parts.fragment or not url.isprintable() or not url.isascii() or " " in url):
        raise BadConfigurationError(f"{URL} is no base URL that can be used",
                                    f"It must look like https://HOST:PORT/PATH, without user, query or #. {SEE}")
    return url


def _listen(listen: str) -> tuple[str, int]:
    parts = _split(f"//{listen}")
    if parts is None or not parts.hostname or not parts.port or parts.netloc != listen or "@" in listen:
        raise BadConfigurationError(f"{LISTEN} is {listen!r}, and no HOST:PORT",
                                    "It must look like 127.0.0.1:8090, or 0.0.0.0:8090 for every interface.")
    return parts.hostname, parts.port


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return parts if parts.port is None or parts.port else None
    except ValueError:
        return None
