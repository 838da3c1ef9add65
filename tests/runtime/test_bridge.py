"""A bridge is configured by three variables, all or none; a mistake is refused by name, and the secret never shown."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from channels.http import Http
from channels.registry import channels
from directory.cells import CHANNELS
from runtime import bridge, wiring
from runtime.bridge import Bridge
from runtime.command import sayso
from runtime.config import load
from runtime.errors import BadConfigurationError

GOOD = {"SAYSO_HTTP_URL": "https://gate.example:8443/sayso", "SAYSO_HTTP_SECRET": "a secret of the tests",
        "SAYSO_HTTP_LISTEN": "[::1]:8090"}


def test_all_three_make_a_bridge_and_none_makes_none() -> None:
    assert bridge.read({"HOME": "/"}) is None
    assert bridge.read(dict.fromkeys(GOOD, "")) is None
    assert bridge.read(GOOD) == Bridge(GOOD["SAYSO_HTTP_URL"], GOOD["SAYSO_HTTP_SECRET"], "::1", 8090)
    assert GOOD["SAYSO_HTTP_SECRET"] not in repr(bridge.read(GOOD))


@pytest.mark.parametrize("missing", GOOD)
def test_one_that_is_missing_is_named(missing: str) -> None:
    with pytest.raises(BadConfigurationError, match=f"without {missing}") as refusal:
        bridge.read({**GOOD, missing: ""})
    assert GOOD["SAYSO_HTTP_SECRET"] not in f"{refusal.value} {refusal.value.next_step}"


@pytest.mark.parametrize(("variable", "value"), [
    ("SAYSO_HTTP_SECRET", "fifteen letters"), ("SAYSO_HTTP_SECRET", "a secret \udcff of the tests"),
    *(("SAYSO_HTTP_URL", url) for url in (
        "gate.example", "ftp://gate", "http://", "http://user:pass@gate", "http://gate?a", "http://gate#a",
        "http://gate:0", "http://gate:port", "http://gate:99999", "http://[::1", "http://gate /", "http://gåte")),
    *(("SAYSO_HTTP_LISTEN", place) for place in (
        "8090", "localhost", "localhost:0", ":8090", "::1:8090", "localhost:8090/", "u@localhost:8090",
        "localhost:99999", "localhost:port")),
])
def test_a_value_that_cannot_be_used_is_refused_by_its_variable(variable: str, value: str) -> None:
    with pytest.raises(BadConfigurationError, match=variable) as refusal:
        bridge.read({**GOOD, variable: value})
    told = f"{refusal.value} {refusal.value.next_step}"
    assert refusal.value.next_step
    assert "pass@" not in told
    assert value not in told or variable == "SAYSO_HTTP_LISTEN"


def test_webhooks_is_started_where_a_bridge_is_configured_and_only_there(tmp_path: Path) -> None:
    def names(with_bridge: bool) -> set[str]:
        programs = wiring.programs(load(), tmp_path, "postgresql://x", "redis://x", with_bridge)
        return {program.name for program in programs}

    assert names(True) - names(False) == {"webhooks"}


def test_the_channels_of_an_installation_are_those_a_person_may_be_given() -> None:
    assert [channel.name for channel in channels(None)] == ["terminal"]
    assert tuple(channel.name for channel in channels(Http("http://gate", "a secret of the tests"))) == CHANNELS


def test_config_check_shows_the_bridge_and_not_its_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in GOOD:
        monkeypatch.delenv(variable, raising=False)
    assert "bridge: none" in CliRunner().invoke(sayso, ["config", "check"]).output
    for variable, value in GOOD.items():
        monkeypatch.setenv(variable, value)
    shown = CliRunner().invoke(sayso, ["config", "check"]).output
    assert "bridge: https://gate.example:8443/sayso, events to [::1]:8090" in shown
    assert GOOD["SAYSO_HTTP_SECRET"] not in shown
    told = json.loads(CliRunner().invoke(sayso, ["config", "check", "--json"]).output)
    assert told["bridge"] == {"url": "https://gate.example:8443/sayso", "listen": "[::1]:8090"}
    monkeypatch.setenv("SAYSO_HTTP_LISTEN", "8090")
    assert CliRunner().invoke(sayso, ["config", "check"]).exit_code == 1
