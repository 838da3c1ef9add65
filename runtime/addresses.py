"""The addresses of the servers: checked when they are read, and named without their passwords."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from runtime.errors import BadConfigurationError

SCHEMES = {"DATABASE_URL": ("postgresql", "postgres"), "REDIS_URL": ("redis", "rediss", "redis+socket")}
LOOKS = {"DATABASE_URL": "postgresql://USER:PASSWORD@HOST:PORT/DATABASE", "REDIS_URL": "redis://:PASSWORD@HOST:PORT/0"}


def check(variable: str, url: str) -> str:
    """The address as it was given. Raises BadConfigurationError, which names the variable but never what is in it."""
    scheme = url.partition(":")[0]
    if scheme not in SCHEMES[variable]:
        raise BadConfigurationError(f"{variable} begins with {scheme[:20]!r}",
                                    f"It must begin with {' or '.join(s + '://' for s in SCHEMES[variable])}")
    try:
        place(variable, url)
    except (ValueError, psycopg.ProgrammingError):  # their words may quote the password
        raise BadConfigurationError(
            f"{variable} is no address of a server: its port or another part cannot be read",
            f"It must look like {LOOKS[variable]}; in a password write @ : / % as %40 %3A %2F %25.") from None
    return url


def place(variable: str, url: str) -> str:
    """Host, port and database, for people. Raises ValueError or psycopg.ProgrammingError where `check` would refuse."""
    return _database(url) if variable == "DATABASE_URL" else _broker(url)


def _database(url: str) -> str:
    words: dict[str, Any] = conninfo_to_dict(url)
    ports = [_port(port) for port in str(words.get("port") or "5432").split(",")]
    host = words.get("host") or words.get("hostaddr") or "localhost"
    return f"{host}:{','.join(map(str, ports))}/{words.get('dbname') or words.get('user') or ''}"


def _broker(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "redis+socket":
        number = parse_qs(parts.query).get("virtual_host", ["0"])[-1].strip("/") or "0"
        where = parts.path
        if not where:
            raise ValueError("no path")
    else:
        number = parts.path.strip("/") or "0"
        where = f"{parts.hostname or 'localhost'}:{_port(str(parts.port or 6379))}"
    if not (number.isascii() and number.isdigit()):
        raise ValueError("no number")
    return f"{where}/{number}"


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise ValueError("no port")
    return int(text)
