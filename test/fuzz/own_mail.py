"""Requests for a company's own mail: the key of one company, the sender that it may use, and the rows that the run has created."""

import random
import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta

import requests
from catalogs import context

DIRECT = "/api/v1/emails"
# Collections by path: the field of a created row that the paths of its other operations contain.
COLLECTIONS = {DIRECT: "id", "/api/v1/event-types": "event_type", "/api/v1/api-keys": "id", "/api/v1/broadcasts": "id"}
NEWSLETTERS = "/api/v1/newsletters"
# The public routes of a newsletter name it by its public key.
PUBLIC_NEWSLETTERS = "/api/v1/public/newsletters"
# Created rows by collection, newest last.
created = defaultdict(list)


def is_direct(path):
    return path.startswith(DIRECT)


def create_direct_key(staff):
    """
    Returns a new API key of company 1, which sends direct content. The sender of that company does not change during a run,
    because the owner of the run belongs to another company.
    """
    response = requests.post(
        f"{context['base']}/email/api/v1/api-keys?company_id=1",
        headers={"authorization": f"Bearer {staff}"},
        json={"allowed_template_prefixes": ["fuzz."], "direct_content": True},
        timeout=30,
    ).text
    match = re.search("esk_[A-Za-z0-9_-]{43}", response)
    if match is None:
        raise RuntimeError(f"cannot create an API key: {response}")
    return match[0]


def collection_of(path):
    """Returns the path of a row's collection, or None for other paths."""
    if path.startswith(f"{PUBLIC_NEWSLETTERS}/{{public_key}}"):
        return PUBLIC_NEWSLETTERS
    return next((start for start in COLLECTIONS if path.startswith(f"{start}/{{")), None)


def use_own_sender(case):
    """Replaces three of four valid `from` addresses with the one that the company may use, and half of the times with one that is possible."""
    if not is_direct(case.operation.path) or not isinstance(case.body, (dict, list)):
        return
    emails = case.body.get("emails", [case.body]) if isinstance(case.body, dict) else case.body
    for email in emails if isinstance(emails, list) else []:
        if isinstance(email, dict) and "from" in email and random.random() < 0.75:
            email["from"] = context["sender"]
        if isinstance(email, dict) and "scheduled_at" in email and random.random() < 0.5:
            email["scheduled_at"] = (datetime.now(UTC) + timedelta(hours=random.randint(1, 600))).isoformat()


def use_created_row(case):
    """Replaces three of four ids in the path with one that the run has created."""
    collection = collection_of(case.operation.path)
    rows = created.get(collection)
    if rows and random.random() < 0.75:
        case.path_parameters = {name: random.choice(rows[-20:]) for name in case.path_parameters}


def record_row(case, response):
    """Stores the id of a created row."""
    path = case.operation.path
    if response.status_code not in (200, 201) or case.method.upper() != "POST":
        return
    if path == f"{DIRECT}/batch":
        created[DIRECT].extend(item["id"] for item in response.json()["data"])
    elif path == NEWSLETTERS:
        created[PUBLIC_NEWSLETTERS].append(response.json()["public_key"])
    if path in COLLECTIONS:
        created[path].append(response.json()[COLLECTIONS[path]])
