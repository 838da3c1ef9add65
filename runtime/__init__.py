"""Owns starting and stopping, settings, the servers, the Celery application and the `sayso` command."""
