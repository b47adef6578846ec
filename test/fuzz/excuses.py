"""
Rejections that are correct although the request matches the OpenAPI document, because the document cannot express their
condition. All other rejections are findings. If the request itself shows whether the condition applies, the rejection is
excused only then.
"""

import base64
import json
import re
import unicodedata
from urllib.parse import urlsplit

import catalogs
import scim
from schemathesis.core import NotSet

AUTHORIZE = "GET /api/v1/authorize"
LINK_REQUEST = "POST /api/v1/magic-link/request"
SEND = "POST /api/v1/send"
EMAILS = ("POST /api/v1/emails", "POST /api/v1/emails/batch")
PROVIDER = "PUT /api/v1/provider"
CLIENTS = tuple(f"{method} /api/v1/oauth-clients{path}" for method, path in (("POST", ""), ("PUT", "/{id}"), ("PATCH", "/{id}")))
EVENT_TYPES = ("POST /api/v1/event-types", "PATCH /api/v1/event-types/{event_type}")
LINK = tuple(f"{method} /api/v1/magic-link/verify" for method in ("GET", "POST"))

STORAGE = "/storage/v1"
PATCH_UPLOAD = f"PATCH {STORAGE}/upload/resumable/{{id}}"
POST_UPLOAD = f"POST {STORAGE}/upload/resumable/{{id}}"
OPEN_RESUMABLE = f"POST {STORAGE}/upload/resumable"
UPLOADS = (
    *(f"{method} {STORAGE}/object/{{bucket}}/{{path}}" for method in ("POST", "PUT")),
    *(f"POST {STORAGE}/upload/{path}" for path in ("{bucket}/{path}", "{id}/complete")),
    *(OPEN_RESUMABLE, PATCH_UPLOAD, POST_UPLOAD, f"PUT {STORAGE}/upload/{{id}}/{{part}}"),
)
ARCHIVE = "PUT /hosting/v1/apps/{app}/deployments/{id}/upload"
BLOB = "PUT /hosting/v1/apps/{app}/blobs/{sha256}"
RELOCATIONS = tuple(f"POST {STORAGE}/object/{operation}" for operation in ("copy", "move"))
PREFIXES = tuple(f"{method} {STORAGE}/object/prefix/{{bucket}}" for method in ("POST", "DELETE"))

