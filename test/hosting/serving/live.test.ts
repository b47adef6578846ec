import { describe, expect, it } from "vitest";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import { variantKey, variantsKey } from "../../../workers/hosting/files/keys";
import { makeVariants } from "../../../workers/hosting/serving/variants";
import type { StepMessage } from "../../../workers/hosting/step-message";
import { clock } from "../../../workers/kit/clock";
import { startApps } from "../../support/hosting/apps";
import { testEnv } from "../../support/hosting/hosting";
import { openApp } from "../../support/hosting/open-app";
import { createServices } from "../../support/hosting/steps";

const domain = "apps.example.com";
const text = `run("${"0123456789".repeat(100)}");`;

/** Starts hosting with an app of a fresh company, deployed through the API. */
async function startServed() {
  const messages: unknown[] = [];
  // The queue only records messages, so that the tests decide when files are compressed.
  const sendBatch = async (batch: Iterable<MessageSendRequest>) =>
    void messages.push(...[...batch].map(({ body }) => body));
  const SERVICE_QUEUE = { sendBatch, send: async () => {} } as unknown as NonNullable<HostingBindings["SERVICE_QUEUE"]>;
  const apps = await startApps({ HOSTING_APP_DOMAIN: domain, HOSTING_APP_SCHEME: "https", SERVICE_QUEUE });
  const app = await apps.createApp();
  const open = (path: string, init: RequestInit = {}) =>
    openApp(apps.hosting.bindings, path.startsWith("/") ? `https://${app.slug}.${domain}${path}` : path, init);
  return { ...apps, app, open, messages };
}

/** Moves the clock of the Workers forward. */
function advance(ms: number): void {
  const now = clock.now() + ms;
  clock.now = () => now;
}

/** Returns the text of a gzip body. */
const gunzip = (bytes: Uint8Array) =>
  new Response(new Response(bytes as BodyInit).body?.pipeThrough(new DecompressionStream("gzip"))).text();

