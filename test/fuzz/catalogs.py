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


def commands(name):
    """Returns the specifications of the management commands with a name. Several services may have such a command."""
    return [spec for service in context["commands"].values() for spec in service if spec["name"] == name]


def flags(command):
    """Returns the flags by name that a service accepts for a management command."""
    return {flag["name"]: flag for spec in commands(command) for flag in spec["flags"] if not flag.get("local")}


def max_rows(command):
    """Returns the maximum number of rows of a management command; 0 for a command without rows."""
    return max((spec["rows"]["max"] for spec in commands(command) if "rows" in spec), default=0)


@functools.cache
def events():
    """Returns the catalog's events by event type."""
    response = requests.get(
        f"{context['base']}/email/api/v1/catalog",
        headers={"authorization": f"Bearer {context['staff']}"},
        timeout=30,
    )
    return {event["event_type"]: event for event in response.json()["events"]}