# Error codes, the operations that return them, and what they depend on.
CODES = {
    "redirect_not_allowed": ((AUTHORIZE, LINK_REQUEST), "the company's allowlist"),
    "invalid_oauth_state": (("GET /api/v1/oauth/callback", "POST /api/v1/oauth/callback"), "a sign-in that this browser started"),
    "magic_link_invalid": (LINK, "a link that was sent and not used"),
    "sign_in_code_invalid": (LINK, "a code that was sent and not used"),
    "invitation_invalid": (("GET /api/v1/invitations/open",), "an open invitation"),
    "auth_code_invalid": (("POST /api/v1/oauth/session",), "a code that a sign-in returned and that is not used"),
    "magic_link_disabled": ((*LINK, LINK_REQUEST, AUTHORIZE), "sign-in methods that the company has disabled"),
    "provider_host_not_public": ((PROVIDER,), "the addresses of the host name"),
    "image_invalid": (("PUT /api/v1/branding/logo",), "the bytes of the image"),
    "webhook_test_failed": (("POST /api/v1/actions/rules/{id}/send-test",), "the response of a rule's target"),
    "platform_from_refused": ((PROVIDER,), "an address of the platform, which the settings contain"),
    "template_lane_mismatch": ((SEND, f"{SEND}/batch", *EMAILS), "the lane of a template"),
    "variable_url_not_allowed": ((SEND, f"{SEND}/batch", *EMAILS), "the hosts in the settings"),
    "recipient_suppressed": (("POST /api/v1/provider/test-send",), "the delivery state of the address"),
    "self_not_allowed": (("DELETE /api/v1/users/{id}", "PUT /api/v1/users/{id}"), "depends on the caller"),
    "unsupported_grant_type": (("POST /api/v1/token",), "is required in the query or in the body"),
    "event_type_in_use": (("DELETE /api/v1/event-types/{event_type}",), "the rules, templates and waiting messages of the type"),
    "event_unknown": (
        ("POST /api/v1/rules", "GET /api/v1/templates", "GET /api/v1/stats", "GET /api/v1/decisions"),
        "the events of the catalog",
    ),
    "nothing_to_send": (("POST /api/v1/api-keys",), "the event types of the company"),
    "unknown_event": (("POST /api/v1/events",), "the events of the key's service"),
    "resource_already_exists": ((*UPLOADS, *RELOCATIONS, "POST /storage/v1/object/prefix/{bucket}"), "the object at the path"),
    "precondition_failed": (UPLOADS, "the object at the path"),
    "checksum_mismatch": (UPLOADS, "the digest of the body"),
    "incomplete_body": ((*UPLOADS, ARCHIVE, BLOB), "the number of bytes received"),
    "blob_size_mismatch": ((BLOB,), "the size in the manifest"),
    "blob_hash_mismatch": ((BLOB,), "the SHA-256 of the body"),
    "artifact_missing": (("POST /hosting/v1/apps/{app}/deployments/{id}/finalize",), "the archive of the deployment"),
    "size_mismatch": ((PATCH_UPLOAD, POST_UPLOAD), "the size that was declared when the upload was created"),
    "payload_too_large": (UPLOADS, "the limits of the bucket and of the settings"),
    "company_quota_exceeded": (UPLOADS, "the quota of the company"),
    "user_quota_exceeded": (UPLOADS, "the quota of a user"),
    "invalid_mime_type": (UPLOADS, "the types that the bucket accepts"),
    "unsupported_media_type": ((POST_UPLOAD,), "a PATCH requires a different type from a DELETE"),
    "invalid_prefix": (PREFIXES, "a path that is empty once normalized is the top folder"),
    "invalid_destination": (PREFIXES, "the folder that is renamed"),
    "share_limit_required": (("POST /storage/v1/share/{bucket}/{path}",), "one of two fields is required"),
    **{
        code: (("POST /api/v1/templates/{id}/versions/{number}/publish",), "the content of the published version")
        for code in ("auth_link_missing", "auth_link_host_not_allowed", "auth_link_misplaced", "auth_literal_link")
    },
}


def sent_value(case, name):
    """Returns a field of the body, else of the query, else None."""
    for container in (case.body, case.query):
        if isinstance(container, dict) and container.get(name) is not None:
            return container[name]
    return None


def names_two_companies(case):
    query_company = (case.query or {}).get("company_id")
    if not isinstance(case.body, dict) or query_company is None:
        return False
    return str(case.body.get("company_id", query_company)) != str(query_company)


def names_a_company_and_all(case):
    query = case.query or {}
    return query.get("company_id") is not None and str(query.get("all")).lower() == "true"


def is_deep_page(case):
    page, size = (int(sent_value(case, name) or default) for name, default in (("page", 1), ("page_size", 100)))
    return page * size > 10_000


def texts_of(value, depth=1):
    """Returns every text in a value with its depth. An empty list or object counts as an empty text."""
    if isinstance(value, dict):
        inner = [text for key, item in value.items() for text in ((key, depth), *texts_of(item, depth + 1))]
    elif isinstance(value, list):
        inner = [text for item in value for text in texts_of(item, depth + 1)]
    else:
        inner = [(value if isinstance(value, str) else "", depth)]
    return inner or [("", depth)]


def has_invalid_metadata(case):
    return any("\0" in text or depth > 32 for text, depth in texts_of(sent_value(case, "data") or {}))


def size_of(value):
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))


# Size of all metadata that the run has sent. The service stores it, so it counts toward the limit of later requests.
sent_metadata = 0


def record_request(case):
    """Records the size of the metadata of each call."""
    global sent_metadata
    if isinstance(sent_value(case, "data"), dict):
        sent_metadata += size_of(sent_value(case, "data"))


def names_no_public_host(case):
    """Returns whether the URL has a local host name, or an address, which the run replaces with one for documentation."""
    host = (urlsplit(str(sent_value(case, "url"))).hostname or "").rstrip(".").lower()
    return bool(re.search(r"^(localhost|[0-9.]+)$|\.(localhost|local|internal|arpa)$", host))


def event_of(case):
    return catalogs.events().get(sent_value(case, "template_key"), {"variables": []})


