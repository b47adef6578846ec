"""Schemathesis hooks: set the credential of each call, filter findings (excuses.py), and report the responses."""

import atexit
import itertools
import re
from collections import Counter, defaultdict

import requests
import schemathesis
from catalogs import context
from excuses import is_excused, is_valid, record_request
from own_apps import use_own_apps
from own_broadcasts import use_own_broadcast
from own_mail import create_direct_key, is_direct, record_row, use_created_row, use_own_sender
from scim import is_scim, record_created, use_own_rows


@schemathesis.serializer("application/offset+octet-stream", "application/gzip")
def as_bytes(ctx, value):
    """Returns the bytes of a resumable upload, or of an archive."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


# Operations that end the caller's session or account, so each call uses the token of a new member.
ENDS_OWN_SESSION = {"POST /api/v1/logout", "DELETE /api/v1/user", "DELETE /api/v1/sessions/{id}"}
people = itertools.count()


def sign_in(email, company):
    """Signs in a member of a company and returns the access token. Creates the member if none has this address."""
    response = requests.post(
        f"{context['base']}/identity/api/v1/management/create_sign_in_link",
        headers={"authorization": f"Bearer {context['operator']}"},
        json={"flags": {"email": email, "company": company}},
        timeout=30,
    ).text
    match = re.search("verify[?]token=([^&]+)", response)
    if match is None:
        raise RuntimeError(f"cannot sign in {email}: {response}")
    response = requests.post(
        f"{context['base']}/identity/api/v1/magic-link/verify", json={"token": match[1], "company_id": company}, timeout=30
    )
    if response.status_code != 200:
        raise RuntimeError(f"cannot sign in {email}: {response.text}")
    return response.json()["access_token"]


def session_of(role):
    """Returns the access token of the owner or the staff user, who signs in again when a call has ended the session."""
    if role not in context:
        email, company = {"owner": ("owner@fuzz.example", context["company"]), "staff": ("staff@example.com", 1)}[role]
        context[role] = sign_in(email, company)
    return context[role]


# The caller of each path: a service key for sending mail, the staff user for running and configuring the platform, and the owner for
# all other calls.
STAFF_PATHS = (
    "/api/v1/management/",
    "/api/v1/scheduled-jobs",
    "/api/v1/lanes",
    "/api/v1/service-clients",
    "/api/v1/metrics/all",
    "/hosting/v1/metrics/all",
    "/storage/v1/metrics/all",
    "/storage/v1/quota/companies",
)
SERVICE_PATHS = ("/api/v1/send",)
# Identity has an operation with the same path, which is for owners.
SERVICE_CALLS = ("POST /api/v1/events",)


def service_key():
    """Returns a service key for sending, and creates a new one when a call has revoked it."""
    if "service_key" not in context:
        response = requests.post(
            f"{context['base']}/email/api/v1/management/create_service_key",
            headers={"authorization": f"Bearer {session_of('staff')}"},
            json={"flags": {"service": "identity", "lanes": "auth,transactional,bulk"}},
            timeout=30,
        ).text
        match = re.search("esk_[A-Za-z0-9_-]{43}", response)
        if match is None:
            raise RuntimeError(f"cannot create a service key: {response}")
        context["service_key"] = match[0]
    return context["service_key"]


def role_of(path):
    return "staff" if path.startswith(STAFF_PATHS) else "owner"


def direct_key():
    """Returns the API key for direct content, and creates a new one when a call has revoked it."""
    if "direct_key" not in context:
        context["direct_key"] = create_direct_key(session_of("staff"))
    return context["direct_key"]


def caller_name(operation):
    """Returns under which name the context contains the credential for an operation."""
    if is_direct(operation.path):
        return "direct_key"
    is_service = operation.path.startswith(SERVICE_PATHS) or operation.label in SERVICE_CALLS
    return "service_key" if is_service else role_of(operation.path)


def caller_of(case):
    if case.operation.label in ENDS_OWN_SESSION:
        return sign_in(f"member-{next(people)}@fuzz.example", 1)
    if is_scim(case):
        return context["directory"]
    name = caller_name(case.operation)
    create = {"direct_key": direct_key, "service_key": service_key}.get(name)
    return create() if create else session_of(name)


IPV4_URL = re.compile(r"^(https?://)\d+\.\d+\.\d+\.\d+")


def without_addresses(value):
    """Replaces the IPv4 address of each URL in the value with 192.0.2.1, which belongs to no host. Host names stay, because none resolves in a run."""
    if isinstance(value, str):
        return IPV4_URL.sub(r"\g<1>192.0.2.1", value)
    if isinstance(value, list):
        return [without_addresses(item) for item in value]
    if isinstance(value, dict):
        return {key: without_addresses(item) for key, item in value.items()}
    return value


def name_own_company(fields):
    """Replaces about three in four generated company ids with that of the owner, because most calls for another company are rejected before
    the rest of the request is checked."""
    if isinstance(fields, dict) and str(fields.get("company_id", "")).isdigit() and int(fields["company_id"]) % 4:
        company = context["company"]
        # A whole number may be of a type that is written as `7.0`.
        fields["company_id"] = str(company) if isinstance(fields["company_id"], str) else int(company)


# The format of cursors in the OpenAPI documents.
CURSOR = re.compile("[A-Za-z0-9_-]{1,3000}")
cursors = {}


def use_returned_cursor(case, fields):
    """Replaces a generated cursor with the last `next_cursor` of the operation, or removes it."""
    if not isinstance(fields, dict) or not CURSOR.fullmatch(str(fields.get("cursor", ""))):
        return
    last_cursor = cursors.get(case.operation.label)
    if last_cursor is None:
        del fields["cursor"]
    else:
        fields["cursor"] = last_cursor


# These operations end the sessions of the user in the path. `before_call` replaces the id of the
# owner in these paths, because the owner's session must not end.
ENDS_SESSIONS = ("DELETE /api/v1/users/{id}/sessions", "DELETE /api/v1/users/{id}/sessions/{session_id}")
CALLER_PATHS = {"/api/v1/companies/{id}": "company", "/api/v1/users/{id}": "person"}


@schemathesis.hook
def before_call(hook_context, case, kwargs):
    case.body = without_addresses(case.body)
    use_returned_cursor(case, case.query)
    use_returned_cursor(case, case.body)
    if case.meta is None or case.meta.generation.mode.is_positive:
        name_own_company(case.query)
        name_own_company(case.body)
        if case.operation.label in ENDS_SESSIONS and str(case.path_parameters["id"]) == str(context["person"]):
            case.path_parameters["id"] = 2**31
        if case.operation.path in CALLER_PATHS and case.method in ("GET", "PUT", "PATCH"):
            case.path_parameters["id"] = context[CALLER_PATHS[case.operation.path]]
        use_own_sender(case)
        use_created_row(case)
        use_own_broadcast(case, session_of)
        use_own_apps(case, session_of)
    use_own_rows(case)
    record_request(case)
    case.headers["authorization"] = f"Bearer {caller_of(case)}"


@schemathesis.hook
def filter_failure(hook_context, failure, case, response):
    kind = type(failure).__name__
    if kind == "ServerError" and response.status_code == 503:
        # The company has no sender, or Turnstile does not respond in a run.
        return not any(code in response.text for code in ("newsletter_unavailable", "turnstile_unavailable"))
    if kind == "AcceptedNegativeData":
        # Schemathesis does not count the statuses 412, 413, 423 and 460 as rejections, but they are.
        return response.status_code < 400 and not is_valid(case)
    if kind != "RejectedPositiveData" or not is_excused(case, response):
        return True
    excused[case.operation.label] += 1
    return False


statuses = defaultdict(Counter)
excused = Counter()


@schemathesis.hook
def after_call(hook_context, case, response):
    statuses[case.operation.label][response.status_code] += 1
    if response.status_code == 200 and b'"next_cursor":"' in response.content:
        cursors[case.operation.label] = response.json()["next_cursor"]
    record_created(case, response)
    record_row(case, response)
    if response.status_code == 401 and not is_scim(case) and case.operation.definition.raw.get("security"):
        # A call has revoked the key or ended the session, so the next call uses a new one.
        context.pop(caller_name(case.operation), None)


@atexit.register
def report():
    """Prints the statuses. Many 429 (rate limit) or 401 (ended session) mean that the calls tested nothing."""
    total = sum(statuses.values(), Counter())
    rejected = sorted(label for label, counts in statuses.items() if min(counts) >= 400)
    print(f"Responses: {dict(sorted(total.items()))}")
    print(f"Rejections that the documents cannot express (excuses.py): {dict(excused)}")
    print(f"Operations without a status below 400: {', '.join(rejected) or 'none'}")
