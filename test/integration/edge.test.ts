import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import { and, eq, gte } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hosting_apps, hosting_deployments, scheduled_job_runs } from "../../db/hosting/schema";
import { mail_outbox } from "../../db/identity/schema";
import { services } from "../../scripts/support/services.ts";
import { blobKey, manifestKey, variantKey, variantsKey } from "../../workers/hosting/files/keys";
import type { Platform } from "../support/platform/platform";
import { sharePlatform } from "../support/platform/shared-platform";

let platform: Platform;
beforeAll(async () => {
  platform = await sharePlatform();
});
afterAll(() => platform?.close());

type HostResponse = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  bytes: Buffer;
};

/** Sends a request with a custom Host header, which `fetch` does not allow. */
function callHost(host: string, path: string, headers: Record<string, string> = {}): Promise<HostResponse> {
  const { hostname, port } = new URL(platform.url);
  return new Promise((done, fail) => {
    httpRequest({ hostname, port, path, headers: { ...headers, host } }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const bytes = Buffer.concat(parts);
        done({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString(), bytes });
      });
    })
      .once("error", fail)
      .end();
  });
}

describe("routing", () => {
  it.each(services)("reaches %s by host name on the domains of services", async (service) => {
    for (const host of [
      `${service}.localhost`,
      `${service}.example.com:8787`,
      `${service.toUpperCase()}.example.com`,
      `${service}.example.com.`,
    ]) {
      const response = await callHost(host, "/api/v1/health");
      expect([host, response.status, JSON.parse(response.body).status]).toEqual([host, 200, "ok"]);
    }
  });

  it.each(services)("does not reach %s at the domain of a customer", async (service) => {
    for (const host of [
      `${service}.customer.example`,
      `${service}.example.com.customer.example`,
      `${service}.apps.example.com`,
      `x.${service}.example.com`,
      `${service}--1a2b3c4d.localhost`,
    ]) {
      for (const path of ["/api/v1/health", `/${service}/v1/health`, `/${service}/api/v1/health`]) {
        const response = await callHost(host, path);
        expect([host, path, response.status]).toEqual([host, path, 404]);
        expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
      }
    }
  });

  it.each(services)("reaches %s by path prefix", async (service) => {
    const response = await fetch(`${platform.url}/${service}/api/v1/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "ok" });
  });

  it("forwards paths that begin with the service's name unchanged", async () => {
    for (const service of ["hosting", "storage"]) {
      for (const path of [`/${service}/v1/health`, `/${service}/${service}/v1/health`]) {
        expect([path, (await fetch(platform.url + path)).status]).toEqual([path, 200]);
      }
      expect((await callHost(`${service}.localhost`, `/${service}/v1/health`)).status).toBe(200);
      expect((await fetch(`${platform.url}/${service}/v1/metrics`)).status).toBe(401);
    }
  });

  it.each(["localhost", "127.0.0.1", "[::1]"])("routes by path prefix on %s", async (host) => {
    expect((await callHost(host, "/email/api/v1/health")).status).toBe(200);
  });

  it("routes by host name before the path", async () => {
    const response = await callHost("identity.localhost", "/email/api/v1/health");
    expect(response.status).toBe(404);
    expect((await callHost("identity.localhost", "/.well-known/jwks.json")).status).toBe(200);
  });

  it.each([
    ["example.com", "/identity/api/v1/health"],
    ["example.com", "/"],
    ["billing.localhost", "/api/v1/health"],
    ["example.com", "/hosting/v1/health"],
    ["constructor.localhost", "/"],
    ["apps.localhost", "/api/v1/health"],
    ["edge.localhost", "/"],
    ["192.0.2.7", "/identity/api/v1/health"],
    ["[::2]", "/"],
    ["a..b", "/"],
    ["_.localhost", "/%E0%A4%A"],
    [`${"a".repeat(63)}.${"b".repeat(63)}.example.com`, `/${"a".repeat(4000)}`],
  ])("shows the page for unknown apps at %s%s", async (host, path) => {
    const response = await callHost(host, path);
    expect([response.status, response.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(response.body).toContain(String(response.headers["x-request-id"]));
  });

  it.each([
    ["identity.localhost", "/"],
    ["localhost", "/hosting/v1"],
    ["identity.localhost", "/hosting/v1/health"],
    ["localhost", "/apps/api/v1/health"],
    ["localhost", "/debug"],
    ["localhost", "/nothing"],
    ["localhost", "/login"],
    ["localhost", "/identityx/api/v1/health"],
    ["localhost", "/constructor/x"],
  ])("returns 404 for the unknown address %s%s", async (host, path) => {
    const response = await callHost(host, path);
    expect(response.status).toBe(404);
    expect(JSON.parse(response.body)).toEqual({
      error_code: "not_found",
      message: "There is no such resource.",
      request_id: response.headers["x-request-id"],
    });
    expect(response.headers["x-content-type-options"]).toBe("nosniff");
  });

  it("forwards the method, query and body of a request", async () => {
    const response = await fetch(`${platform.url}/identity/api/v1/token?grant_type=other`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ refresh_token: "prt_x" }),
    });
    expect(await response.json()).toMatchObject({ error_code: "unsupported_grant_type" });
    const refreshResponse = await fetch(`${platform.url}/identity/api/v1/token?grant_type=refresh_token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ refresh_token: "prt_x" }),
    });
    expect(await refreshResponse.json()).toMatchObject({ error_code: "token_invalid" });
  });
});

