"""Random requests to the hosts of apps: raw bytes, so that no client repairs them."""

import hashlib
import http.client
import socket
from dataclasses import dataclass, field
from urllib.parse import urlparse

from app_sites import VISIT_PATH, resolve
from catalogs import context

SERVER = ("127.0.0.1", urlparse(context["base"]).port)
TIMEOUT_S = 30
METHODS = ["GET"] * 20 + ["HEAD"] * 5 + ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "FUZZ", "get"]
# The local HTTP server responds 501 to the methods that it does not know.
UNKNOWN_METHODS = ("FUZZ", "get")
LANGUAGES = ["fr", "en", "fr-CA;q=0.9, en", "*", "", "x" * 3000, "\xff\xfe", "fr;q=banana"]
# Not br, which the local HTTP server would apply and Python cannot decode.
ENCODINGS = ["gzip", "gzip, deflate", "*", "identity", "gzip;q=0", "gzip;q=0.001", "x-gzip", "", "GZIP", "gzip;q=", ",,;", "gzip" * 500]
PARTS = ["%00", "%2f", "%2F", "%5c", "\\", "..", ".", "%2e%2e", ".%2E", "%", "%zz", "%ff", "%c0%af", "%ed%a0%80", "/", "//", "%20", "+"]
PARTS += ["é", "%C3%A9", "\x00", "\xff", "\t", ";", "@", ":", "|", "?", "#", "*", "~", "'", '"', "<", "{", "`", "^"]
PARTS += [".js", ".html", "/index.html"]
EXTRA_PATHS = ["", "missing", "missing/", "old", "alias", "blog/a", "blog/", "blog//evil.example/x", "_headers", "_redirects"]
EXTRA_PATHS += ["assets/missing-1a2b3c4d.js", "assets/old-1a2b3c4d.js", "missing.css", "x/missing.json", ".platform/visit", ".platform"]
EXTRA_PATHS += ["about", "about/", "docs", "docs/", "docs/deep/page", "hosting/v1/apps", "api/v1/health", "identity/api/v1/health"]
QUERIES = ["?", "?a=b", "?%", "?%00=%ff", "?token=x", "?/../", "?" + "q" * 5000, "??", "?a=b#c", "#c"]


