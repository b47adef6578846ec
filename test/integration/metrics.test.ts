import { readFileSync } from "node:fs";
import { request } from "node:http";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Platform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";

let platform: Platform;
const bearers = { owner: "", staff: "" };

beforeAll(async () => {
  platform = await sharePlatform();
  bearers.owner = await signInAt(platform, "owner@example.com");
  bearers.staff = await signInAt(platform, "staff@example.com");
});
afterAll(() => platform?.close());

/** Reads metrics with node's HTTP client, because fetch rejects a GET with a body. */
function scrape(
  path: string,
  role: keyof typeof bearers,
  options: { accept?: string; body?: string; type?: string } = {},
): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { authorization: `Bearer ${bearers[role]}` };
    if (options.accept) headers.accept = options.accept;
    if (options.body) headers["content-length"] = String(Buffer.byteLength(options.body));
    if (options.type) headers["content-type"] = options.type;
    const call = request(`${platform.url}/identity/api/v1${path}`, { method: "GET", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers["content-type"] ?? "",
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    call.on("error", reject);
    call.end(options.body);
  });
}

/** Returns the number of company 1's email sign-ins in a metrics response. */
function readLogins(text: string): number {
  const family = parsePrometheusTextFormat(text).find(({ name }) => name === "platform_auth_successful_logins_total");
  const metrics = family?.metrics.filter(
    ({ labels }) => labels?.company_id === "1" && labels.provider === "magic_link",
  );
  expect(metrics).toHaveLength(1);
  return Number(metrics?.[0]?.value);
}

describe("metrics of identity", () => {
  it.each([
    ["/metrics", "owner"],
    ["/metrics/all", "staff"],
  ] as const)("have equal samples in both formats of %s, readable by an independent parser", async (path, role) => {
    const before = readLogins((await scrape(path, role)).text);
    await signInAt(platform, `metrics-${role}@example.com`);
    const text = await scrape(path, role);
    expect([text.status, text.type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const families = parsePrometheusTextFormat(text.text);
    const sums = ["successful_logins", "magic_links_requested", "magic_links_consumed"];
    const counters = [...sums, "scheduled_job_runs", "scheduled_job_items", "webhook_attempts"].map(
      (name) => `platform_auth_${name}_total`,
    );
    for (const family of families) {
      expect(family.type, family.name).toBe(counters.includes(family.name) ? "COUNTER" : "GAUGE");
      expect(family.help, family.name).toMatch(/\.$/);
      for (const metric of family.metrics) expect(metric.value, family.name).toMatch(/^\d+$/);
    }
    expect(readLogins(text.text)).toBe(before + 1);

    const openMetrics = await scrape(path, role, { accept: "application/openmetrics-text" });
    expect([openMetrics.status, openMetrics.type]).toEqual([
      200,
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    ]);
    expect(openMetrics.text.endsWith("\n# EOF\n")).toBe(true);
    const samples = (lines: string) => lines.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(samples(openMetrics.text)).toEqual(samples(text.text));
    expect(parsePrometheusTextFormat(openMetrics.text).flatMap((family) => family.metrics)).toHaveLength(
      samples(text.text).length,
    );
  });

  it.each([
    ['{"company_id": 1}', "application/json"],
    ['{"company_id": null}', undefined],
    ["company_id=1", "application/x-www-form-urlencoded"],
  ])("return an error for one company when the body has the key company_id: %s", async (body, type) => {
    const response = await scrape("/metrics", "owner", { body, ...(type ? { type } : {}) });
    expect([response.status, (JSON.parse(response.text) as { error_code: string }).error_code]).toEqual([
      400,
      "company_id_not_allowed",
    ]);
    expect((await scrape("/metrics/all", "staff", { body, ...(type ? { type } : {}) })).status).toBe(200);
  });

  it.each(['{"other": 1}', "{", "[1]"])(
    "are returned for one company when the request has the body %s",
    async (body) => {
      expect((await scrape("/metrics", "owner", { body, type: "application/json" })).status).toBe(200);
    },
  );
});

it("returns every metric that the dashboard and the alert rules use", async () => {
  for (const cron of ["* * * * *", "*/5 * * * *"]) await platform.runCron(cron);
  const paths = [
    "identity/api/v1/metrics/all",
    "email/api/v1/metrics",
    "hosting/v1/metrics/all",
    "storage/v1/metrics/all",
  ];
  const texts = paths.map(async (path) => {
    const response = await fetch(`${platform.url}/${path}`, { headers: { authorization: `Bearer ${bearers.staff}` } });
    expect(response.status, path).toBe(200);
    return response.text();
  });
  const scraped = (await Promise.all(texts)).join("\n");
  const names = new Set([...scraped.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const used = ["alert-rules.yml", "grafana-dashboard.json"].flatMap((file) => {
    const text = readFileSync(new URL(`../../docs/monitoring/${file}`, import.meta.url), "utf8");
    return [...text.matchAll(/platform_(?:\(auth\|email\|hosting\|storage\)_)?[a-z_]+/g)].map(([name]) => name);
  });
  const all = used.flatMap((name) =>
    name.includes("(") ? ["auth", "email", "hosting", "storage"].map((part) => name.replace(/\(.*\)/, part)) : [name],
  );
  expect(all.length).toBeGreaterThan(60);
  expect([...new Set(all)].filter((name) => !names.has(name))).toEqual([]);
});
