"""What the run knows of the platform (test/fuzz/platform.ts), and lists that the platform answers."""

import functools
import json
import os

import requests

with open(os.environ["FUZZ_CONTEXT"], encoding="utf-8") as file:
    context = json.load(file)


def person():
    """The only member of the caller's company."""
    return context["person"]


def flags(command):
    """The flags of a management command by their names; one name may be a command of several services."""
    commands = context["commands"].values()
    return {flag["name"]: flag for service in commands for spec in service if spec["name"] == command for flag in spec["flags"]}


@functools.cache
def events():
    """The events that mail can be sent for, by their types."""
    answer = requests.get(
        f"{context['base']}/email/api/v1/catalog",
        headers={"authorization": f"Bearer {context['staff']}"},
        timeout=30,
    )
    return {event["event_type"]: event for event in answer.json()["events"]}