def lacks_variable(case, field):
    token = field.split(".")[1]
    is_required = any(variable["token"] == token and variable["required"] for variable in event_of(case)["variables"])
    value = (sent_value(case, "variables") or {}).get(token)
    return is_required and (value is None or str(value).strip() == "" or token in ("company_name", "recipient_name", "inviter_name"))


def has_controls(case, field):
    value = (sent_value(case, "variables") or {}).get(field.split(".")[1])
    return any(ord(character) < 32 or 126 < ord(character) < 160 for character in str(value))


# Python types of a flag's value by its kind.
FLAG_KINDS = {"boolean": bool, "integer": int, "number": (int, float)}


def is_wrong_flag(case, field, code):
    """Returns whether the command's table rejects a flag: it is unknown, missing, of another type or out of range."""
    name, command = field.removeprefix("flags."), case.path_parameters["command"]
    flag = catalogs.flags(command).get(name)
    value = (sent_value(case, "flags") or {}).get(name)
    if flag is None:
        return code == "invalid"
    if value is None:
        # issue_service_key creates a client or sets its callback, and these require different flags.
        return code == "required" and (flag.get("required", False) or command == "issue_service_key")
    kind = flag["kind"]
    if kind in FLAG_KINDS:
        has_type = isinstance(value, FLAG_KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
        is_whole = kind != "integer" or isinstance(value, float) and value.is_integer()
        is_in_range = has_type and flag.get("min", value) <= value <= flag.get("max", value)
        return code == ("out_of_range" if has_type and not is_in_range else "invalid") and not (has_type and is_whole and is_in_range)
    # The command may reject a text by rules that are not in the table.
    return isinstance(value, str) or code == "invalid"


def has_wrong_rows(case):
    """Returns whether a command that processes rows got none, or too many."""
    most = catalogs.max_rows(case.path_parameters["command"])
    return most > 0 and not 0 < len(sent_value(case, "rows") or []) <= most


def is_staff_lane(case):
    return "auth" in (sent_value(case, "lanes") or [])


def always(_case):
    return True


def is_path(text, may_be_top=False):
    """Returns whether a text is a valid object path."""
    text = unicodedata.normalize("NFC", str(text)).replace("\\", "/")
    segments = [segment for segment in text.split("/") if segment not in ("", ".")]
    path = "/".join(segments)
    return (
        (may_be_top or path != "")
        and not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in path)
        and len(path.encode("utf-8", "surrogatepass")) <= 1024
        and all(segment != ".." and len(segment.encode("utf-8", "surrogatepass")) <= 255 for segment in segments)
    )


def has_invalid_path(case):
    return not is_path(case.path_parameters.get("path", ""))


def is_invalid_path_field(*names, is_list=False):
    """Returns a function that returns whether a field of the call, under one of its names, is not a valid path."""

    def check(case):
        for name in names:
            value = sent_value(case, name)
            for text in value if is_list and isinstance(value, list) else [value]:
                if isinstance(text, str) and not is_path(text, name in ("prefix", "search")):
                    return True
        return isinstance(case.body, list) and any(not is_path(text) for text in case.body)

    return check


def is_invalid_key(name):
    """
    Returns a function that returns whether a key of a copy or move is invalid. A valid key is a path, or `bucket/path` in a
    request without `bucketId`.
    """

    def check(case):
        text = str(sent_value(case, name))
        return not is_path(text if sent_value(case, "bucketId") is not None else text.removeprefix("/").partition("/")[2])

    return check


def is_invalid_item(case, field, _code):
    path = sent_value(case, "items")[int(field.split(".")[1])].get("path", "")
    return not is_path(path) or not is_path(f"{sent_value(case, 'prefix') or ''}/{path}")


def header(case, name):
    return next((value for key, value in (case.headers or {}).items() if key.lower() == name), None)


def text_of(case, name):
    """Returns the form field with that name, or the header with that name if the form has no such field."""
    return sent_value(case, name) or header(case, name)


def is_not_an_object(text):
    """Returns whether a text is neither a JSON object nor the base64 of one."""
    for spelling in (lambda: text, lambda: base64.b64decode(text + "==")):
        try:
            if isinstance(json.loads(spelling()), dict) and len(text) < 8000:
                return False
        except (TypeError, ValueError):
            continue
    return True


def lists(name):
    """Returns a function that returns whether a field of the call is a list with items."""
    return lambda case: bool(sent_value(case, name))


