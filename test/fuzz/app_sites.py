"""The apps of a run, and what a path of one names by docs/specification/hosting-serving.md."""

import hashlib
import json
import random
import re
import threading
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote_to_bytes, urlparse

import requests
from catalogs import context
from own_apps import APPS, call, new_app

VISIT_PATH = "/.platform/visit"
TOKEN = context["owner"]

HEADERS = "/*\n  X-Fuzz: yes\n/assets/*\n  Access-Control-Allow-Origin: *\n"
REDIRECTS = "/old /about 301\n/alias /data.json 200\n/blog/* /docs/:splat 302\n"
# The paths of REDIRECTS with a redirect, and the rewrite.
REDIRECT_PATHS, REWRITES = ("/old", "/blog/"), {"/alias": "/data.json"}
# Whether a rule also matches these paths depends on details of its pattern.
UNCERTAIN_PATHS = ("/old/", "/alias/", "/blog")

# A longer path names nothing.
MAX_PATH = 8192

# Extensions of assets and of other files. All other extensions are uncertain.
ASSETS = {"js", "css", "png", "json", "txt", "svg", "woff2", "map"}
OTHERS = {"html", "bin", "doe", "0"}


@dataclass
class Site:
    """What a host serves."""

    files: dict
    not_found: str = "spa"
    changed: str = ""
    earlier: list = field(default_factory=list)
    redirects: bool = False
    members_only: bool = False
    is_deployment: bool = False


def content(name, path, size=600):
    """Returns bytes that no other file of a run has, which begin as text."""
    head = f"{name} {path}\n".encode()
    return head + random.Random(f"{name} {path}").randbytes(max(0, size - len(head)))


def text(name, path, size=4000):
    """Returns a text that becomes smaller when it is compressed."""
    return (f"{name} {path}\n" * (size // (len(name) + len(path) + 2) + 1)).encode()[:size]


def files_of(name):
    """Returns files for each way in which a path resolves."""
    texts = ["index.html", "about.html", "docs/index.html", "docs/deep/page.html", "assets/app-3f2a9c1b.js", "data.json"]
    texts += ["style.css", "été.html", "a b.txt", "icon.svg", "trailing", ".well-known/app.txt", "double.html.html"]
    files = {path: text(name, path) for path in texts}
    files |= {path: content(name, path) for path in ("logo.png", "data.bin", "v1.0", "john.doe")}
    return files | {"empty.txt": b"", "one.txt": name[-1:].encode(), "large.bin": content(name, "large.bin", 300_000)}


def deploy(app, files, not_found):
    """Deploys files and returns the live deployment."""
    by_hash = {hashlib.sha256(data).hexdigest(): data for data in files.values()}
    manifest = {path: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for path, data in files.items()}
    body = {"app_version": "1.0.0", "not_found": not_found, "manifest": manifest}
    created = call("POST", f"{APPS}/{app}/deployments", TOKEN, body)
    for sha256 in created["missing"]:
        url = f"{context['base']}{APPS}/{app}/blobs/{sha256}"
        stored = requests.put(url, headers={"authorization": f"Bearer {TOKEN}"}, data=by_hash[sha256], timeout=30)
        stored.raise_for_status()
    live = call("POST", f"{APPS}/{app}/deployments/{created['id']}/finalize", TOKEN)
    if live.get("status") != "active":
        raise RuntimeError(f"cannot deploy: {live}")
    return live


def changed_at(deployment):
    """Returns the Last-Modified of a deployment's files."""
    return format_datetime(datetime.fromisoformat(deployment["finalized_at"]), usegmt=True)


def host_of(url):
    return urlparse(url).netloc.partition(":")[0]


def create_sites():
    """Deploys three apps. Returns the sites by host, and a function that creates a visit link of the only deployment for members."""
    main, pages, bare = (new_app(TOKEN) for _ in range(3))
    rules = {"_headers": HEADERS.encode(), "_redirects": REDIRECTS.encode()}
    old = files_of("main-old") | {"assets/old-1a2b3c4d.js": text("main-old", "assets/old-1a2b3c4d.js")}
    new = files_of("main-new")
    first = deploy(main, old | rules, "spa")
    second = deploy(main, new | rules, "spa")
    third = deploy(pages, files_of("pages") | {"404.html": text("pages", "404.html")}, "page")
    fourth = deploy(bare, files_of("bare"), "none")
    requests.patch(
        f"{context['base']}{APPS}/{bare}",
        headers={"authorization": f"Bearer {TOKEN}"},
        json={"public_deployments": True},
        timeout=30,
    ).raise_for_status()
    visible = {"files": files_of("bare"), "not_found": "none", "changed": changed_at(fourth)}
    paged = Site(files_of("pages") | {"404.html": text("pages", "404.html")}, "page", changed_at(third))
    sites = {
        host_of(second["urls"]["url"]): Site(new, changed=changed_at(second), earlier=[(old, changed_at(first))], redirects=True),
        host_of(first["urls"]["deployment_url"]): Site(
            old, changed=changed_at(first), redirects=True, members_only=True, is_deployment=True
        ),
        host_of(third["urls"]["url"]): paged,
        verified_hostname(pages): paged,
        host_of(fourth["urls"]["url"]): Site(**visible),
        host_of(fourth["urls"]["deployment_url"]): Site(**visible, is_deployment=True),
    }
    return sites, lambda: call("POST", f"{APPS}/{main}/deployments/{first['id']}/visit", TOKEN)["url"]


def verified_hostname(app):
    """Adds a domain to an app, proves it by a resolver of this process, and returns its host name."""
    hostname = f"{app}.fuzz.example"
    created = call("POST", f"{APPS}/{app}/domains", TOKEN, {"hostname": hostname})
    records = {record["name"]: record["value"] for record in created["records"] if record["type"] == "TXT"}

    class Resolver(BaseHTTPRequestHandler):
        def do_GET(self):
            name = parse_qs(urlparse(self.path).query).get("name", [""])[0]
            answer = [{"type": 16, "TTL": 60, "data": f'"{records[name]}"'}] if name in records else []
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"Status": 0 if answer else 3, "Answer": answer}).encode())

        def log_message(self, *_):
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", context["resolver_port"]), Resolver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    checked = call("POST", f"{APPS}/{app}/domains/{created['id']}/check", TOKEN)
    server.shutdown()
    if checked.get("state") != "verified":
        raise RuntimeError(f"cannot verify a domain: {checked}")
    return hostname


