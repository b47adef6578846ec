import { describe, expect, it } from "vitest";
import { appDomain, startLiveApp } from "../../support/hosting/live-app";

const files = {
  "index.html": "<h1>start</h1>",
  "about.html": "<h1>about</h1>",
  "docs/index.html": "<h1>docs</h1>",
  "docs/guide.html": "<h1>guide</h1>",
  "assets/index-B1x_yz9A.js": "run()",
  "assets/app.3f2a9c1b.css": "a{}",
  "robots.txt": "User-agent: *",
  "data/été 1.json": "{}",
  "100%.txt": "percent",
  _headers: "/*\n  X-A: 1",
  _redirects: "/old /about",
  "folder/_headers": "served",
};

describe("paths", () => {
  it.each([
    ["/", "<h1>start</h1>"],
    ["/index.html", "<h1>start</h1>"],
    ["/about", "<h1>about</h1>"],
    ["/about.html", "<h1>about</h1>"],
    ["/docs/", "<h1>docs</h1>"],
    ["/docs/guide", "<h1>guide</h1>"],
    ["/robots.txt", "User-agent: *"],
    ["/data/%C3%A9t%C3%A9%201.json", "{}"],
    ["/100%25.txt", "percent"],
    ["/folder/_headers", "served"],
  ])("serves %s", async (path, text) => {
    const app = await startLiveApp();
    await app.deploy(files, { notFound: "none" });
    const response = await app.open(path);
    expect([response.status, response.text]).toEqual([200, text]);
    expect((await app.open(path, { method: "HEAD" })).headers.get("content-length")).toBe(
      String(response.bytes.length),
    );
  });

  it("redirects to the path with or without the trailing slash that the page has", async () => {
    const app = await startLiveApp();
    await app.deploy(files, { notFound: "none" });
    for (const [path, location] of [
      ["/docs?a=1", "/docs/?a=1"],
      ["/about/", "/about"],
      ["/docs/guide/?b", "/docs/guide?b"],
    ] as const) {
      const response = await app.open(path);
      expect([path, response.status, response.headers.get("location")]).toEqual([path, 307, location]);
    }
  });

  it.each([
    "/%E0%A4%A",
    "/docs%2Fguide.html",
    "/docs%5Cguide.html",
    "/a%00",
    "/%",
    "//about.html",
    `/${"a".repeat(8000)}`,
  ])("responds 404 to %s", async (path) => {
    const app = await startLiveApp();
    await app.deploy(files, { notFound: "none" });
    expect((await app.open(`https://${app.host}${path}`)).status).toBe(404);
  });

  it("never serves the files with rules", async () => {
    const app = await startLiveApp();
    await app.deploy(files, { notFound: "none" });
    for (const path of ["/_headers", "/_redirects", "/%5Fheaders", "/x/../_headers"]) {
      expect([path, (await app.open(path)).status]).toEqual([path, 404]);
    }
  });

  it("serves index.html for other paths of a single-page app", async () => {
    const app = await startLiveApp();
    await app.deploy(files, { notFound: "spa" });
    for (const path of ["/orders/7", "/orders/", "/user/john.doe", "/search/100%", "/v1.0"]) {
      const response = await app.open(path);
      expect([path, response.status, response.text]).toEqual([path, 200, "<h1>start</h1>"]);
      expect(response.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    }
  });

  it("serves no page without the rules of the deployment at an overlong path", async () => {
    const app = await startLiveApp();
    await app.deploy(files, { headers: "/*\n  Content-Security-Policy: default-src 'self'" });
    const page = await app.open(`/${"a".repeat(8190)}`);
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([
      200,
      "default-src 'self', frame-ancestors 'self'",
    ]);
    const overlong = await app.open(`/${"a".repeat(8192)}`);
    expect([overlong.status, overlong.text.includes("<h1>start")]).toEqual([404, false]);
    expect((await app.open(`/${"a".repeat(8192)}.js`)).text).toBe("Not found\n");
  });

  it("serves 404.html with status 404", async () => {
    const app = await startLiveApp();
    await app.deploy({ ...files, "404.html": "<h1>gone</h1>" }, { notFound: "page" });
    const response = await app.open("/missing", { headers: { "if-none-match": "*" } });
    expect([response.status, response.text]).toEqual([404, "<h1>gone</h1>"]);
  });

  it("shows the platform's page when a deployment lacks its page", async () => {
    const app = await startLiveApp();
    for (const notFound of ["spa", "page", "none"] as const) {
      await app.deploy({ "a.txt": "a" }, { notFound });
      const response = await app.open("/missing", { headers: { "accept-language": "fr" } });
      expect(response.status).toBe(404);
      expect(response.text).toContain("Aucune page à cette adresse");
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("never responds with HTML for a missing asset", async () => {
    const app = await startLiveApp();
    await app.deploy({ ...files, "404.html": "gone" }, { notFound: "spa" });
    for (const path of [
      "/assets/gone-B1x_yz9A.js",
      "/a.css",
      "/a.PNG",
      "/x/y.woff2",
      "/site.webmanifest",
      "/assets%2Fa.js",
      "/%zz.js",
    ]) {
      const response = await app.open(path, { headers: { accept: "text/html" } });
      expect([path, response.status, response.text]).toEqual([path, 404, "Not found\n"]);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    }
  });

  it("accepts only GET and HEAD", async () => {
    const app = await startLiveApp();
    await app.deploy(files);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const response = await app.open("/", { method });
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "GET, HEAD"]);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describe("hosts", () => {
  it("serves the live deployment at its own and at custom hosts", async () => {
    const app = await startLiveApp();
    await app.deploy(files);
    for (const host of [app.host, app.host.toUpperCase(), `${app.host}.`, `${app.host}:8443`]) {
      expect([host, (await app.open(`https://${host}/about`)).status]).toEqual([host, 200]);
    }
  });

  it("shows a page for unknown, unpublished and expired apps", async () => {
    const app = await startLiveApp();
    const hosts = [
      app.host,
      appDomain,
      `unknown.${appDomain}`,
      `a.b.${appDomain}`,
      `-.${appDomain}`,
      `${app.app.slug}--.${appDomain}`,
      `${app.app.slug}--00000000.${appDomain}`,
      "unknown.example.net",
      "127.0.0.1",
      "[::1]",
      "localhost",
      `${"a".repeat(63)}.${"b".repeat(63)}.example.net`,
      "xn--caf-dma.example.net",
      "_x.example.net",
    ];
    for (const host of hosts) {
      const response = await app.open(`https://${host}/`);
      expect([host, response.status, response.headers.get("content-type")]).toEqual([
        host,
        404,
        "text/html; charset=utf-8",
      ]);
      expect(response.text).toContain("No app at this address");
      expect(response.headers.get("x-robots-tag")).toBe("noindex");
    }
  });

  it("serves nothing without a domain of apps", async () => {
    const app = await startLiveApp();
    await app.deploy(files);
    expect((await app.open("/", { bindings: { HOSTING_APP_DOMAIN: "none" } })).status).toBe(404);
  });

  it("has no routes of the API", async () => {
    const app = await startLiveApp();
    await app.deploy(files, { notFound: "none" });
    const token = await app.token({ companyId: app.companyId, isOwner: true });
    for (const path of [
      "/hosting/v1/health",
      "/api/v1/health",
      "/hosting/v1/actions",
      "/api/v1/management/purge_expired_data",
    ]) {
      const response = await app.open(path, { headers: { authorization: `Bearer ${token}` } });
      expect([path, response.status, response.headers.get("content-type")]).toEqual([
        path,
        404,
        "text/html; charset=utf-8",
      ]);
    }
  });
});
