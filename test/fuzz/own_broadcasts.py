"""Broadcasts in the states that their operations need, because a generated request alone never gets one there."""

import random
import re
import time
from datetime import UTC, datetime, timedelta

import requests
from catalogs import context
from own_mail import created

BROADCASTS = "/api/v1/broadcasts"
OPERATION = re.compile(rf"{BROADCASTS}/{{id}}/(send|pause|resume|cancel)")
# Waits for the rate of the company, so that the broadcast is sending for minutes.
RECIPIENTS = [f"reader-{number}@fuzz.example" for number in range(200)]
running = []


def call(method, path, token, body=None):
    return requests.request(
        method, f"{context['base']}/email{path}", headers={"authorization": f"Bearer {token}"}, json=body, timeout=30
    )


def create_draft(session_of):
    """Returns the id of a new draft. Other calls may have configured a sender that does not work, or paused the lane: both end."""
    call("DELETE", "/api/v1/provider", session_of("owner"))
    for query in ("", f"?company_id={context['company']}"):
        call("POST", f"/api/v1/lanes/bulk/resume{query}", session_of("staff"), {})
    audience = {"mode": "pick", "emails": RECIPIENTS}
    draft = {"name": "Fuzz", "source_key": "barebone.text-only", "audience": audience}
    response = call("POST", BROADCASTS, session_of("owner"), draft)
    if response.status_code != 201:
        raise RuntimeError(f"cannot create a broadcast: {response.text}")
    created[BROADCASTS].append(response.json()["id"])
    return response.json()["id"]


def send(session_of):
    """Returns the id of a new broadcast that is queued."""
    id = create_draft(session_of)
    response = call("POST", f"{BROADCASTS}/{id}/send", session_of("owner"), {})
    if response.status_code != 202:
        raise RuntimeError(f"cannot send a broadcast: {response.text}")
    return id


def state_of(id, session_of):
    return call("GET", f"{BROADCASTS}/{id}", session_of("owner")).json().get("state")


def in_state(state, session_of):
    """Returns the id of a broadcast that is `sending` or `paused`."""
    if not running or state_of(running[-1], session_of) not in ("sending", "paused"):
        running.append(send(session_of))
        for _ in range(60):
            if state_of(running[-1], session_of) == "sending":
                break
            time.sleep(0.25)
    id = running[-1]
    if state_of(id, session_of) != state:
        call("POST", f"{BROADCASTS}/{id}/{'pause' if state == 'paused' else 'resume'}", session_of("owner"))
    return id


PREPARE = {
    "send": create_draft,
    "pause": lambda session_of: in_state("sending", session_of),
    "resume": lambda session_of: in_state("paused", session_of),
    "cancel": send,
}


def use_own_broadcast(case, session_of):
    """Uses a broadcast in a suitable state for three of four calls. Half of those that send it schedule it."""
    operation = OPERATION.fullmatch(case.operation.path)
    if operation is None or random.random() >= 0.75:
        return
    case.path_parameters["id"] = PREPARE[operation[1]](session_of)
    if isinstance(case.query, dict):
        case.query.pop("company_id", None)
    if operation[1] == "send":
        at = datetime.now(UTC) + timedelta(hours=random.randint(1, 2000))
        case.body = random.choice([{}, {"send_at": at.isoformat()}])