@dataclass
class Request:
    """A request, and what is known about it. `range` is the range of bytes that it asks for, or "none" for headers without one."""

    method: str
    target: str
    host: str
    site: object = None
    headers: list = field(default_factory=list)
    is_revalidation: bool = False
    range: object = "none"
    visit: str | None = None
    has_visit: bool = False

    def encode(self):
        lines = [f"{self.method} {self.target} HTTP/1.1", f"Host: {self.host}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        body = ""
        if self.method in ("POST", "PUT", "PATCH"):
            lines.append("Content-Length: 4")
            body = "fuzz"
        return ("\r\n".join(lines) + "\r\n\r\n" + body).encode("utf-8" if "é" in self.target else "latin-1", "replace")


def send(request):
    """Returns the response and its body. Throws when the response is malformed or late."""
    with socket.create_connection(SERVER, timeout=TIMEOUT_S) as connection:
        connection.sendall(request.encode())
        response = http.client.HTTPResponse(connection, method=request.method)
        response.begin()
        return response, response.read()


class Generator:
    """Makes the requests of a run from its random numbers, the sites by host, and a function that creates visit links."""

    def __init__(self, rng, sites, new_visit):
        self.rng, self.sites, self.new_visit = rng, sites, new_visit
        self.links, self.cookies = [], []

    def request(self):
        rng = self.rng
        name = rng.choice([*self.sites, "unknown"])
        site = self.sites.get(name)
        request = Request(rng.choice(METHODS), self.target(site), self.host(name), site)
        if name == "unknown":
            request.host = self.unknown_host()
        elif rng.random() < 0.02:
            request.host, request.site = self.malformed_host(name), "any"
        if site is not None and site.members_only:
            self.add_visit(request)
        for header, values, share in (("Accept-Encoding", ENCODINGS, 0.5), ("Accept-Language", LANGUAGES, 0.2)):
            if rng.random() < share:
                request.headers.append((header, rng.choice(values)))
        if rng.random() < 0.05:
            other = rng.choice(["X-Request-Id", "X-Fuzz", "If-Match", "Origin"])
            request.headers.append((other, rng.choice(["", "a b", "\xff", "*", "x" * 9000])))
        if rng.random() < 0.6 and site is not None and request.site is site:
            self.add_conditions(request, resolve(site, request.target))
        return request

    def target(self, site):
        rng = self.rng
        if rng.random() < 0.03:
            long = ["/" + "a" * rng.choice([2000, 9000, 70_000]), "/" + "%00" * 3000]
            return rng.choice(["*", "http://other.example/", "", "//", "///", *long])
        known = [] if site is None else list(site.files)
        path = rng.choice([*known, *EXTRA_PATHS])
        if rng.random() < 0.3:
            path = path.removesuffix(".html").removesuffix("index")
        for _ in range(rng.choice([0, 0, 0, 1, 2, 4])):
            place = rng.randint(0, len(path))
            path = path[:place] + rng.choice(PARTS) + path[place:]
        if rng.random() < 0.5:
            path = "".join(self.encoded(character) for character in path)
        if rng.random() < 0.05:
            path = path.upper()
        return "/" + path + (rng.choice(QUERIES) if rng.random() < 0.15 else "")

    def encoded(self, character):
        if character in " é" or (self.rng.random() < 0.05 and character not in "%?#"):
            return "".join(f"%{byte:02x}" for byte in character.encode())
        return character

    def host(self, name):
        rng = self.rng
        spelled = rng.choice([name.upper(), name.title(), name.replace(".", "%2e")]) if rng.random() < 0.1 else name
        dot = "." if rng.random() < 0.1 else ""
        port = rng.choice(["", ":1", ":443", ":65535"]) if rng.random() < 0.15 else f":{SERVER[1]}"
        return f"{spelled}{dot}{port}"

    def unknown_host(self):
        rng = self.rng
        real = rng.choice(list(self.sites)).partition(".")[0]
        names = ["nobody.localhost", f"{real}--00000000.localhost", f"x.{real}.localhost", f"{real}.localhost.example"]
        names += ["storage.customer.example", "203.0.113.7", "[2001:db8::1]", "a" * 63 + ".example", f"{'a.' * 120}example"]
        names += [f"{real}-.localhost.", f"-{real}.localhost", f"{real}--{'f' * 9}.localhost", f"{real}x.localhost"]
        names += ["xn--a.localhost", "_.localhost", "--.localhost"]
        return rng.choice(names) + rng.choice(["", "", f":{SERVER[1]}"])

    def malformed_host(self, name):
        rng = self.rng
        hosts = ["", " ", f"{name}:99999", f"{name}:x", f"a@{name}", f"{name}/x", f"{name}\x00", f"\xff.{name}"]
        return rng.choice([*hosts, f"{name}..", "[::", "%", f"{name}, {name}"])

    def add_visit(self, request):
        """Adds a cookie or makes the request open a visit link. `visit` is "fresh" for a link that was not opened."""
        rng = self.rng
        if rng.random() < 0.15:
            if len(self.links) < 3:
                self.links.append(urlparse(self.new_visit()).query)
            link = rng.choice(self.links)
            request.target = f"{VISIT_PATH}?{link}"
            request.visit = "fresh"
            if rng.random() < 0.6:
                queries = ["", "token", "token=", "token=%00", f"token={'a' * 43}", f"token={'a' * 9000}"]
                query = rng.choice([*queries, link[:-1], link + "a", link.upper()])
                request.target, request.visit = f"{VISIT_PATH}?{query}", None
            elif request.method == "GET":
                self.links.remove(link)
        if self.cookies and rng.random() < 0.8:
            cookie = rng.choice(self.cookies)
            request.has_visit = rng.random() < 0.85
            values = [f"visit={cookie}", f"a=b; visit={cookie}", f"visit={cookie}; visit=x", f" visit={cookie} ;c"]
            others = [f"visit={cookie[:-1]}", f"visit={'a' * 43}", f"visits={cookie}", f"visit=x; visit={cookie}"]
            others += ["visit", "visit=", ";;;", "\xff=\xff"]
            request.headers.append(("Cookie", rng.choice(values if request.has_visit else others)))

    def add_conditions(self, request, outcome):
        """Adds conditional and range headers, and what they mean for the file that the path names."""
        _, data, _, _, changed = outcome if outcome[0] == "file" else ("", b"", "", 0, "")
        rng = self.rng
        tag = hashlib.sha256(data).hexdigest()
        if rng.random() < 0.4:
            matching = [f'"{tag}"', f'W/"{tag}"', f'"{tag}-gzip"', "*", f'"a", "{tag}"']
            others = ['"a"', tag, "W/", '"', f'"{tag[:-1]}"', "\xff", "," * 500, f'"{tag.upper()}x"']
            request.is_revalidation = rng.random() < 0.5
            request.headers.append(("If-None-Match", rng.choice(matching if request.is_revalidation else others)))
            if rng.random() < 0.3:
                request.headers.append(("If-Modified-Since", changed))
        elif rng.random() < 0.3 and changed:
            request.is_revalidation = rng.random() < 0.5
            others = ["Thu, 01 Jan 1970 00:00:00 GMT", "x", "Sat, 01 Jan 2050 00:00:00 GMT"]
            request.headers.append(("If-Modified-Since", changed if request.is_revalidation else rng.choice(others)))
        if rng.random() < 0.5:
            self.add_range(request, len(data), tag)

    def add_range(self, request, size, tag):
        rng = self.rng
        first, last = sorted((rng.randint(0, size + 5), rng.randint(0, size + 5)))
        whole = ["bytes=", "bytes=-", "bytes=a-b", "items=0-1", "bytes=0-1,3-4", "bytes=5-2", "bytes", "bytes=0x1-"]
        whole += ["bytes=--1", f"bytes={'9' * 400}-x"]
        text, asked = rng.choice(
            [
                (f"bytes={first}-{last}", (first, last)),
                (f"bytes={first}-", (first, size - 1)),
                (f"bytes=-{first}", (max(0, size - first), size - 1) if first else None),
                (f"bytes=0-{'9' * 30}", (0, size - 1)),
                (f"BYTES={first}-{last}", (first, last)),
                (f"bytes={'9' * 30}-", None),
                (rng.choice(whole), "none"),
            ]
        )
        request.headers.append(("Range", text))
        if asked == "none":
            request.range = "none"
        elif asked is None or asked[0] >= size:
            request.range = None
        else:
            request.range = (asked[0], min(asked[1], size - 1))
        if rng.random() < 0.3:
            matches = rng.random() < 0.5
            others = ['"a"', f'W/"{tag}"', "x", "Thu, 01 Jan 1970 00:00:00 GMT"]
            request.headers.append(("If-Range", f'"{tag}"' if matches else rng.choice(others)))
            if not matches:
                request.range = "none"
