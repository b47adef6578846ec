"""Requests of the SCIM document: the token, the rows of the caller's company, and filters (format `scim-user-filter` and others)."""

import random
import re
from urllib.parse import unquote

import schemathesis
from catalogs import context
from hypothesis import strategies as st

BASE = "/api/v1/companies/{company}/scim/v2"

text = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters='"\\'), max_size=12)
quoted = text.map(lambda value: f'"{value}"')
time = st.datetimes().map(lambda value: f'"{value.year:04}{value.isoformat()[4:19]}Z"')
orders = st.sampled_from(["eq", "ne", "gt", "ge", "lt", "le"])
anything = st.one_of(orders, st.sampled_from(["co", "sw", "ew"]))


def compare(names, operators, values):
    """Returns comparisons such as `userName eq "x"`, in any case."""
    compared = st.tuples(st.sampled_from(names), operators, values).map(" ".join)
    return st.one_of(compared, compared.map(lambda words: words.replace(" eq ", " EQ ")), st.sampled_from(names).map("{} pr".format))


def filters(*comparisons):
    """Returns filters of these comparisons, with brackets, `and`, `or` and `not`."""

    def combine(inner):
        pair = st.tuples(inner, st.sampled_from([" and ", " or "]), inner).map("".join)
        return st.one_of(pair, pair.map("({})".format), inner.map("not ({})".format))

    # The document allows 1,000 characters, and 20 comparisons in its text.
    return st.recursive(st.one_of(*comparisons), combine, max_leaves=8).filter(lambda value: len(value) <= 1000)


dates = compare(["meta.created", "meta.lastModified"], orders, time)
schemathesis.openapi.format(
    "scim-user-filter",
    filters(
        compare(["id", "externalId", "userName", "displayName", "name.givenName", "name.familyName", "name.formatted"], anything, quoted),
        compare(["emails", "emails.value", "emails.type", 'emails[type eq "work"].value'], anything, quoted),
        compare(["active"], st.sampled_from(["eq", "ne"]), st.sampled_from(["true", "false", '"True"'])),
        dates,
    ),
)
schemathesis.openapi.format(
    "scim-group-filter",
    filters(
        compare(["id", "externalId", "displayName"], anything, quoted),
        compare(["members", "members.value"], st.sampled_from(["eq", "ne"]), quoted),
        dates,
    ),
)

# Ids of the users and groups that the run has created.
created = {"Users": [], "Groups": []}


def is_scim(case):
    return case.operation.path.startswith(BASE)


def record_created(case, response):
    """Stores the id of a created user or group."""
    kind = case.operation.path.removeprefix(f"{BASE}/")
    if is_scim(case) and response.status_code == 201:
        created[kind].append(response.json()["id"])


def with_own_members(value):
    """Returns a body whose members are users that the run has created, because others are rejected."""
    if isinstance(value, list):
        return [with_own_members(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"value"} and created["Users"] and re.fullmatch("[1-9][0-9]{0,14}|[0-9a-f-]{36}", str(value["value"])):
        return {"value": random.choice(created["Users"])}
    return {key: with_own_members(item) for key, item in value.items()}


def use_own_rows(case):
    """Replaces the company, and three of four users, groups and members, with those of the run."""
    if not is_scim(case):
        return
    parameters = case.path_parameters
    if re.fullmatch("[a-z0-9-]{1,60}", str(parameters.get("company", ""))):
        parameters["company"] = str(context["company"])
    if case.meta is not None and not case.meta.generation.mode.is_positive:
        return
    kind = case.operation.path.removeprefix(f"{BASE}/").removesuffix("/{id}")
    if "id" in parameters and created.get(kind) and random.random() < 0.75:
        # The document declares the ids of users as integers.
        parameters["id"] = random.choice(created[kind]) if kind == "Groups" else int(random.choice(created[kind]))
    if kind == "Groups":
        case.body = with_own_members(case.body)


# The first names of the paths of attributes that are stored.
STORED = {
    "Users": {"username", "externalid", "name", "displayname", "preferredlanguage", "timezone", "active", "emails"},
    "Groups": {"displayname", "externalid", "members"},
}


def has_ignored_path(case, kind):
    """Returns whether an operation of a PATCH is on an attribute that is not stored. The service ignores it, whatever its value."""
    operations = case.body.get("Operations") if isinstance(case.body, dict) else None
    paths = [operation.get("path") for operation in operations or [] if isinstance(operation, dict)]
    names = [re.match(r"[A-Za-z$][\w$-]*", path) for path in paths if isinstance(path, str)]
    return any(name is not None and name[0].lower() not in STORED[kind] for name in names)


def deviates(case):
    """Returns whether the service reads the request although it has another form than the document: "Values" in scim.md."""
    kind = case.operation.path.removeprefix(f"{BASE}/").removesuffix("/{id}")
    # Schemathesis compares the encoded id, such as `urn%3Aietf…`, with the values of the document.
    if kind == "Schemas" and unquote(str(case.path_parameters.get("id", ""))).startswith("urn:ietf:params:scim:schemas:core:2.0:"):
        return True
    # An empty startIndex or count means the default.
    if any((case.query or {}).get(name) == "" for name in ("startIndex", "count")):
        return True
    return case.method.upper() == "PATCH" and has_ignored_path(case, kind)