def email_of(case, field):
    """Returns the email that a field belongs to, and the rest of the field: `emails.1.to.0` is `to.0` of the second email."""
    body = case.body
    parts = field.split(".")
    if parts[0] == "emails" and len(parts) > 2:
        emails = body["emails"] if isinstance(body, dict) else body
        return emails[int(parts[1])], ".".join(parts[2:])
    return body, field


def is_blank(value):
    return value is None or str(value).strip() == ""


def repeats_header(email):
    names = [name.lower() for name in email.get("headers") or {}]
    return len(set(names)) < len(names)


def controls_relay(email):
    vendors = ("ses", "pm", "mailgun", "mj", "msys", "smtpapi", "sg", "mc", "mandrill", "sparkpost")
    return any(name.lower().startswith(tuple(f"x-{vendor}" for vendor in vendors)) for name in email.get("headers") or {})


# Field errors of an email by field and code: what they depend on, and whether that applies to the email.
EMAIL_FIELDS = {
    ("subject", "required"): ("required without a template", lambda email: is_blank(email.get("subject"))),
    ("html", "required"): ("one of two is required", lambda email: is_blank(email.get("html")) and is_blank(email.get("text"))),
    ("html", "too_large"): ("the size of HTML and text together", lambda email: size_of([email.get("html"), email.get("text")]) > 262_144),
    ("variables", "not_allowed"): ("only with a template", lambda email: email.get("template_key") is None),
    **{
        (field, "not_allowed"): ("not with a template", lambda email: email.get("template_key") is not None)
        for field in ("subject", "html", "text")
    },
    ("template_key", "not_allowed"): ("one template in a batch", lambda email: email.get("template_key") is not None),
    ("time_zone", "invalid"): ("the time zones that the runtime knows", lambda _email: True),
    ("scheduled_at", "out_of_range"): ("at most 30 days ahead", lambda _email: True),
    ("tags", "too_long"): ("at most 1,024 bytes together", lambda email: size_of(email.get("tags")) > 1024),
    ("headers", "invalid"): ("each name once, in any case", repeats_header),
    ("headers", "not_allowed"): ("headers that control the relay of a vendor", controls_relay),
    ("attachments", "too_large"): ("the size of all attachments", lambda _email: True),
}
# The last part of a field error of an attachment, and its code.
ATTACHMENT_FIELDS = {
    ("filename", "not_allowed"): "files that mail providers refuse",
    ("content_type", "not_allowed"): "files that mail providers refuse",
    ("bucket", "unknown"): "the buckets in storage",
    ("path", "unknown"): "the objects in storage",
    ("content_id", "duplicate"): "each id once",
}


def is_excused_email_field(case, field, code):
    """Returns whether the error in an email of `/api/v1/emails` depends on a condition that applies."""
    email, rest = email_of(case, field)
    if (rest, code) in EMAIL_FIELDS:
        return EMAIL_FIELDS[rest, code][1](email)
    return rest.startswith("attachments.") and (rest.split(".")[-1], code) in ATTACHMENT_FIELDS


# The settings of a run allow files of 95 MB.
MAX_FILE_BYTES = 95_000_000
DEPLOYMENTS = ("POST /hosting/v1/apps/{app}/deployments", "POST /hosting/v1/preview")


def manifest_of(case):
    """Returns the files of a manifest by path."""
    manifest = sent_value(case, "manifest")
    return manifest if isinstance(manifest, dict) else {}


def has_large_files(case):
    return sum(file["size"] for file in manifest_of(case).values()) > MAX_FILE_BYTES


def repeats_a_hash(case):
    hashes = [file["sha256"] for file in manifest_of(case).values()]
    return len(set(hashes)) < len(hashes)


def repeats_a_path(case):
    paths = {unicodedata.normalize("NFC", path).lower() for path in manifest_of(case)}
    return len(paths) < len(manifest_of(case))


def has_no_bytes(case):
    """Returns whether the body, or the file of a form, is empty."""
    body = case.body.get("file") if isinstance(case.body, dict) else case.body
    return isinstance(body, NotSet) or not body


