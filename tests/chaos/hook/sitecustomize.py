"""Read by every Python process that has this folder on its path: the processes of a chaos run."""

import os

if os.environ.get("SAYSO_KILL_POINTS") and os.environ.get("SAYSO_PROCESS"):  # not the supervisor, not a command
    from tests.chaos import kill_points

    kill_points.install(kill_points.Points(os.environ["SAYSO_KILL_POINTS"]), os.environ["SAYSO_PROCESS"])
