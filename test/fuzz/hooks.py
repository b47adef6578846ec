"""What schemathesis has to know of the platform: who calls, and which refusals of a valid form are right."""

import itertools
import json
import os
import re
from collections import Counter, defaultdict

import requests
import schemathesis

with open(os.environ["FUZZ_CONTEXT"], encoding="utf-8") as file:
    context = json.load(file)

# Calls that end the session or the account that makes them: each has one of its own.
ENDS_ITSELF = {"POST /api/v1/logout", "DELETE /api/v1/user", "DELETE /api/v1/sessions/{id}"}
people = itertools.count()


def throwaway():
    """An access token of a new member of company 1, which the fuzzed calls cannot change."""
    email = f"gone-{next(people)}@fuzz.example"
    answer = requests.post(
        f"{context['base']}/identity/api/v1/management/create_sign_in_link",
        headers={"authorization": f"Bearer {context['operator']}"},
        json={"flags": {"email": email, "company": 1}},
        timeout=30,
    ).text
    token = answer.split("verify?token=")[1].split("&")[0]
    answer = requests.post(
        f"{context['base']}/identity/api/v1/magic-link/verify", json={"token": token, "company_id": 1}, timeout=30
    )
    return answer.json()["access_token"]


STAFF_PATHS = (
    "/api/v1/management/",
    "/api/v1/scheduled-jobs",
    "/api/v1/lanes",
    "/api/v1/service-clients",
    "/api/v1/metrics/all",
    "/hosting/v1/metrics/all",
)


# Sending is for services; what runs and configures the platform is for staff; all else is an owner's.
SERVICE_PATHS = ("/api/v1/send",)


def service_key():
    """A key for sending, another one when calls have revoked it."""
    if "service_key" not in context:
        answer = requests.post(
            f"{context['base']}/email/api/v1/management/create_service_key",
            headers={"authorization": f"Bearer {context['staff']}"},
            json={"flags": {"service": "identity", "lanes": "auth,transactional,bulk"}},
            timeout=30,
        ).text
        found = re.search("esk_[A-Za-z0-9_-]{43}", answer)
        if found is None:
            raise RuntimeError(f"no service key was made: {answer}")
        context["service_key"] = found[0]
    return context["service_key"]


def caller_of(case):
    path = case.operation.path
    if case.operation.label in ENDS_ITSELF:
        return throwaway()
    if path.startswith(SERVICE_PATHS):
        return service_key()
    return context["staff" if path.startswith(STAFF_PATHS) else "owner"]


IPV4_URL = re.compile(r"^(https?://)\d+\.\d+\.\d+\.\d+")


def without_addresses(value):
    """The value with addresses that mean nobody in its URLs: names do not resolve, and a run calls no stranger."""
    if isinstance(value, str):
        return IPV4_URL.sub(r"\g<1>192.0.2.1", value)
    if isinstance(value, list):
        return [without_addresses(item) for item in value]
    if isinstance(value, dict):
        return {key: without_addresses(item) for key, item in value.items()}
    return value


@schemathesis.hook
def before_call(hook_context, case, kwargs):
    case.body = without_addresses(case.body)
    case.headers["authorization"] = f"Bearer {caller_of(case)}"


