"""The broker: how Celery is set up to carry hints, and how one is published. A hint may be lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from celery import Celery
from kombu.connection import Connection
from kombu.entity import Queue
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from runtime.addresses import place
from runtime.errors import UnreachableError

PREFIX = "sayso:"
DOWN = (OperationalError, RedisError, OSError)  # what a publisher sees of a broker that does not answer

SETTINGS: dict[str, Any] = {
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,  # the default gives up after 100 and ends the worker
    "broker_connection_timeout": 3,
    "broker_pool_limit": 4,
    "broker_transport_options": {
        "visibility_timeout": 3600,
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,  # without it a publisher hangs for ever on a frozen broker
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
        "health_check_interval": 15,
        "global_keyprefix": PREFIX,
        "max_retries": 1,  # of a publisher, which else waits 6 s for a broker that is not there
        "interval_start": 0,
        "interval_max": 0,
    },
    "task_acks_late": False,  # the row has the lease; a late ack brings nothing, and ends 5.7.0 when the broker drops
    "task_reject_on_worker_lost": False,
    # Any number at once. With a limit, hints whose acknowledgement is lost when the broker dies count as held for
    # ever, and a worker that holds as many as it may takes no more: it is deaf, and looks well.
    "worker_prefetch_multiplier": 0,
    "worker_disable_prefetch": False,  # with threads True means one task per thread and second
    "worker_eta_task_limit": 100,
    "task_publish_retry": False,  # the relay tries again, from the rows
    "result_backend": None,
    "task_ignore_result": True,
    "worker_send_task_events": False,
    "task_send_sent_event": False,
    "task_serializer": "json",
    "accept_content": ["json"],
    "event_serializer": "json",
    "task_create_missing_queues": False,
    "worker_enable_remote_control": False,
    "enable_utc": True,
    "timezone": "UTC",
    "worker_soft_shutdown_timeout": 20,
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    "worker_hijack_root_logger": False,
}


def celery(broker_url: Callable[[], str], queues: Sequence[str]) -> Celery:
    """A Celery application that knows these queues and no others. The address is asked for at first use, not before."""
    app = Celery("sayso", set_as_current=False)
    app.add_defaults(lambda: {
        **SETTINGS, "broker_url": broker_url(), "task_queues": [Queue(name) for name in queues],  # type: ignore[no-untyped-call]
        "task_default_queue": queues[0]})
    return app


@dataclass(frozen=True)
class Hint:
    """A task's name, its arguments and its queue."""

    task: str
    args: tuple[str, ...]
    queue: str


class Publisher:
    """Sends hints. Only the relay and beat have one. Raises one of DOWN when the broker does not answer."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def publish(self, hint: Hint) -> None:
        self._app.send_task(hint.task, args=list(hint.args), queue=hint.queue, ignore_result=True, retry=False)

    def waiting(self, queue: str) -> int:
        """How many hints of a queue no worker has taken."""
        with self._app.connection_for_write() as connection:
            length: int = connection.default_channel.client.llen(queue)
            return length


def ping(url: str) -> None:
    """Ask once, as the processes would, for 2 s at most for each step. Raises UnreachableError."""
    quick = {**SETTINGS["broker_transport_options"], "socket_timeout": 2}
    try:
        with Connection(url, connect_timeout=2, transport_options=quick) as connection:  # type: ignore[no-untyped-call]
            connection.default_channel.client.ping()
    except DOWN as error:
        where = place("REDIS_URL", url)
        raise UnreachableError(f"the broker {where} does not answer: {error}",
                               "Is it up, and is REDIS_URL, if you set it, its address and password?") from error
