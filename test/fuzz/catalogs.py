"""The context of the run (test/fuzz/platform.ts), and lists that the platform returns."""

import functools
import json
import os

import requests

with open(os.environ["FUZZ_CONTEXT"], encoding="utf-8") as file:
    context = json.load(file)


def person():
    """Returns the id of the only member of the caller's company."""
    return context["person"]


def flags(command):
    """Returns the flags of a management command by name. Several services may have a command of that name."""
    commands = context["commands"].values()
    return {flag["name"]: flag for service in commands for spec in service if spec["name"] == command for flag in spec["flags"]}


@functools.cache
def events():
    """Returns the catalog's events by event type."""
    response = requests.get(
        f"{context['base']}/email/api/v1/catalog",
        headers={"authorization": f"Bearer {context['staff']}"},
        timeout=30,
    )
    return {event["event_type"]: event for event in response.json()["events"]}
