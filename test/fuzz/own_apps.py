"""Apps, deployments and domains of the company of a run, because a generated path names none that exists."""

import hashlib
import itertools
import uuid

import requests
from catalogs import context

APPS = "/hosting/v1/apps"
CONTENT = b"<!doctype html><title>Fuzz</title>"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
numbers = itertools.count()


def call(method, path, token, body=None):
    response = requests.request(
        method, f"{context['base']}{path}", headers={"authorization": f"Bearer {token}"}, json=body, timeout=30
    )
    return response.json() if response.content else {}


def new_app(token):
    """Returns the id of a new app. Calls may delete apps, so each use has its own."""
    app = call("POST", APPS, token, {"name": f"fuzz-{uuid.uuid4().hex[:12]}", "display_name": "Fuzz"})
    if "id" not in app:
        raise RuntimeError(f"cannot create an app: {app}")
    return app["id"]


def new_deployment(app, token):
    """Returns the id of a new deployment whose file is uploaded."""
    manifest = {"index.html": {"sha256": SHA256, "size": len(CONTENT)}}
    created = call("POST", f"{APPS}/{app}/deployments", token, {"app_version": "1.0.0", "manifest": manifest})
    if "id" not in created:
        raise RuntimeError(f"cannot create a deployment: {created}")
    if created["missing"]:
        headers = {"authorization": f"Bearer {token}"}
        url = f"{context['base']}{APPS}/{app}/blobs/{SHA256}"
        requests.put(url, headers=headers, data=CONTENT, timeout=30)
    return created["id"]


def new_domain(app, token):
    """Returns the id of a new domain."""
    return call("POST", f"{APPS}/{app}/domains", token, {"hostname": f"{uuid.uuid4().hex}.fuzz.example"})["id"]


def use_own_apps(case, session_of):
    """Names an app of the company in about half of the calls, and a deployment or domain of it."""
    path = case.operation.path
    if not path.startswith(f"{APPS}/{{app}}") or next(numbers) % 2:
        return
    token = session_of("owner")
    app = new_app(token)
    case.path_parameters["app"] = app
    for name in case.path_parameters:
        if name in ("id", "a", "b"):
            make = new_domain if "/domains/" in path else new_deployment
            case.path_parameters[name] = make(app, token)
