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
import { ownLocks, tick } from "../../support/jobs/jobs";

const systemNow = clock.now;
/** What other tests have left: a run has nothing to do there. */
const rested = { checked_at: Number.MAX_SAFE_INTEGER, domain: "rested.example", checks: [] };
beforeEach(() => updateRows(company_providers, { domain_health: rested }, gt(company_providers.company_id, 0)));
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

/** DNS with an SPF record for every domain. `asked` are the domains whose record was asked for; `away` get no answer. */
function startResolver() {
  const resolver = { record: "v=spf1 -all", asked: [] as string[], questions: 0, away: (_domain: string) => false };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { searchParams } = new URL(String(input));
    const [domain, type] = [searchParams.get("name") ?? "", searchParams.get("type")];
    resolver.questions += 1;
    if (type === "MX") resolver.asked.push(domain);
    if (resolver.away(domain)) return new Response("away", { status: 502 });
    return Response.json(
      type === "TXT" && !domain.includes("_")
        ? { Status: 0, Answer: [{ type: 16, data: `"${resolver.record}"`, TTL: 60 }] }
        : { Status: 3 },
    );
  });
  return resolver;
}

/** A company that has saved its provider, and the hourly purge of the service. */
async function startSaved() {
  const provider = await startProvider({ BROKER: await ownLocks() } as never);
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

/** A company whose domain was looked at `ageMs` ago; null: never. */
async function storeLookedAt(domain: string, ageMs: number | null): Promise<void> {
  const companyId = createCompany();
  await storeProvider(companyId, { kind: "api", apiKey: "key" } as never, { from_email: `hello@${domain}` });
  const health = ageMs === null ? null : { checked_at: clock.now() - ageMs, domain, checks: [] };
  await updateRows(company_providers, { domain_health: health }, eq(company_providers.company_id, companyId));
}

it("the purge looks at a domain again when the result is older than a day, not before, and counts none", async () => {
  const resolver = startResolver();
  const { purge, show } = await startSaved();
  const saved = await show();
  expect(spfOf(saved)).toBe("pass");
  resolver.record = "v=spf1 +all";
  const before = resolver.questions;
  pass(DAY_MS - HOUR_MS);
  const idle = await purge();
  expect(resolver.questions).toBe(before);
  pass(HOUR_MS + 1);
  const run = await purge();
  expect(run).toMatchObject({ status: "succeeded", counts: { complete: true } });
  expect(Object.keys(run?.counts ?? {})).toEqual(Object.keys(idle?.counts ?? {}));
  const asked = resolver.questions;
  expect(asked).toBeGreaterThan(before);
  const looked = await show();
  expect([spfOf(looked), looked.checked_at]).toEqual(["fail", iso(clock.now())]);
  expect(resolver.questions).toBe(asked);
});

it("while DNS does not answer the purge succeeds, the result stays, and the next run asks again", async () => {
  const resolver = startResolver();
  const { purge, show, row } = await startSaved();
  const saved = (await row())?.domain_health;
  pass(DAY_MS + 1);
  resolver.away = () => true;
  expect(await purge()).toMatchObject({ status: "succeeded", counts: { complete: true } });
  expect((await row())?.domain_health).toMatchObject({ ...saved });
  resolver.away = () => false;
  pass(HOUR_MS);
  await purge();
  const asked = resolver.questions;
  expect([(await show()).checked_at, resolver.questions]).toEqual([iso(clock.now()), asked]);
});

it("looks at a domain of which DNS said nothing when the provider was saved", async () => {
  const resolver = startResolver();
  resolver.away = () => true;
  const { purge, show, row } = await startSaved();
  expect((await row())?.domain_health).toBeNull();
  await purge();
  expect((await show()).checks.find(({ name }) => name === "spf")).toMatchObject({ detail_code: "no_answer" });
  resolver.away = () => false;
  await purge();
  const asked = resolver.questions;
  expect([spfOf(await show()), resolver.questions]).toEqual(["pass", asked]);
});

it("a run looks at 50 domains, the oldest first, and the next one goes on", async () => {
  const resolver = startResolver();
  const { purge } = await startSaved();
  const names = Array.from({ length: 52 }, (_, index) => `d${index}.example`);
  for (const [index, name] of names.entries()) await storeLookedAt(name, 2 * DAY_MS + index * HOUR_MS);
  resolver.asked = [];
  await purge();
  expect(resolver.asked).toEqual(names.slice(2).reverse());
  resolver.asked = [];
  await purge();
  expect(resolver.asked).toEqual(["d1.example", "d0.example"]);
});

it("domains that never get an answer have their turn behind the others, and three in a row end the looking", async () => {
  const resolver = startResolver();
  const { purge } = await startSaved();
  resolver.away = (domain) => domain.endsWith("lost.example");
  for (const index of [0, 1, 2, 3])
    await storeLookedAt(`${index}.lost.example`, index === 0 ? null : 5 * DAY_MS - index);
  await storeLookedAt("sound.example", 2 * DAY_MS);
  const looks = async () => {
    resolver.asked = [];
    pass(HOUR_MS);
    await purge();
    return resolver.asked;
  };
  expect(await looks()).toEqual(["0.lost.example", "1.lost.example", "2.lost.example"]);
  expect(await looks()).toEqual([
    "3.lost.example",
    "sound.example",
    "0.lost.example",
    "1.lost.example",
    "2.lost.example",
  ]);
});
