"""
Sends random requests to the hosts of apps and compares the responses with what is deployed (app_sites.py). Arguments: the seed, the
number of requests, and the longest time in seconds. Exits with 1 for a finding.
"""

import gzip
import http.client
import random
import sys
import time
from collections import Counter

from app_requests import UNKNOWN_METHODS, Generator, send
from app_sites import VISIT_PATH, create_sites, normalize, resolve

MAX_PRINTED = 10
PAGE = "text/html"


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def check(request, response, body):
    """Throws an AssertionError for a response that breaks the specification. Returns what the response was."""
    header = response.headers.get
    status = response.status
    if header("x-request-id") is None:
        # The local HTTP server has rejected the request, and no Worker has received it. It responds 500 when the host and the target
        # make no URL.
        is_url = request.site != "any" and request.target.startswith("/")
        expect(status in (400, 414, 431) or not is_url or request.method in UNKNOWN_METHODS, "not a response of the platform")
        return "HTTP server"
    expect(status < 500, "a failure")
    expect(header("x-content-type-options") == "nosniff", "no nosniff")
    if request.method == "HEAD" or status == 304:
        expect(body == b"", "a body")
    is_visit = request.visit == "fresh" and request.method == "GET"
    expect((header("set-cookie") is not None) == is_visit, "Set-Cookie")
    if request.site == "any":
        return "malformed host"
    if request.method not in ("GET", "HEAD"):
        expect(status == 405 and header("allow") == "GET, HEAD", "not 405")
        return "method"
    if request.site is None:
        expect(status == 404 and is_page(request, response), "an unknown host that responds")
        return "unknown host"
    return check_site(request, response, body, is_visit)


def is_page(request, response):
    return response.headers.get_content_type() == PAGE and "max-age" not in response.headers.get("cache-control", "")


def check_site(request, response, body, is_visit):
    site, header, status = request.site, response.headers.get, response.status
    if site.members_only:
        if is_visit:
            expect(status == 303 and header("location") == "/", "a visit link that does not open")
            expect(decoded(request, response, body, b"") == b"", "a body")
            return "visit opened"
        path = (normalize(request.target) or ("",))[0]
        if path == VISIT_PATH or not request.has_visit:
            expect(status == 401 and is_page(request, response), "a deployment for members that responds")
            return "no visit"
        expect(status in (301, 302) or "public" not in header("cache-control"), "a public response to a visitor")
    expect(status != 401, "a page for visitors")
    outcome = resolve(site, request.target)
    if site.is_deployment and outcome[0] in ("file", "redirect"):
        expect(header("x-robots-tag") == "noindex", "an indexed deployment")
    match outcome:
        case ("any",):
            return "uncertain path"
        case ("redirect",):
            location = header("location") or ""
            expect(status in (301, 302, 307) and location.startswith("/") and location[1:2] not in ("/", "\\"), "no redirect on the host")
        case ("missing",):
            expect(status == 404 and header("cache-control") == "no-store", "a missing asset with another status or cached")
            expect(response.headers.get_content_type() == "text/plain", "a missing asset that is no text")
        case ("page",):
            expect(status == 404 and is_page(request, response), "not the page for missing paths")
        case ("file", data, path, expected_status, changed):
            return check_file(request, response, body, data, path, expected_status, changed)
    return outcome[0]


def check_file(request, response, body, data, path, expected_status, changed):
    header, status = response.headers.get, response.status
    if expected_status == 404:
        expect(status == 404 and decoded(request, response, body, data) == data, "not 404.html")
        return "404.html"
    if request.is_revalidation:
        expect(status == 304 and header("etag"), "not 304")
        return "304"
    if request.method == "GET" and request.range != "none":
        return check_range(request, response, body, data)
    expect(status == 200, f"not 200 for {path}")
    expect(header("last-modified") == changed, "another Last-Modified")
    expect(decoded(request, response, body, data) == data, f"not the bytes of {path}")
    expect(header("x-fuzz") == ("yes" if request.site.redirects else None), "other rules of _headers")
    return "200 gzip" if header("content-encoding") else "200"


def check_range(request, response, body, data):
    header, status = response.headers.get, response.status
    if request.range is None:
        expect(status == 416 and header("content-range") == f"bytes */{len(data)}", "not 416")
        return "416"
    first, last = request.range
    expect(status == 206 and header("content-range") == f"bytes {first}-{last}/{len(data)}", "not 206, or another range")
    expect(decoded(request, response, body, data) == data[first : last + 1], "not the bytes of the range")
    return "206"


def decoded(request, response, body, data):
    """
    Returns the bytes of a response, which hosting or, as Cloudflare does, the local HTTP server has compressed. HEAD responses have the
    length of the file or of its variant instead.
    """
    if request.method == "HEAD":
        is_variant = (response.headers["etag"] or "").endswith('-gzip"')
        expect(is_variant or response.headers["content-length"] in (None, str(len(data))), "another Content-Length")
        return data
    return gzip.decompress(body) if response.headers["content-encoding"] == "gzip" else body


def run(seed, examples, seconds):
    """Returns the number of findings."""
    sites, new_visit = create_sites()
    # Time for the queue to make the compressed variants, before an isolate reads the list of them.
    time.sleep(10)
    generator = Generator(random.Random(seed), sites, new_visit)
    outcomes, findings = Counter(), Counter()
    end = time.monotonic() + seconds
    while sum(outcomes.values()) + sum(findings.values()) < examples and time.monotonic() < end:
        request = generator.request()
        response, body = None, b""
        try:
            response, body = send(request)
            outcomes[check(request, response, body)] += 1
            if request.visit == "fresh" and request.method == "GET":
                generator.cookies.append(response.headers["set-cookie"].partition("=")[2].partition(";")[0])
        except (AssertionError, OSError, http.client.HTTPException, EOFError) as error:
            findings[str(error)] += 1
            if findings[str(error)] <= MAX_PRINTED:
                print(f"\nFinding: {type(error).__name__} {error}\n  {request.encode()[:1500]!r}")
                if response is not None:
                    print(f"  {response.status} {dict(response.headers)} {body[:300]!r}")
    print(f"Responses: {dict(sorted(outcomes.items()))}")
    print(f"Findings: {dict(findings) or 'none'}")
    return sum(findings.values())


if __name__ == "__main__":
    sys.exit(1 if run(*map(int, sys.argv[1:4])) else 0)
