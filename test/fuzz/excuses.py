"""Refusals of a valid form that are right, since no document can say what decides over them. Nothing else is left out."""

from schemathesis.core import NotSet

# Codes, and what decides over them.
CODES = {
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
    "self_not_allowed": "who calls",
    "event_unknown": "the events of the catalog",
    **{
        code: "what the published version holds"
        for code in ("auth_link_missing", "auth_link_host_not_allowed", "auth_link_misplaced", "auth_literal_link")
    },
    "unsupported_grant_type": "stands in the query or in the body, and has to be in one of them",
}
# Faults of a field, by operation ("*": all), field and code.
FIELDS = {
    ("*", "company_id", "mismatch"): "query and body name the company, and have to agree",
    ("*", "company_id", "required"): "stands in the query or in the body, and has to be in one of them",
    ("*", "page", "use_cursor"): "the product of page and page_size ends at 10,000",
    ("*", "cursor", "invalid"): "an answer's next_cursor: which texts are one, only the service can read",
    ("*", "issuer", "invalid"): "what answers there",
    ("*", "action_rule_id", "mismatch"): "the rule of this event",
    ("*", "data", "invalid"): "no NUL at any depth, and no more than 32 levels",
    ("*", "data", "too_long"): "8 KiB together with what is stored",
    ("GET /api/v1/authorize", "code_challenge", "required"): "goes with a code_challenge_method",
    ("GET /api/v1/authorize", "token_delivery", "not_allowed"): "fragment goes without a code_challenge",
    ("POST /api/v1/magic-link/request", "token_delivery", "not_allowed"): "fragment goes without a code_challenge",
    ("*", "url", "not_public"): "what the name resolves to",
    ("PUT /api/v1/users/{id}", "access", "invalid"): "denied goes without is_active: true",
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
    **{
        ("*", "document", code): "the checks of a document, see email-content"
        for code in (
            *("invalid", "too_large", "template_tags_forbidden", "node_not_allowed", "mark_not_allowed"),
            *("unsafe_attribute", "unsafe_link", "unsafe_image", "render_failed"),
        )
    },
    ("POST /api/v1/library", "name", "required"): "goes without a source_id",
    ("POST /api/v1/templates/{id}/versions", "document", "required"): "goes without a library_id",
    ("POST /api/v1/templates/{id}/versions", "subject", "required"): "unless a version has one",
    ("POST /api/v1/templates/{id}/send-test", "subject", "required"): "goes with a document",
    ("POST /api/v1/templates/{id}/send-test", "version", "draft_required"): "which versions there are",
    ("*", "flags.*", "*"): "which flags there are follows from the command in the path",
}


def is_excused(case, response):
    """Whether every fault that a refusal names is one of these. A page names none: there it is the company alone."""
    try:
        body = response.json()
    except ValueError:
        return names_two_companies(case)
    if body.get("error_code") != "validation_failed":
        return body.get("error_code") in CODES
    fields = [(field, code) for field, codes in (body.get("field_errors") or {}).items() for code in codes]
    return bool(fields) and all(is_excused_field(case.operation.label, field, code) for field, code in fields)


def is_right(case):
    """Whether a call that was meant to be wrong is none: an empty body, where a call may come without one."""
    is_empty = isinstance(case.body, NotSet) or case.body in ("", b"", None)
    body = case.operation.definition.raw.get("requestBody")
    return is_empty and body is not None and not body.get("required", False)


def names_two_companies(case):
    named = (case.query or {}).get("company_id")
    return isinstance(case.body, dict) and named is not None and str(case.body.get("company_id", named)) != str(named)


def is_excused_field(operation, field, code):
    group = f"{field.split('.')[0]}.*"
    return any(
        key in FIELDS
        for place in (operation, "*")
        for key in ((place, field, code), (place, group, "*") if "." in field else None)
        if key is not None
    )