def normalize(target):
    """Returns the path and the query of a request target as URL parsers read it, or None for a target that is no certain path."""
    if not re.fullmatch(r"/[!-~]*", target):
        return None
    path, _, query = target.partition("#")[0].partition("?")
    segments = []
    parts = path.replace("\\", "/").split("/")[1:]
    for number, part in enumerate(parts, 1):
        plain = re.sub("%2e", ".", part, flags=re.IGNORECASE)
        if plain not in (".", ".."):
            segments.append(part)
            continue
        if plain == "..":
            del segments[-1:]
        if number == len(parts):
            segments.append("")
    return "/" + "/".join(segments), query


def decode(path):
    """Returns the path of a file without percent-encoding, or None if no file can have it."""
    if re.search("%(?![0-9a-fA-F]{2})", path):
        return None
    try:
        segments = [unquote_to_bytes(part).decode() for part in path[1:].split("/")]
    except UnicodeDecodeError:
        return None
    return None if any(re.search(r"[/\\\0]", part) for part in segments) else "/".join(segments)


def is_asset(path):
    """Returns whether a path has the extension of an asset, or None for an extension that is neither in ASSETS nor in OTHERS."""
    match = re.search(r"\.([a-zA-Z0-9]+)\Z", path)
    if match is None or match[1].lower() in OTHERS:
        return False
    return True if match[1].lower() in ASSETS else None


def find(files, path):
    """Returns the path of the file for a path and whether the path is canonical, or None."""
    if path == "" or path.endswith("/"):
        names = [(f"{path}index.html", True), *([(f"{path[:-1]}.html", False)] if path else [])]
    else:
        names = [(path, True), (f"{path}.html", True), (f"{path}/index.html", False)]
    return next(((name, canonical) for name, canonical in names if name in files), None)


def resolve(site, target):
    """
    Returns what a site responds to a GET request: ("file", its bytes, its path, the status, Last-Modified), ("redirect",),
    ("missing",) for an asset, ("page",) for the platform's page, or ("any",) if that is not certain.
    """
    normalized = normalize(target)
    if normalized is None:
        return ("any",)
    path, _ = normalized
    if len(path) > MAX_PATH:
        return ("missing",) if is_asset(path) else ("page",) if is_asset(path) is False else ("any",)
    rewritten = REWRITES.get(path, path) if site.redirects else path
    if site.redirects and (path == REDIRECT_PATHS[0] or path.startswith(REDIRECT_PATHS[1])):
        return ("redirect",)
    if site.redirects and path in UNCERTAIN_PATHS:
        return ("any",)
    name = decode(rewritten)
    found = None if name is None else find(site.files, name)
    if found is not None:
        return ("file", site.files[found[0]], found[0], 200, site.changed) if found[1] else ("redirect",)
    if is_asset(name or rewritten) is None:
        return ("any",)
    if is_asset(name or rewritten):
        earlier = next(((files[name], changed) for files, changed in site.earlier if name in files), None)
        return ("missing",) if earlier is None else ("file", earlier[0], name, 200, earlier[1])
    fallback, status = {"spa": ("index.html", 200), "page": ("404.html", 404), "none": ("", 404)}[site.not_found]
    return ("file", site.files[fallback], fallback, status, site.changed) if fallback in site.files else ("page",)