IMPORT = "POST /api/v1/newsletters/{id}/subscribers/import"
GROUP_CHANGES = ("POST /api/v1/groups", "PUT /api/v1/groups/{id}", "PATCH /api/v1/groups/{id}")
GROUP_LISTS = ("POST /api/v1/invitations", "PUT /api/v1/users/{id}", "GET /api/v1/users/audience")

# Field errors by operation ("*" for all), field and code: what they depend on, and whether that applies to the call.
FIELDS = {
    ("GET /api/v1/overview", "company_id", "mismatch"): ("a company and all companies exclude each other", names_a_company_and_all),
    ("*", "company_id", "mismatch"): ("query and body must contain the same company", names_two_companies),
    ("*", "company_id", "required"): (
        "is required in the query or in the body",
        lambda case: sent_value(case, "company_id") is None,
    ),
    ("*", "page", "use_cursor"): ("the product of page and page_size is at most 10,000", is_deep_page),
    **{
        (operation, name, "invalid"): ("the users and groups of the company", lists(name))
        for operations, names in ((GROUP_CHANGES, ("user_ids", "member_group_ids")), (GROUP_LISTS, ("group_ids",)))
        for operation in operations
        for name in names
    },
    **{
        (f"POST /api/v1/invitations{path}", "app_url", "invalid"): ("the company's allowlist", lists("app_url"))
        for path in ("", "/batch")
    },
    **{
        ("POST /api/v1/management/{command}", "rows", code): ("the rows of the command", has_wrong_rows)
        for code in ("required", "too_many")
    },
    (IMPORT, "csv", "email_column_missing"): (
        "a first row without an @ is a header, which must name the column",
        lambda case: "@" not in str(sent_value(case, "csv")).strip().split("\n")[0],
    ),
    (IMPORT, "csv", "invalid"): ("quotes in pairs", lambda case: '"' in str(sent_value(case, "csv"))),
    ("*", "action_rule_id", "mismatch"): ("must be the rule of the event", always),
    ("PUT /api/v1/user", "data", "invalid"): ("contains no NUL and at most 32 levels", has_invalid_metadata),
    ("PUT /api/v1/users/{id}", "data", "invalid"): ("contains no NUL and at most 32 levels", has_invalid_metadata),
    ("PUT /api/v1/user", "data", "too_long"): ("at most 8 KiB together with the stored metadata", lambda _case: sent_metadata > 8192),
    ("PUT /api/v1/users/{id}", "data", "too_long"): (
        "at most 8 KiB together with the stored metadata",
        lambda _case: sent_metadata > 8192,
    ),
    (AUTHORIZE, "code_challenge", "required"): (
        "required with a code_challenge_method",
        lambda case: sent_value(case, "code_challenge_method") is not None,
    ),
    **{
        (operation, "token_delivery", "not_allowed"): (
            "fragment must not be sent with a code_challenge, and a setting must allow it",
            lambda case: sent_value(case, "token_delivery") == "fragment",
        )
        for operation in (AUTHORIZE, LINK_REQUEST)
    },
    ("*", "url", "not_public"): ("the addresses of the host name", names_no_public_host),
    ("PUT /api/v1/users/{id}", "access", "invalid"): (
        "denied must not be sent with is_active: true",
        lambda case: sent_value(case, "access") == "denied" and sent_value(case, "is_active") is True,
    ),
    ("*", "owner_ids", "invalid"): (
        "the members of the company",
        lambda case: set(sent_value(case, "owner_ids") or [None]) != {catalogs.person()},
    ),
    ("PUT /api/v1/users/{id}", "group_ids", "invalid"): ("the existing groups", always),
    **{
        (operation, "expires_in", "out_of_range"): ("a setting of the deployment", always)
        for operation in ("POST /api/v1/personal-access-tokens", "POST /api/v1/personal-access-tokens/{id}/reissue")
    },
    **{
        (f"GET /api/v1/{list}", "from", "out_of_range"): ("is before `to`", lambda case: sent_value(case, "to") is not None)
        for list in ("messages", "decisions")
    },
    ("*", "path", "invalid"): ("bytes, segments, dots and Unicode form of a path", has_invalid_path),
    **{
        ("*", field, "invalid"): ("bytes, segments, dots and Unicode form of a path", is_invalid_path_field(field, other, is_list=True))
        for field, other in (
            *(("prefixes", "paths"), ("prefix", "prefix"), ("from", "from"), ("to", "to"), ("search", "search")),
            *(("after", "after"), ("sourceKey", "from"), ("destinationKey", "to")),
        )
    },
    **{
        (operation, field, "invalid"): ("without bucketId, the bucket, a slash and a path", is_invalid_key(field))
        for operation in RELOCATIONS
        for field in ("sourceKey", "from", "destinationKey", "to")
    },
    ("POST /storage/v1/bucket", "name", "required"): ("required without id", lambda case: sent_value(case, "name") is None),
    ("POST /storage/v1/bucket", "id", "mismatch"): ("must equal the name", lambda case: sent_value(case, "name") != sent_value(case, "id")),
    **{
        ("POST /storage/v1/bucket", field, "reserved"): ("a reserved path segment", always) for field in ("name", "id")
    },
    **{
        ("PUT /storage/v1/bucket/{name}", field, "immutable"): (
            "must equal the name in the path",
            lambda case, field=field: sent_value(case, field) != case.path_parameters["name"],
        )
        for field in ("name", "id")
    },
    ("POST /storage/v1/object/list-v2/{bucket}", "sortBy.column", "not_supported"): (
        "requires a delimiter",
        lambda case: sent_value(case, "with_delimiter") is not True,
    ),
    **{
        ("*", field, "invalid"): ("a JSON object as text, at most 8 KB", lambda case, name=field: is_not_an_object(text_of(case, name)))
        for field in ("x-metadata", "metadata")
    },
    ("POST /storage/v1/share/{bucket}/{path}", "expires_at", "out_of_range"): ("is in the future", always),
    **{
        (f"POST {STORAGE}/sync/{{bucket}}", "items", code): ("the byte order of stored paths", always)
        for code in ("unsorted", "duplicate")
    },
    **{
        (operation, "body", "invalid"): (
            "the file of a form is its last part",
            lambda case: case.media_type == "multipart/form-data",
        )
        for operation in (*UPLOADS[:2], ARCHIVE)
    },
    (ARCHIVE, "body", "blank"): ("an archive has bytes", has_no_bytes),
    **{
        ("POST /hosting/v1/apps/{app}/domains", "hostname", code): ("a host name outside the platform", always)
        for code in ("blank", "invalid", "too_long", "reserved")
    },
    (POST_UPLOAD, "upload-offset", "required"): (
        "required when the request overrides PATCH",
        lambda case: header(case, "x-http-method-override") == "PATCH",
    ),
    **{
        (operation, "upload-checksum", "invalid"): ("a digest of its algorithm", always)
        for operation in (OPEN_RESUMABLE, PATCH_UPLOAD, POST_UPLOAD)
    },
    (OPEN_RESUMABLE, "upload-metadata", "invalid"): ("base64 of UTF-8, without a repeated key", always),
    (OPEN_RESUMABLE, "bucketName", "required"): ("is in Upload-Metadata", always),
    (OPEN_RESUMABLE, "objectName", "required"): ("is in Upload-Metadata", always),
    (OPEN_RESUMABLE, "objectName", "invalid"): ("is in Upload-Metadata", always),
    (OPEN_RESUMABLE, "upload-length", "required"): (
        "required without Upload-Defer-Length",
        lambda case: header(case, "upload-length") is None and header(case, "upload-defer-length") is None,
    ),
    (OPEN_RESUMABLE, "upload-defer-length", "invalid"): (
        "must not be sent with Upload-Length",
        lambda case: header(case, "upload-length") is not None,
    ),
    ("PATCH /api/v1/emails/{id}", "scheduled_at", "out_of_range"): ("at most 30 days ahead", always),
    ("POST /api/v1/events", "recipients", "too_many"): ("a repeated address counts once", always),
    **{
        ("POST /api/v1/templates/{id}/send-test", "version", code): ("the stored versions, or a document in the body", always)
        for code in ("unknown", "not_published", "not_allowed")
    },
    **{
        ("POST /api/v1/api-keys", "allowed_template_prefixes", code): ("prefixes of one service that the platform does not use", always)
        for code in ("reserved", "several_services")
    },
    ("POST /api/v1/suppressions", "lanes", "invalid"): ("auth is allowed only for an address that does not exist", is_staff_lane),
    (PROVIDER, "provider", "required"): ("unless one is stored", lambda case: sent_value(case, "provider") is None),
    (PROVIDER, "credentials", "required"): (
        "unless credentials of the same provider are stored",
        lambda case: sent_value(case, "credentials") is None,
    ),
    (PROVIDER, "credentials.api_key", "required"): ("depends on the provider", always),
    (PROVIDER, "credentials.username", "required"): ("required with a password", always),
    (PROVIDER, "credentials.password", "required"): ("required with a user name", always),
    **{
        (operation, field, code): ("depends on the provider, see oauth-provider-catalog", always)
        for operation in CLIENTS
        for field in ("provider", "tenant", "team_id", "key_id", "scopes", "issuer", "client_secret", "private_key")
        for code in ("required", "blank", "not_allowed")
    },
    **{
        (operation, "slug", "not_allowed"): (
            "requires oidc, and is immutable",
            lambda case: case.operation.label != CLIENTS[0] or sent_value(case, "provider") != "oidc",
        )
        for operation in CLIENTS
    },
    **{(operation, "issuer", "invalid"): ("the response of the issuer", always) for operation in CLIENTS},
    **{(operation, "private_key", "invalid"): ("a key that can sign", always) for operation in CLIENTS},
    (SEND, "use_platform_sender", "not_allowed"): (
        "depends on the template",
        lambda case: sent_value(case, "use_platform_sender") is True,
    ),
    (f"{SEND}/batch", "use_platform_sender", "not_allowed"): (
        "depends on the template",
        lambda case: sent_value(case, "use_platform_sender") is True,
    ),
    (SEND, "variables", "too_large"): ("at most 8 KiB", lambda case: size_of(sent_value(case, "variables")) > 8192),
    ("POST /api/v1/events", "payload", "too_large"): ("at most 8 KiB", lambda case: size_of(sent_value(case, "payload")) > 8192),
    **{
        ("*", "document", code): ("the rules for documents, see email-content", always)
        for code in (
            *("invalid", "too_large", "template_tags_forbidden", "node_not_allowed", "mark_not_allowed"),
            *("unsafe_attribute", "unsafe_link", "unsafe_image", "list_nested", "list_token_misplaced", "render_failed"),
        )
    },
    ("POST /api/v1/library", "name", "required"): ("required without a source_id", always),
    ("POST /api/v1/templates/{id}/versions", "document", "required"): ("required without a library_id", always),
    ("POST /api/v1/templates/{id}/versions", "subject", "required"): ("required unless a version has one", always),
    ("POST /api/v1/templates/{id}/send-test", "subject", "required"): ("required with a document", always),
    ("POST /api/v1/templates/{id}/send-test", "version", "draft_required"): ("the existing versions", always),
    ("GET /api/v1/stats", "from", "out_of_range"): ("is before `to`", always),
    ("POST /api/v1/broadcasts/{id}/send", "send_at", "out_of_range"): ("in the next 90 days", always),
    **{
        ("POST /api/v1/broadcasts/{id}/send-test", field, "unknown"): ("the members of the company", always)
        for field in ("user_ids", "emails")
    },
    **{
        (operation, "audience.list_id", code): ("the newsletters of the company; required in the mode `newsletter`", always)
        for operation in ("POST /api/v1/broadcasts", "PATCH /api/v1/broadcasts/{id}", "POST /api/v1/broadcasts/{id}/preview")
        for code in ("invalid", "required")
    },
    ("POST /api/v1/broadcasts", "source_key", "invalid"): ("the library of the company", always),
    **{
        (operation, field, "invalid"): (rule, always)
        for operation in ("POST /api/v1/newsletters", "PATCH /api/v1/newsletters/{id}")
        for field, rule in (("confirmed_redirect_url", "an https URL"), ("allowed_origins", "valid hosts and ports"))
    },
    **{(operation, "default_template", "invalid"): ("the library of the company", always) for operation in EVENT_TYPES},
    **{(operation, "variables", "too_large"): ("at most 64 KiB", always) for operation in EVENT_TYPES},
    (EVENT_TYPES[0], "event_type", "reserved"): ("the prefixes of the platform", always),
    ("GET /api/v1/stats", "to", "out_of_range"): ("at most 400 days after `from`", always),
}
# Field errors of nested fields, whose names no list can contain.
GROUPS = {
    (SEND, "variables", "required"): ("the variables of a template, see the catalog", lambda case, field, _: lacks_variable(case, field)),
    **{
        (operation, name, "invalid"): ("the time zones that the runtime knows", lambda case, field, _: field.endswith(".time_zone"))
        for operation, name in ((SEND, "to"), ("POST /api/v1/events", "recipients"))
    },
    (SEND, "variables", "invalid"): ("a subject is one line", lambda case, field, _: has_controls(case, field)),
    (f"POST {STORAGE}/sync/{{bucket}}", "items", "invalid"): ("bytes, segments, dots and Unicode form of a path", is_invalid_item),
    **{
        (operation, "variables", code): ("the type of a variable, and unique names that are not reserved", lambda _case, field, _: True)
        for operation in EVENT_TYPES
        for code in ("invalid", "duplicate", "reserved", "required", "not_allowed")
    },
    **{
        (operation, "texts", code): ("the tokens of the variables, and no tags", lambda _case, field, _: True)
        for operation in EVENT_TYPES
        for code in ("unknown_token", "template_tags_forbidden")
    },
    ("POST /api/v1/management/{command}", "flags", None): ("the flags of the command", is_wrong_flag),
    **{
        (operation, "manifest", code): (reason, lambda case, _field, _code, applies=applies: applies(case))
        for operation in DEPLOYMENTS
        for code, reason, applies in (
            ("too_large", "the limits of the settings", has_large_files),
            ("mismatch", "a hash has one size", repeats_a_hash),
            ("path_case_conflict", "paths differ in more than their case", repeats_a_path),
        )
    },
}
# The sum of the sizes of a manifest has no field of its own.
for operation in DEPLOYMENTS:
    FIELDS[operation, "manifest", "too_large"] = ("the limits of the settings", has_large_files)