describe("apps", () => {
  /** Stores a live app with one page and its gzip variant. Returns its host. */
  async function storeApp(text: string): Promise<string> {
    const [id, deploymentId] = [crypto.randomUUID(), crypto.randomUUID()];
    const slug = `a${id.replaceAll("-", "").slice(0, 11)}`;
    const companyId = 987_654;
    const sha256 = createHash("sha256").update(text).digest("hex");
    const packed = gzipSync(text);
    const { FILES } = (await platform.worker("hosting").getEnv()) as unknown as { FILES: R2Bucket };
    const files = { "index.html": { sha256, size: text.length, type: "text/html" } };
    const manifest = { v: 1, files, headers: [], redirects: [], not_found: "none" };
    await FILES.put(blobKey(companyId, sha256), text);
    await FILES.put(variantKey(companyId, sha256, "gzip"), packed);
    await FILES.put(manifestKey(companyId, deploymentId), JSON.stringify(manifest));
    const variants = { v: 1, gzip: { [sha256]: packed.length }, done: 1, is_complete: true };
    await FILES.put(variantsKey(companyId, deploymentId), JSON.stringify(variants));
    const times = { created_at: 1, updated_at: 1 };
    const owned = { company_id: companyId, ...times };
    await platform.rows.hosting.insertRow(hosting_apps, {
      ...{ ...owned, id, name: slug, slug, display_name: "Shop", owner_id: 1, current_deployment_id: deploymentId },
    });
    await platform.rows.hosting.insertRow(hosting_deployments, {
      ...{ ...owned, id: deploymentId, app_id: id, address: deploymentId.slice(0, 8), app_version: "1.0.0" },
      ...{ shell_version: "", status: "active" as const, pinned: false, message: "", not_found: "none" as const },
      ...{ deployed_by_id: 1, warnings: [], finalized_at: 1, live_from: 1 },
    });
    return `${slug}.localhost`;
  }

  it("are served at their hosts, compressed, and not at the hosts of services", async () => {
    const text = `<h1>${"shop ".repeat(200)}</h1>`;
    const host = await storeApp(text);
    const plain = await callHost(host, "/");
    expect([plain.status, plain.body, plain.headers["content-encoding"]]).toEqual([200, text, undefined]);
    const packed = await callHost(host, "/", { "accept-encoding": "gzip" });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.bytes).toString()).toBe(text);
    const unchanged = await callHost(host, "/", { "if-none-match": String(plain.headers.etag) });
    expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0]);
    for (const path of ["/hosting/v1/health", "/identity/api/v1/health", "/api/v1/health", "/.well-known/jwks.json"]) {
      expect([path, (await callHost(host, path)).status]).toEqual([path, 404]);
    }
    for (const other of ["hosting.localhost", "localhost", "hosting.example.com"]) {
      expect((await callHost(other, "/")).body).not.toContain("shop");
    }
  });
});

describe("request ids at the edge", () => {
  it("forwards a valid request id and returns it", async () => {
    const response = await fetch(`${platform.url}/identity/api/v1/nothing`, {
      headers: { "x-request-id": "abc.DEF-1" },
    });
    expect(response.headers.get("x-request-id")).toBe("abc.DEF-1");
    expect(await response.json()).toMatchObject({ request_id: "abc.DEF-1" });
  });

  it.each([undefined, "has space", "x".repeat(65), "a/b"])("replaces the invalid request id %j", async (requestId) => {
    const headers: Record<string, string> = requestId === undefined ? {} : { "x-request-id": requestId };
    const response = await fetch(`${platform.url}/email/api/v1/nothing`, { headers });
    const id = response.headers.get("x-request-id");
    expect(id).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
    expect(id).not.toBe(requestId);
    expect(await response.json()).toMatchObject({ request_id: id });
  });
});

describe("development", () => {
  it.each(["localhost", "127.0.0.1"])("redirects / of %s to the shell", async (host) => {
    const { status, headers } = await callHost(host, "/?a=b");
    expect([status, headers.location, headers["cache-control"]]).toEqual([302, "http://localhost:3000/", "no-store"]);
    expect(headers["x-request-id"]).toBeTruthy();
  });

  it("forwards cron runs to every service", async () => {
    const { identity, hosting, storage } = platform.rows;
    await identity.insertRow(mail_outbox, {
      id: "stale",
      company_id: 1,
      kind: "magic_link",
      idempotency_key: "stale",
      request_id: "stale",
      state: "waiting",
      next_at: 1,
      deadline_at: 2,
      created_at: 1,
    });
    const startedAt = Date.now();
    await platform.runCron();
    const [row] = await identity.readRows(mail_outbox, eq(mail_outbox.id, "stale"));
    expect(row?.state).not.toBe("waiting");
    const isOfCron = and(eq(scheduled_job_runs.trigger, "scheduler"), gte(scheduled_job_runs.started_at, startedAt));
    const jobsOf = async (rows: typeof hosting) =>
      (await rows.readRows(scheduled_job_runs, isOfCron)).map(({ job }) => job).sort();
    expect(await jobsOf(hosting)).toEqual(["retry_webhooks"]);
    expect(await jobsOf(storage)).toEqual(["retry_webhooks", "sweep_storage"]);
  });
});