# A refusal of a valid form is a finding, but for what no document can say. Codes of what stands in the database:
STATE_CODES = {
    "redirect_not_allowed": "the company's allowlist",
    "invalid_oauth_state": "a sign-in that this browser began",
    "magic_link_invalid": "a link that was sent and not used",
    "sign_in_code_invalid": "a code that was sent and not used",
    "auth_code_invalid": "a code that was given at a sign-in and not used",
    "magic_link_disabled": "ways to sign in that the company has switched off",
    "provider_host_not_public": "what the name resolves to",
    "webhook_test_failed": "what the target of a rule answers",
    "platform_from_refused": "an address of the platform itself, which settings name",
    "template_lane_mismatch": "the lane of a template",
    "variable_url_not_allowed": "hosts that settings name",
    "recipient_suppressed": "what became of mails to the address",
    "unsupported_grant_type": "stands in the query or in the body, and has to be in one of them",
}
# Fields by operation ("*": all), field and code.
STATE_FIELDS = {
    ("*", "company_id", "mismatch"): "query and body name the company, and have to agree",
    ("*", "company_id", "required"): "stands in the query or in the body, and has to be in one of them",
    ("*", "page", "use_cursor"): "the product of page and page_size ends at 10,000",
    ("*", "cursor", "invalid"): "an answer's next_cursor: which texts are one, only the service can read",
    ("*", "issuer", "invalid"): "what answers there",
    ("*", "action_rule_id", "mismatch"): "the rule of this event",
    ("*", "data", "invalid"): "no NUL at any depth, and no more than 32 levels",
    ("*", "data", "too_long"): "8 KiB together with what is stored",
    ("GET /api/v1/authorize", "token_delivery", "not_allowed"): "fragment goes without a code_challenge",
    ("POST /api/v1/magic-link/request", "token_delivery", "not_allowed"): "fragment goes without a code_challenge",
    ("*", "url", "not_public"): "what the name resolves to",
    ("*", "owner_ids", "invalid"): "who is a member",
    ("*", "group_ids", "invalid"): "which groups there are",
    ("*", "expires_in", "out_of_range"): "a setting of the deployment",
    ("GET /api/v1/messages", "from", "out_of_range"): "stands before `to`",
    ("POST /api/v1/suppressions", "lanes", "invalid"): "auth only of an address that does not exist",
    ("PUT /api/v1/provider", "provider", "required"): "unless one is stored",
    ("PUT /api/v1/provider", "credentials", "required"): "unless some of the same provider are stored",
    ("PUT /api/v1/provider", "credentials.api_key", "required"): "follows from the provider",
    ("PUT /api/v1/provider", "credentials.username", "required"): "with a password",
    ("PUT /api/v1/provider", "credentials.password", "required"): "with a user name",
    **{
        (f"{method} /api/v1/oauth-clients{path}", field, code): "follows from the provider, see oauth-provider-catalog"
        for method, path in (("POST", ""), ("PUT", "/{id}"), ("PATCH", "/{id}"))
        for field in ("provider", "slug", "tenant", "team_id", "key_id", "scopes", "issuer", "client_secret", "private_key")
        for code in ("required", "blank", "not_allowed")
    },
    ("*", "private_key", "invalid"): "a key that can sign",
    ("*", "use_platform_sender", "not_allowed"): "the lane of the template",
    ("*", "variables", "too_large"): "8 KiB",
    ("*", "variables.*", "*"): "the variables of a template, see the catalog",
    ("*", "flags.*", "*"): "which flags there are follows from the command in the path",
}

statuses = defaultdict(Counter)


def is_excused(label, response):
    try:
        body = response.json()
    except ValueError:
        return False
    if body.get("error_code") != "validation_failed":
        return body.get("error_code") in STATE_CODES
    fields = [(field, code) for field, codes in (body.get("field_errors") or {}).items() for code in codes]
    return bool(fields) and all(is_excused_field(label, *field) for field in fields)


def is_excused_field(label, field, code):
    group, _, name = field.partition(".")
    if name and (label, f"{group}.*", "*") in STATE_FIELDS or ("*", f"{group}.*", "*") in STATE_FIELDS:
        return True
    return (label, field, code) in STATE_FIELDS or ("*", field, code) in STATE_FIELDS


@schemathesis.hook
def filter_failure(hook_context, failure, case, response):
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    return not is_excused(case.operation.label, response)


@schemathesis.hook
def after_call(hook_context, case, response):
    if response.status_code == 401 and case.operation.path.startswith(SERVICE_PATHS):
        context.pop("service_key", None)
    statuses[case.operation.label][response.status_code] += 1
    if os.environ.get("FUZZ_LOG"):
        meta = case.meta
        with open(os.environ["FUZZ_LOG"], "a", encoding="utf-8") as log:
            print(
                json.dumps([case.operation.label, meta and meta.generation.mode.value, meta and meta.phase.name.value, response.status_code, str(response.request.url), repr(response.request.body)[:400], response.text[:400]]),
                file=log,
            )
