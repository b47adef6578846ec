import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAppProject, fetchApp } from "../support/apps/app-project";
import type { Platform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";

let platform: Platform;
let token = "";

beforeAll(async () => {
  platform = await sharePlatform();
  token = await signInAt(platform, "deployer@example.com");
});
afterAll(() => platform?.close());

const call = async (path: string, method = "GET") => {
  const response = await fetch(`${platform.url}/hosting/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

/** A change of what is live is visible at once in the isolate that made it, and within 5 s elsewhere. */
const untilLive = (url: string, text: string) =>
  expect.poll(async () => (await fetchApp(url)).text, { timeout: 15_000 }).toContain(text);

describe("platform deploy at a running platform", () => {
  it("deploys a Vite app, replaces it with a broken one, and rolls back", async (context) => {
    const app = createAppProject(context, platform, token, "proof-notes");
    app.writePage("one");
    await app.build();
    const first = await app.deploy({ message: "First" });
    expect(first).toMatchObject({ files: 3, files_new: 3, warnings: [] });
    await untilLive(first.url, "Notes one");
    const page = await fetchApp(`${first.url}/`);
    expect(page.headers.get("cache-control")).toContain("max-age=0, must-revalidate");
    const script = /src="(\/assets\/[^"]+)"/.exec(page.text)?.[1] ?? "";
    const asset = await fetchApp(first.url + script);
    expect([asset.status, asset.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(asset.headers.get("cache-control")).toContain("immutable");

    const unchanged = await app.deploy();
    expect(unchanged).toMatchObject({ files_new: 0, bytes_sent: 0 });
    app.write({ "dist/index.html": "<!doctype html><title>Broken</title><h1>Broken</h1>" });
    const broken = await app.deploy();
    expect(broken).toMatchObject({ url: first.url, files_new: 1 });
    await untilLive(first.url, "Broken");

    const diff = await call(`apps/proof-notes/deployments/${first.deployment_id}/diff/${broken.deployment_id}`);
    expect(diff.body).toEqual({
      added: [],
      changed: [{ path: "index.html", size: 51, previous_size: expect.any(Number) }],
      removed: [],
    });
    const rolledBack = await app.rollback(first.deployment_id.slice(0, 8));
    expect(rolledBack).toMatchObject({ code: 0, err: "" });
    await untilLive(first.url, "Notes one");
    const { out } = await app.deployments();
    expect(out).toMatch(new RegExp(`^${first.deployment_id.slice(0, 8)} .* live .*First$`, "m"));
  });

  it("refuses a deployment with the code of the service, and leaves the live one", async (context) => {
    const app = createAppProject(context, platform, token, "proof-refused");
    app.write({ "dist/index.html": "<h1>Good</h1>" });
    const { url } = await app.deploy();
    app.write({ "dist/Index.html": "<h1>Other case</h1>" });
    const { code, err } = await app.runDeploy({});
    expect(code).toBe(1);
    expect(err).toMatch(/^error [a-z_]+: /);
    await untilLive(url, "Good");
    const reserved = createAppProject(context, platform, token, "deployments");
    reserved.write({ "dist/index.html": "" });
    expect((await reserved.runDeploy({})).err).toMatch(/^error validation_failed: .*name: reserved/);
  });

  it("serves 404.html, headers and redirects, and names the lines that it does not understand", async (context) => {
    const app = createAppProject(context, platform, token, "proof-rules");
    app.write({
      "dist/index.html": "<h1>Home</h1>",
      "dist/404.html": "<h1>Nothing here</h1>",
      "dist/_headers": "/*\n  X-Robots-Tag: noindex\n",
      "dist/_redirects": "/start / 301\n/nowhere\n",
    });
    const { url, warnings } = await app.deploy();
    expect(warnings).toMatchObject([{ file: "_redirects", line: 2 }]);
    await untilLive(url, "Home");
    const missing = await fetchApp(`${url}/missing/page`);
    expect([missing.status, missing.text]).toEqual([404, "<h1>Nothing here</h1>"]);
    expect((await fetchApp(`${url}/`)).headers.get("x-robots-tag")).toBe("noindex");
    const redirect = await fetchApp(`${url}/start`);
    expect([redirect.status, new URL(redirect.headers.get("location") ?? "", url).pathname]).toEqual([301, "/"]);
  });

  it("deploys to a preview with its own address, and again to the same one", async (context) => {
    const app = createAppProject(context, platform, token, "proof-preview");
    app.write({ "dist/index.html": "<h1>Preview one</h1>" });
    const first = await app.deploy({ isPreview: true, previewName: "feature/search" });
    expect(Date.parse(first.expires_at ?? "")).toBeGreaterThan(Date.now());
    await untilLive(first.url, "Preview one");
    app.write({ "dist/index.html": "<h1>Preview two</h1>" });
    const second = await app.deploy({ isPreview: true, previewName: "feature/search" });
    expect(second.url).toBe(first.url);
    await untilLive(first.url, "Preview two");
    expect((await call("apps/proof-preview")).status).toBe(404);
  });

  it("redeploys 214 unchanged files within 2 s and sends no file", async (context) => {
    const app = createAppProject(context, platform, token, "proof-size");
    const files = Array.from({ length: 214 }, (_, index) => [`dist/assets/${index}.txt`, `File ${index % 10}`]);
    app.write(Object.fromEntries(files));
    await app.deploy();
    const again = await app.deploy();
    expect(again).toMatchObject({ files: 214, files_new: 0, bytes_sent: 0 });
    expect(again.seconds).toBeLessThan(2);
  });
});
