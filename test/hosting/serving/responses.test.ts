import { describe, expect, it } from "vitest";
import { testEnv } from "../../support/hosting/hosting";
import { startLiveApp } from "../../support/hosting/live-app";

const files = {
  "index.html": "<h1>start</h1>",
  "assets/index-B1x_yz9A.js": "run(); // 0123456789",
  "assets/portrait-settings.png": "image",
  "logo.svg": "<svg/>",
  "empty.txt": "",
};

/** A bucket that counts its reads of files. */
function countReads() {
  let count = 0;
  const bucket = new Proxy(testEnv.FILES, {
    get(target, name) {
      if (name !== "get") return Reflect.get(target, name);
      return (key: string, options?: R2GetOptions) => {
        if (key.startsWith("blobs/")) count += 1;
        return target.get(key, options);
      };
    },
  });
  return { bucket, count: () => count };
}

describe("headers of files", () => {
  it("caches names with a content hash for a year and revalidates all others", async () => {
    const app = await startLiveApp();
    const { files: entries } = await app.deploy(files);
    const hashed = await app.open("/assets/index-B1x_yz9A.js");
    expect(Object.fromEntries(hashed.headers)).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
      "strict-transport-security": "max-age=63072000",
      etag: `"${entries["assets/index-B1x_yz9A.js"]?.sha256}"`,
      vary: "Accept-Encoding",
    });
    for (const path of ["/", "/assets/portrait-settings.png", "/logo.svg"]) {
      expect([path, (await app.open(path)).headers.get("cache-control")]).toEqual([
        path,
        "public, max-age=0, must-revalidate",
      ]);
    }
  });

  it("sends no Strict-Transport-Security over http", async () => {
    const app = await startLiveApp({ HOSTING_APP_SCHEME: "http", DEBUG: "true" });
    await app.deploy(files);
    expect((await app.open("/")).headers.has("strict-transport-security")).toBe(false);
  });

  it("sends files of all sizes, and ranges of them, with their length", async () => {
    const app = await startLiveApp();
    const sizes = [1, 64 * 1024, 64 * 1024 + 1, 300_000];
    await app.deploy(
      Object.fromEntries(sizes.map((size) => [`${size}.png`, "0123456789".repeat(30_000).slice(0, size)])),
    );
    for (const size of sizes) {
      const whole = await app.open(`/${size}.png`);
      expect([size, whole.status, whole.bytes.length, whole.headers.get("content-length")]).toEqual([
        size,
        200,
        size,
        String(size),
      ]);
      const part = await app.open(`/${size}.png`, { headers: { range: "bytes=-66000" } });
      const length = Math.min(size, 66_000);
      expect([size, part.status, part.text.slice(-1), part.headers.get("content-length")]).toEqual([
        size,
        206,
        String((size - 1) % 10),
        String(length),
      ]);
      expect(part.bytes.length).toBe(length);
    }
  });

  it("responds 304 without reading the file", async () => {
    const app = await startLiveApp();
    await app.deploy(files);
    const { headers } = await app.open("/");
    const reads = countReads();
    const bindings = { FILES: reads.bucket };
    const conditions = [
      { "if-none-match": headers.get("etag") ?? "" },
      { "if-none-match": `W/${headers.get("etag")}, "other"` },
      { "if-modified-since": headers.get("last-modified") ?? "" },
    ];
    for (const condition of conditions) {
      const response = await app.open("/", { headers: condition, bindings });
      expect([response.status, response.bytes.length, response.headers.get("etag")]).toEqual([
        304,
        0,
        headers.get("etag"),
      ]);
    }
    expect(reads.count()).toBe(0);
    expect((await app.open("/", { headers: { "if-none-match": '"other"' }, bindings })).status).toBe(200);
    expect(reads.count()).toBe(1);
  });

  it("responds with a range", async () => {
    const app = await startLiveApp();
    await app.deploy(files);
    const path = "/assets/index-B1x_yz9A.js";
    const { headers, bytes } = await app.open(path);
    const part = await app.open(path, { headers: { range: "bytes=2-4", "accept-encoding": "gzip" } });
    expect([part.status, part.text, part.headers.get("content-range"), part.headers.get("content-length")]).toEqual([
      206,
      "n()",
      `bytes 2-4/${bytes.length}`,
      "3",
    ]);
    expect((await app.open(path, { headers: { range: "bytes=-3" } })).text).toBe("789");
    const tooFar = await app.open(path, { headers: { range: "bytes=999-" } });
    expect([tooFar.status, tooFar.headers.get("content-range")]).toEqual([416, `bytes */${bytes.length}`]);
    const changed = await app.open(path, { headers: { range: "bytes=0-1", "if-range": '"other"' } });
    expect(changed.status).toBe(200);
    const same = await app.open(path, { headers: { range: "bytes=0-1", "if-range": headers.get("etag") ?? "" } });
    expect([same.status, same.text]).toEqual([206, "ru"]);
  });

  it("serves empty files", async () => {
    const app = await startLiveApp();
    await app.deploy(files);
    const response = await app.open("/empty.txt");
    expect([response.status, response.text]).toEqual([200, ""]);
  });

  it("applies the rules of the deployment", async () => {
    const app = await startLiveApp();
    await app.deploy(files, {
      headers:
        "/*\n  X-A: 1\n  Cache-Control: public, max-age=60\n  ! Referrer-Policy\n/logo.svg\n  X-A: 2\n  Vary: Origin",
      redirects: "/old / 301\n/app/* /index.html 200\n/away https://example.com/:x",
    });
    const logo = await app.open("/logo.svg");
    expect(Object.fromEntries(logo.headers)).toMatchObject({
      "x-a": "1, 2",
      "cache-control": "public, max-age=60",
      vary: "Origin, Accept-Encoding",
    });
    expect(logo.headers.has("referrer-policy")).toBe(false);
    const moved = await app.open("/old?x=1");
    expect([moved.status, moved.headers.get("location"), moved.headers.has("x-a")]).toEqual([301, "/?x=1", false]);
    expect((await app.open("/app/orders")).text).toBe("<h1>start</h1>");
    expect((await app.open("/away")).headers.get("location")).toBe("https://example.com/:x");
  });

  it("lets only the app and the shells of its company frame pages", async () => {
    const app = await startLiveApp();
    app.identity.originsOf(app.companyId).add("https://shell.example.com");
    await app.deploy(files, { headers: "/*\n  Content-Security-Policy: default-src 'self'; frame-ancestors *" });
    expect((await app.open("/")).headers.get("content-security-policy")).toBe(
      "default-src 'self'; frame-ancestors *, frame-ancestors 'self' https://shell.example.com",
    );
  });

  it("lets only the app frame pages when identity never responded", async () => {
    const app = await startLiveApp();
    app.setIdentityAway(true);
    await app.deploy(files);
    const response = await app.open("/");
    expect([response.status, response.headers.get("content-security-policy")]).toEqual([200, "frame-ancestors 'self'"]);
  });
});

describe("failures", () => {
  it("responds 503 when the files cannot be read", async () => {
    const app = await startLiveApp();
    await app.deploy(files);
    await app.open("/");
    const FILES = new Proxy(testEnv.FILES, {
      get: () => () => {
        throw new Error("R2 is unavailable");
      },
    });
    const response = await app.open("/", { bindings: { FILES } });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(response.text).toContain("The app cannot be shown right now");
  });

  it("responds 503 with an invalid setting", async () => {
    const app = await startLiveApp();
    expect((await app.open("/", { bindings: { HOSTING_SKEW_HOURS: "soon" } })).status).toBe(503);
  });
});
