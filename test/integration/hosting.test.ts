import { createServer } from "node:http";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Platform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";

let platform: Platform;
let bearers: { owner: string; staff: string };

beforeAll(async () => {
  platform = await sharePlatform();
  bearers = {
    owner: await signInAt(platform, "owner@example.com"),
    staff: await signInAt(platform, "staff@example.com"),
  };
});
afterAll(() => platform?.close());

/** Calls hosting by its path prefix. */
function call(role: keyof typeof bearers, path: string, init: { accept?: string; body?: unknown } = {}) {
  return fetch(`${platform.url}/hosting${path}`, {
    method: init.body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${bearers[role]}`,
      ...(init.accept ? { accept: init.accept } : {}),
      ...(init.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
}

it("returns the cron runs of hosting to staff users of identity, and rejects owners", async () => {
  await platform.runCron();
  await platform.runCron("17 * * * *");
  const response = await call("staff", "/api/v1/scheduled-jobs");
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    scheduler_enabled: true,
    broker_reachable: true,
    beat_stale: false,
    scheduler_state: "running",
    jobs: [
      { job: "retry_webhooks", health: "healthy", last_run: { trigger: "scheduler", status: "succeeded" } },
      { job: "purge_expired_data", health: "healthy", last_counts: { complete: true } },
    ],
  });
  expect((await call("owner", "/api/v1/scheduled-jobs")).status).toBe(403);
});

/** Gauges that the specification names as if they were counters: the apps and deployments of a company can be deleted. */
const namedLikeCounters = new Set(["platform_hosting_apps_total", "platform_hosting_deployments_total"]);

it.each([
  ["/v1/metrics", "owner"],
  ["/v1/metrics/all", "staff"],
] as const)(
  "returns %s as Prometheus text that an independent parser reads, and as OpenMetrics with the same number of samples",
  async (path, role) => {
    // The edge forwards paths that begin with the service's name unchanged.
    const text = await call(role, path);
    expect([text.status, text.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const body = await text.text();
    const families = parsePrometheusTextFormat(body);
    expect(families.length).toBeGreaterThan(3);
    for (const family of families) {
      expect(family.name).toMatch(/^platform_hosting_/);
      const isCounter = family.name.endsWith("_total") && !namedLikeCounters.has(family.name);
      expect(family.type, family.name).toBe(isCounter ? "COUNTER" : "GAUGE");
      expect(family.help, family.name).toMatch(/\.$/);
    }
    const openMetrics = await call(role, path, { accept: "application/openmetrics-text" });
    const openMetricsText = await openMetrics.text();
    expect(openMetricsText.endsWith("\n# EOF\n")).toBe(true);
    const samples = (lines: string) => lines.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(samples(openMetricsText)).toHaveLength(samples(body).length);
  },
);

it("sends a webhook test that an independent verifier accepts", async () => {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      received.push({ headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  afterAll(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/x`;
  const rule = { name: "Deploy bot", event_type: "hosting.action_rule.failing", url };
  const created = await call("owner", "/api/v1/actions/rules", { body: rule });
  expect(created.status).toBe(201);
  const { id, secret } = (await created.json()) as { id: number; secret: string };
  const tested = await call("owner", `/api/v1/actions/rules/${id}/send-test`, { body: {} });
  expect([tested.status, await tested.json()]).toMatchObject([200, { ok: true, http_status: 204 }]);
  const [{ headers, body } = { headers: {}, body: "" }] = received;
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({
    type: "hosting.action_rule.failing",
    company: { id: 1 },
  });
});
