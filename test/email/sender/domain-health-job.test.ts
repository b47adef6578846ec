import { desc, eq, gt } from "drizzle-orm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { company_providers, scheduled_job_runs } from "../../../db/email/schema";
import type { DomainHealth } from "../../../schemas/email/delivery/provider";
import worker from "../../../workers/email/worker";
import { clock } from "../../../workers/kit/clock";
import { DAY_MS, HOUR_MS, iso } from "../../../workers/kit/time";
import { apiProvider, PROVIDER_PATH, startProvider } from "../../support/email/company-provider";
import { storeProvider } from "../../support/email/delivery";
import { createCompany } from "../../support/email/email";
import { readRows, updateRows } from "../../support/email/rows";
import { isolatedLocks, tick } from "../../support/jobs/jobs";

const systemNow = clock.now;
/** Marks the providers of other tests as just checked. */
const checkedProvider = { checked_at: Number.MAX_SAFE_INTEGER, domain: "rested.example", checks: [] };
beforeEach(() =>
  updateRows(company_providers, { domain_health: checkedProvider }, gt(company_providers.company_id, 0)),
);
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

/**
 * Simulates DNS with an SPF record for every domain. `queried` lists the domains of the queries; `isDown` decides for
 * which domains queries fail.
 */
function startResolver() {
  const resolver = {
    record: "v=spf1 -all",
    queried: [] as string[],
    queryCount: 0,
    isDown: (_domain: string) => false,
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { searchParams } = new URL(String(input));
    const [domain, type] = [searchParams.get("name") ?? "", searchParams.get("type")];
    resolver.queryCount += 1;
    if (type === "MX") resolver.queried.push(domain);
    if (resolver.isDown(domain)) return new Response("unavailable", { status: 502 });
    return Response.json(
      type === "TXT" && !domain.includes("_")
        ? { Status: 0, Answer: [{ type: 16, data: `"${resolver.record}"`, TTL: 60 }] }
        : { Status: 3 },
    );
  });
  return resolver;
}

/** Creates a company that has saved its provider. Returns it with a function that runs the hourly purge. */
async function startSaved() {
  const provider = await startProvider({ BROKER: await isolatedLocks() } as never);
  const { email, put, companyId } = provider;
  await put(apiProvider);
  const purge = async () => {
    await tick(worker, email.bindings, "17 * * * *");
    const isPurge = eq(scheduled_job_runs.job, "purge_expired_data");
    return (await readRows(scheduled_job_runs, isPurge, desc(scheduled_job_runs.id)))[0];
  };
  const show = async () => {
    const bearer = await email.token({ companyId, isOwner: true }, { exp: Math.floor(clock.now() / 1000) + 300 });
    return (await (await email.call(`${PROVIDER_PATH}/domain-health`, { bearer })).json()) as DomainHealth;
  };
  return { ...provider, purge, show };
}

const spfOf = ({ checks }: DomainHealth) => checks.find(({ name }) => name === "spf")?.status;

const pass = (ms: number) => {
  const now = clock.now() + ms;
  clock.now = () => now;
};

/** Stores a company whose domain was checked `ageMs` ago, or never for null. */
async function storeChecked(domain: string, ageMs: number | null): Promise<void> {
  const companyId = createCompany();
  await storeProvider(companyId, { kind: "api", apiKey: "key" } as never, { from_email: `hello@${domain}` });
  const health = ageMs === null ? null : { checked_at: clock.now() - ageMs, domain, checks: [] };
  await updateRows(company_providers, { domain_health: health }, eq(company_providers.company_id, companyId));
}

it("checks a domain again in the purge when its result is older than a day, and does not count it as purged", async () => {
  const resolver = startResolver();
  const { purge, show } = await startSaved();
  const saved = await show();
  expect(spfOf(saved)).toBe("pass");
  resolver.record = "v=spf1 +all";
  const before = resolver.queryCount;
  pass(DAY_MS - HOUR_MS);
  const idle = await purge();
  expect(resolver.queryCount).toBe(before);
  pass(HOUR_MS + 1);
  const run = await purge();
  expect(run).toMatchObject({ status: "succeeded", counts: { complete: true } });
  expect(Object.keys(run?.counts ?? {})).toEqual(Object.keys(idle?.counts ?? {}));
  const queryCount = resolver.queryCount;
  expect(queryCount).toBeGreaterThan(before);
  const updated = await show();
  expect([spfOf(updated), updated.checked_at]).toEqual(["fail", iso(clock.now())]);
  expect(resolver.queryCount).toBe(queryCount);
});

it("keeps the result while DNS is unavailable and checks again in the next purge", async () => {
  const resolver = startResolver();
  const { purge, show, row } = await startSaved();
  const saved = (await row())?.domain_health;
  pass(DAY_MS + 1);
  resolver.isDown = () => true;
  expect(await purge()).toMatchObject({ status: "succeeded", counts: { complete: true } });
  expect((await row())?.domain_health).toMatchObject({ ...saved });
  resolver.isDown = () => false;
  pass(HOUR_MS);
  await purge();
  const queryCount = resolver.queryCount;
  expect([(await show()).checked_at, resolver.queryCount]).toEqual([iso(clock.now()), queryCount]);
});

it("checks a domain in the purge when DNS was unavailable while the provider was saved", async () => {
  const resolver = startResolver();
  resolver.isDown = () => true;
  const { purge, show, row } = await startSaved();
  expect((await row())?.domain_health).toBeNull();
  await purge();
  expect((await show()).checks.find(({ name }) => name === "spf")).toMatchObject({ detail_code: "no_answer" });
  resolver.isDown = () => false;
  await purge();
  const queryCount = resolver.queryCount;
  expect([spfOf(await show()), resolver.queryCount]).toEqual(["pass", queryCount]);
});

it("checks the 50 oldest domains in one run and the others in the next", async () => {
  const resolver = startResolver();
  const { purge } = await startSaved();
  const names = Array.from({ length: 52 }, (_, index) => `d${index}.example`);
  await Promise.all(names.map((name, index) => storeChecked(name, 2 * DAY_MS + index * HOUR_MS)));
  resolver.queried = [];
  await purge();
  expect(resolver.queried).toEqual(names.slice(2).reverse());
  resolver.queried = [];
  await purge();
  expect(resolver.queried).toEqual(["d1.example", "d0.example"]);
});

it("moves domains without a DNS response behind the others, and stops after three of them in a row", async () => {
  const resolver = startResolver();
  const { purge } = await startSaved();
  resolver.isDown = (domain) => domain.endsWith("lost.example");
  for (const index of [0, 1, 2, 3])
    await storeChecked(`${index}.lost.example`, index === 0 ? null : 5 * DAY_MS - index);
  await storeChecked("sound.example", 2 * DAY_MS);
  const checkedDomains = async () => {
    resolver.queried = [];
    pass(HOUR_MS);
    await purge();
    return resolver.queried;
  };
  expect(await checkedDomains()).toEqual(["0.lost.example", "1.lost.example", "2.lost.example"]);
  expect(await checkedDomains()).toEqual([
    "3.lost.example",
    "sound.example",
    "0.lost.example",
    "1.lost.example",
    "2.lost.example",
  ]);
});
