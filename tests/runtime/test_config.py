"""workers.toml is read strictly: what is wrong stops the start, and the message says where."""

from pathlib import Path

import pytest

from runtime import addresses, wiring
from runtime.config import FILE, QUEUES, load
from runtime.errors import BadConfigurationError, NothingRunsError


def test_the_file_that_comes_with_sayso_serves_every_queue_once() -> None:
    assert sorted(queue for process in load().processes.values() for queue in process.queues) == sorted(QUEUES)


@pytest.mark.parametrize(("old", "new", "said"), [
    ("threads = 8", "thread = 8", "unknown key processes.deliveries.thread = 8"),
    ("threads = 8", 'threads = "8"', "processes.deliveries.threads = '8': Input should be a valid integer"),
    ("threads = 8", "threads = 0", "processes.deliveries.threads = 0: Input should be greater than or equal to 1"),
    ("threads = 8", "", "processes.deliveries: queues and threads go together"),
    ("threads = 8", "threads = 8\nthreads = 9", "Cannot overwrite a value"),
    ("[processes.beat]", "[processes.relay]", "declare ('processes', 'relay') twice"),
    ('"ticks"]', '"ticks", "deliveries"]', "queue 'deliveries' is served more than once, by handlers and deliveries"),
    ('"ticks"]', '"tics"]', "processes.handlers.queues: there is no queue 'tics'"),
    (', "ticks"]', "]", "queue 'ticks' is served by nobody"),
    ('queues = ["deliveries"]', "", "processes.deliveries: queues and threads go together"),
    ("[processes.relay]", "[processes.relais]", "processes.relais has no queues and is no module"),
    ("[processes.relay]", "[procesess.relay]", "unknown key procesess"),
    ("[processes.relay]", "[processes.relay", "line"),
])
def test_a_mistake_is_refused_with_file_key_and_value(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = FILE.read_text()
    assert old in text
    file = tmp_path / "workers.toml"
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(BadConfigurationError) as refusal:
        load(file)
    assert str(file) in str(refusal.value)
    assert said in str(refusal.value)
    assert refusal.value.next_step


def test_an_address_of_another_kind_of_server_is_refused_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://somewhere")
    with pytest.raises(BadConfigurationError, match="DATABASE_URL begins with 'mysql'"):
        wiring.wire()


@pytest.mark.parametrize(("variable", "url"), [
    ("DATABASE_URL", "postgresql://u:secret@host:port/x"),
    ("DATABASE_URL", "postgresql://u:secret%zz@host/x"),
    ("DATABASE_URL", "postgresql://u:secret@[::1"),
    ("DATABASE_URL", "postgresql://u:secret@host:99999/x"),
    ("REDIS_URL", "redis://:secret@host:port/0"),
    ("REDIS_URL", "redis://:secret@host:1/zero"),
    ("REDIS_URL", "redis://:secret@[::1/0"),
    ("REDIS_URL", "redis+socket://"),
])
def test_an_address_that_cannot_be_read_is_refused_by_its_variable_and_without_its_password(
        variable: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, url)
    with pytest.raises(BadConfigurationError, match=variable) as refusal:
        wiring.external(variable)
    assert "secret" not in f"{refusal.value} {refusal.value.next_step}"


@pytest.mark.parametrize(("variable", "url", "place"), [
    ("DATABASE_URL", "postgresql://u:p@host/x", "host:5432/x"),
    ("DATABASE_URL", "postgres://u:p@a:1,b:2/x", "a,b:1,2/x"),
    ("DATABASE_URL", "postgresql://?host=/run/pg&dbname=x", "/run/pg:5432/x"),
    ("REDIS_URL", "redis://:p@host", "host:6379/0"),
    ("REDIS_URL", "rediss://:p@host:1/2?ssl_cert_reqs=none", "host:1/2"),
    ("REDIS_URL", "redis+socket:///run/redis?virtual_host=3", "/run/redis/3"),
])
def test_an_address_is_named_by_host_port_and_database_alone(variable: str, url: str, place: str) -> None:
    assert addresses.place(variable, addresses.check(variable, url)) == place


def test_without_addresses_and_without_a_supervisor_the_way_to_start_is_named(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    wired = wiring.wire()
    with pytest.raises(NothingRunsError) as refusal:
        wired.connect()
    assert refusal.value.next_step == f"Start it with: sayso up --data '{tmp_path}'"


def test_each_copy_of_a_process_has_a_name_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "workers.toml"
    text = FILE.read_text()
    file.write_text(text[:text.index("[processes.handlers]")]
                    + text[text.index("[processes.handlers]"):].replace("copies = 1", "copies = 2"))
    names = [program.name for program in wiring.programs(load(file), tmp_path, "postgresql://x", "redis://x", False)]
    assert len(names) == len(set(names)) == 7
    assert {"deliveries", "deliveries-2"} <= set(names)