describe("deployments through the API", () => {
  it("are visible at once in the isolate that changed them", async () => {
    const { app, open, deploy, rollback, call } = await startServed();
    expect((await open("/")).status).toBe(404);
    const first = await deploy(app.id, { "index.html": "one" });
    expect((await open("/")).text).toBe("one");
    await deploy(app.id, { "index.html": "two" });
    expect((await open("/")).text).toBe("two");
    await rollback(app.id, first.id);
    expect((await open("/")).text).toBe("one");
    expect((await call(`apps/${app.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await open("/")).status).toBe(404);
  });

  it("keep assets of the deployment before for open tabs", async () => {
    const { app, open, deploy } = await startServed();
    await deploy(app.id, { "index.html": "one", "assets/lazy-B1x_yz9A.js": "one()" });
    await deploy(app.id, { "index.html": "two", "assets/lazy-C2x_yz9B.js": "two()" });
    expect((await open("/assets/lazy-B1x_yz9A.js")).text).toBe("one()");
    expect((await open("/assets/lazy-C2x_yz9B.js")).text).toBe("two()");
  });

  it("apply their rules and report lines that were ignored", async () => {
    const { app, open, deploy } = await startServed();
    const deployment = await deploy(app.id, {
      "index.html": "one",
      _headers: "/*\n  X-A: 1\n  Set-Cookie: a=1",
      _redirects: "/old /\n/bad",
    });
    expect(deployment.warnings).toEqual([
      {
        file: "_headers",
        line: 3,
        text: "Set-Cookie: a=1",
        reason: "The platform does not let rules change `set-cookie`.",
      },
      { file: "_redirects", line: 2, text: "/bad", reason: "A rule is a source, a target and optionally a status." },
    ]);
    expect((await open("/")).headers.get("x-a")).toBe("1");
    expect((await open("/old")).headers.get("location")).toBe("/");
  });

  it("are not visible at the hosts of another company's app", async () => {
    const { open, deploy, app } = await startServed();
    const other = await startServed();
    const mine = await deploy(app.id, { "index.html": "mine", "mine-1a2b3c4d.js": "mine" });
    await other.deploy(other.app.id, { "index.html": "theirs" });
    expect((await open(`https://${other.app.slug}--${mine.id.slice(0, 8)}.${domain}/`)).status).toBe(404);
    expect((await open(`https://${other.app.slug}.${domain}/mine-1a2b3c4d.js`)).status).toBe(404);
  });
});

describe("visits through the API", () => {
  it("open one deployment for members", async () => {
    const { open, deploy, app, send } = await startServed();
    const first = await deploy(app.id, { "index.html": "one" });
    await deploy(app.id, { "index.html": "two" });
    const { url } = await send<{ url: string }>(`apps/${app.name}/deployments/${first.id}/visit`, {}, 200);
    expect(url).toMatch(new RegExp(`^https://${app.slug}--${first.id.slice(0, 8)}.${domain}/.platform/visit\\?token=`));
    const cookie = (await open(url)).headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await open(new URL("/", url).href, { headers: { cookie } })).text).toBe("one");
  });

  it("need a deployment with stored files", async () => {
    const { app, createDeployment, call } = await startServed();
    const { created } = await createDeployment(app.id, { "index.html": "draft" });
    const response = await call(`apps/${app.id}/deployments/${created.id}/visit`, { method: "POST" });
    expect([response.status, await response.json()]).toMatchObject([409, { error_code: "invalid_deployment_status" }]);
  });
});

describe("gzip variants", () => {
  it("are requested when a deployment goes live, and served to clients that accept them", async () => {
    const { app, open, deploy, companyId, messages } = await startServed();
    const { id } = await deploy(app.id, { "index.html": text, "small.txt": "small", "logo.png": text });
    expect(messages).toContainEqual(expect.objectContaining({ kind: "variants", ids: [id], company_id: companyId }));
    const plain = await open("/", { headers: { "accept-encoding": "gzip" } });
    expect([plain.text, plain.headers.has("content-encoding")]).toEqual([text, false]);
    const { services, requested } = createServices();
    await makeVariants(services, id, companyId);
    expect(requested).toEqual([]);
    advance(60_000);
    await open("/");
    const gzip = await open("/", { headers: { "accept-encoding": "br;q=1, gzip;q=0.5" } });
    expect(gzip.headers.get("content-encoding")).toBe("gzip");
    expect(gzip.headers.get("content-length")).toBe(String(gzip.bytes.length));
    expect(gzip.headers.get("vary")).toBe("Accept-Encoding");
    expect(gzip.headers.get("etag")).toBe(plain.headers.get("etag")?.replace(/"$/, '-gzip"'));
    expect(gzip.bytes.length).toBeLessThan(text.length / 2);
    expect(await gunzip(gzip.bytes)).toBe(text);
    for (const accept of ["", "identity", "gzip;q=0", "br", "*;q=0"]) {
      const response = await open("/", { headers: { "accept-encoding": accept } });
      expect([accept, response.text, response.headers.get("vary")]).toEqual([accept, text, "Accept-Encoding"]);
    }
    for (const tag of [gzip.headers.get("etag"), plain.headers.get("etag")]) {
      const headers = { "accept-encoding": "gzip", "if-none-match": tag ?? "" };
      const response = await open("/", { headers });
      expect([response.status, response.headers.get("etag")]).toEqual([304, tag]);
    }
    expect((await open("/logo.png", { headers: { "accept-encoding": "gzip" } })).headers.has("content-encoding")).toBe(
      false,
    );
    const { objects } = await testEnv.FILES.list({ prefix: `blobs/${companyId}/` });
    expect(objects.filter(({ key }) => key.endsWith(".gzip"))).toHaveLength(1);
  });

  it("fall back to the file when a variant is gone", async () => {
    const { app, open, deploy, companyId } = await startServed();
    const { id } = await deploy(app.id, { "index.html": text });
    await makeVariants(createServices().services, id, companyId);
    const { objects } = await testEnv.FILES.list({ prefix: `blobs/${companyId}/` });
    await testEnv.FILES.delete(objects.map(({ key }) => key).filter((key) => key.endsWith(".gzip")));
    const response = await open("/", { headers: { "accept-encoding": "gzip" } });
    expect([response.status, response.text, response.headers.has("content-encoding")]).toEqual([200, text, false]);
  });

  it("continue after 250 files and can be repeated", async () => {
    const { app, deploy, companyId } = await startServed();
    const files = Object.fromEntries(Array.from({ length: 260 }, (_, index) => [`${index}.txt`, `${index} ${text}`]));
    const { id } = await deploy(app.id, files);
    const { services, requested } = createServices();
    const list = async () =>
      (await testEnv.FILES.get(variantsKey(companyId, id)))?.json<{ gzip: object; is_complete: boolean }>();
    await makeVariants(services, id, companyId);
    expect(Object.keys((await list())?.gzip ?? {})).toHaveLength(250);
    expect(requested).toEqual([expect.objectContaining({ kind: "variants", ids: [id], company_id: companyId })]);
    await makeVariants(services, id, companyId);
    expect(Object.keys((await list())?.gzip ?? {})).toHaveLength(260);
    expect((await list())?.is_complete).toBe(true);
    await makeVariants(services, id, companyId);
    expect(requested).toHaveLength(1);
  });

  it("are requested again while they are missing, with waits that double for a day", async () => {
    const { app, deploy, companyId, messages, hosting } = await startServed();
    const wentLive = clock.now();
    clock.now = () => wentLive;
    const { id } = await deploy(app.id, { "index.html": text });
    const { id: complete } = await deploy(app.id, { "index.html": `two ${text}` });
    await makeVariants(createServices().services, complete, companyId);
    const requestedAt: number[] = [];
    for (let minute = 1; minute <= 2 * 24 * 60; minute += minute < 60 ? 1 : 60) {
      clock.now = () => wentLive + minute * 60_000;
      messages.length = 0;
      await hosting.runCron("* * * * *");
      const requested = messages.filter((message) => (message as StepMessage).company_id === companyId);
      if (requested.length === 0) continue;
      expect(requested).toEqual([expect.objectContaining({ kind: "variants", ids: [id] })]);
      requestedAt.push(minute);
    }
    expect(requestedAt.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(requestedAt.length).toBeLessThan(10);
    expect(requestedAt.at(-1)).toBeGreaterThanOrEqual(24 * 60);
  });

  it("leave nothing behind for a deployment that was deleted", async () => {
    const { app, deploy, companyId, call } = await startServed();
    const first = await deploy(app.id, { "index.html": text });
    await deploy(app.id, { "index.html": "two" });
    const [sha256 = ""] = (await testEnv.FILES.list({ prefix: `blobs/${companyId}/` })).objects.map(
      ({ key }) => key.split("/")[2] ?? "",
    );
    // The deployment is deleted while the step compresses its files.
    const put = testEnv.FILES.put.bind(testEnv.FILES);
    const FILES = new Proxy(testEnv.FILES, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (name !== "put") return typeof member === "function" ? member.bind(target) : member;
        return async (...parameters: Parameters<R2Bucket["put"]>) => {
          await call(`apps/${app.id}/deployments/${first.id}`, { method: "DELETE" });
          return put(...parameters);
        };
      },
    });
    await makeVariants(createServices({ FILES }).services, first.id, companyId);
    expect(await testEnv.FILES.head(variantsKey(companyId, first.id))).toBeNull();
    expect(await testEnv.FILES.head(variantKey(companyId, sha256, "gzip"))).toBeNull();
    await makeVariants(createServices().services, first.id, companyId);
    expect(await testEnv.FILES.head(variantsKey(companyId, first.id))).toBeNull();
  });
});