# Rejections of the SCIM document by the start of their detail: what they depend on, and whether that applies to the call.
SCIM = {
    "members contains": ("the users and groups of the company", lambda case: "members" in json.dumps(case.body)),
    "emails must contain an address": ("userName must be an address without emails", lambda case: "emails" in json.dumps(case.body)),
}


def is_excused(case, response):
    """Returns whether every error in a response is excused. HTML pages contain no code, so only company_id can excuse them."""
    try:
        body = response.json()
    except ValueError:
        return names_two_companies(case) or sent_value(case, "company_id") is None
    code = body.get("error_code")
    for start, (_reason, applies) in SCIM.items():
        if body.get("scimType") == "invalidValue" and body["detail"].startswith(start):
            return applies(case)
    if code != "validation_failed":
        return code in CODES and case.operation.label in CODES[code][0]
    fields = [(field, code) for field, codes in (body.get("field_errors") or {}).items() for code in codes]
    return bool(fields) and all(is_excused_field(case, field, code) for field, code in fields)


def is_excused_field(case, field, code):
    if case.operation.label in EMAILS and is_excused_email_field(case, field, code):
        return True
    for operation in (case.operation.label, "*"):
        if (operation, field, code) in FIELDS:
            return FIELDS[operation, field, code][1](case)
        for key in ((operation, field.split(".")[0], code), (operation, field.split(".")[0], None)):
            if "." in field and key in GROUPS:
                return GROUPS[key][1](case, field, code)
    return False


def has_wider_name(case):
    """Returns whether a name has characters that its pattern, which knows no Unicode properties, lacks (schemas/text/name.ts)."""
    name = sent_value(case, "display_name")
    return isinstance(name, str) and name.isprintable() and re.fullmatch(r"[^\W_](?:[^\W_]|[ '’&(),-]|\. )*\.?", name) is None


def is_valid(case):
    """
    Returns whether a request that schemathesis generated as invalid is valid: an empty body of an operation with an optional
    body, a deviation from SCIM that the service reads (scim.py), a name beyond its pattern, or a webhook URL of 2,048 characters.
    The document allows one character less, because the service adds a slash to a URL without a path.
    """
    if has_wider_name(case):
        return True
    if scim.is_scim(case) and scim.deviates(case):
        return True
    if "/actions/rules" in case.operation.label and len(str(sent_value(case, "url") or "")) == 2048:
        return True
    is_empty = isinstance(case.body, NotSet) or case.body in ("", b"", None)
    body = case.operation.definition.raw.get("requestBody")
    return is_empty and body is not None and not body.get("required", False)
