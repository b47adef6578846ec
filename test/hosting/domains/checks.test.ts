import { and, eq } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { audit_log } from "../../../db/kit/audit";
import { event_log } from "../../../db/kit/webhooks";
import { freshHostname, passTime, startDomains } from "../../support/hosting/domains";
import { readRows } from "../../support/webhooks/rows";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const eventsOf = (companyId: number) =>
  readRows(event_log, and(eq(event_log.company_id, companyId), eq(event_log.event_type, "hosting.domain.verified")));

const actionsOf = async (companyId: number) =>
  (await readRows(audit_log, eq(audit_log.company_id, companyId)))
    .map(({ action }) => action)
    .filter((action) => action.startsWith("domain."));

it("verifies a domain once its TXT record has the value, with an event, an audit entry and its origin", async () => {
  const { add, app, check, cloudflare, companyId, origins, publish } = await startDomains();
  const hostname = freshHostname();
  const domain = await add(hostname);
  cloudflare.setRecord(`_platform-hosting.${hostname}`, "platform-hosting=other");
  expect(await check(domain.id)).toMatchObject({ state: "pending", error: "no_record" });
  expect(origins()).not.toContain(`https://${hostname}`);
  publish(hostname, domain);
  const verified = await check(domain.id);
  expect(verified).toMatchObject({ state: "verified", error: null, urls: { url: `https://${hostname}` } });
  expect(await check(domain.id)).toMatchObject({ state: "verified", verified_at: verified.verified_at });
  expect(origins()).toContain(`https://${hostname}`);
  const [event, ...more] = await eventsOf(companyId);
  expect(more).toEqual([]);
  expect(JSON.parse(event?.data ?? "")).toEqual({
    app_id: app.id,
    company_id: companyId,
    display_name: app.display_name,
    domain_id: domain.id,
    hostname,
    name: app.name,
    slug: app.slug,
    url: `https://${hostname}`,
  });
  expect(await actionsOf(companyId)).toEqual(["domain.created", "domain.verified"]);
});

it("is verified once by parallel checks", async () => {
  const { add, check, companyId, publish } = await startDomains();
  const hostname = freshHostname();
  const domain = await add(hostname);
  publish(hostname, domain);
  await Promise.all(Array.from({ length: 6 }, () => check(domain.id)));
  expect(await eventsOf(companyId)).toHaveLength(1);
  expect(await actionsOf(companyId)).toEqual(["domain.created", "domain.verified"]);
});

it("is found by the sweep, which checks a new domain less often as time passes, for a week", async () => {
  const { add, publish, read, rowOf, sweep } = await startDomains();
  const domain = await add(freshHostname());
  const hostname = freshHostname();
  const found = await add(hostname);
  const waits: number[] = [];
  let elapsed = 0;
  for (let checks = 0; checks < 400; checks++) {
    const row = await rowOf(domain.id);
    if (row?.next_check_at == null) break;
    const next = row.next_check_at - Date.now();
    waits.push(next - elapsed);
    elapsed = next + 1000;
    passTime(elapsed);
    if (checks === 3) publish(hostname, found);
    await sweep();
  }
  expect(await read(found.id)).toMatchObject({ state: "verified" });
  expect(await read(domain.id)).toMatchObject({ state: "failed", error: "no_record", next_check_at: null });
  expect(elapsed / DAY_MS).toBeGreaterThan(6.9);
  expect(elapsed / DAY_MS).toBeLessThan(7.1);
  expect(Math.round((waits[0] ?? 0) / MINUTE_MS)).toBe(1);
  expect(Math.max(...waits)).toBeLessThanOrEqual(HOUR_MS + 5000);
  expect(waits.length).toBeLessThan(230);
}, 60_000);

it("verifies a failed domain on request", async () => {
  const { add, check, publish, sweep } = await startDomains();
  const hostname = freshHostname();
  const domain = await add(hostname);
  passTime(8 * DAY_MS);
  await sweep();
  expect(await check(domain.id)).toMatchObject({ state: "failed", error: "no_record", next_check_at: null });
  publish(hostname, domain);
  expect(await check(domain.id)).toMatchObject({ state: "verified", error: null });
});

it("keeps serving a domain for three days without its record", async () => {
  const { origins, publish, read, sweep, verify } = await startDomains();
  const hostname = freshHostname();
  const domain = await verify(hostname);
  expect(domain.state).toBe("verified");
  publish(hostname);
  passTime(25 * HOUR_MS);
  await sweep();
  expect(await read(domain.id)).toMatchObject({ state: "verified", error: "no_record" });
  passTime(27 * HOUR_MS);
  publish(hostname, domain);
  await sweep();
  expect(await read(domain.id)).toMatchObject({ state: "verified", error: null });
  publish(hostname);
  passTime(60 * HOUR_MS);
  await sweep();
  passTime(60 * HOUR_MS + 2 * DAY_MS);
  await sweep();
  expect(await read(domain.id)).toMatchObject({ state: "verified", error: "no_record" });
  expect(origins()).toContain(`https://${hostname}`);
  passTime(60 * HOUR_MS + 3 * DAY_MS + HOUR_MS);
  await sweep();
  expect(await read(domain.id)).toMatchObject({ state: "failed", error: "no_record", next_check_at: null });
  expect(origins()).not.toContain(`https://${hostname}`);
});

it("changes no state while the resolver does not respond", async () => {
  const { add, check, cloudflare, read, sweep, verify } = await startDomains();
  const pending = await add(freshHostname());
  const verified = await verify(freshHostname());
  cloudflare.setResolverAway(true);
  passTime(30 * DAY_MS);
  await sweep();
  expect(await read(pending.id)).toMatchObject({ state: "pending", error: "no_answer" });
  expect(await read(verified.id)).toMatchObject({ state: "verified", error: "no_answer" });
  expect((await check(verified.id)).error).toBe("no_answer");
});

it("verifies one of two companies that add the same host name: the one whose value the DNS has", async () => {
  const first = await startDomains();
  const second = await startDomains();
  const hostname = freshHostname();
  const squatted = await first.add(hostname);
  const owned = await second.add(hostname);
  second.publish(hostname, owned);
  expect(await first.check(squatted.id)).toMatchObject({ state: "pending", error: "no_record" });
  expect(await second.check(owned.id)).toMatchObject({ state: "verified" });
  second.publish(hostname, squatted, owned);
  expect(await first.check(squatted.id)).toMatchObject({ state: "failed", error: "hostname_taken" });
  expect(await second.check(owned.id)).toMatchObject({ state: "verified" });
  expect(await eventsOf(first.companyId)).toEqual([]);
});

it("moves a host name to the company whose value replaced the earlier one", async () => {
  const first = await startDomains();
  const second = await startDomains();
  vi.stubGlobal("fetch", first.cloudflare.fetch);
  const hostname = freshHostname();
  const old = await first.verify(hostname);
  const next = await second.add(hostname);
  first.publish(hostname, next);
  expect(await second.check(next.id)).toMatchObject({ state: "verified" });
  expect(await first.read(old.id)).toMatchObject({ state: "failed", error: "no_record", next_check_at: null });
  expect(await actionsOf(first.companyId)).toEqual(["domain.created", "domain.verified", "domain.failed"]);
  expect(second.origins()).toContain(`https://${hostname}`);
  expect(second.hosting.identity.redirectChanges).toContainEqual(
    expect.objectContaining({ company_id: first.companyId, base_url: `https://${hostname}`, is_wanted: false }),
  );
});

it("verifies at most one domain when the checks of two companies run in parallel", async () => {
  const first = await startDomains();
  const second = await startDomains();
  vi.stubGlobal("fetch", first.cloudflare.fetch);
  const hostname = freshHostname();
  const domains = [await first.add(hostname), await second.add(hostname)] as const;
  first.publish(hostname, ...domains);
  const states = await Promise.all([first.check(domains[0].id), second.check(domains[1].id)]);
  expect(states.map(({ state }) => state).sort()).toEqual(["failed", "verified"]);
});

it("removes the origin of a deleted domain, and of the domains of a deleted app", async () => {
  const { app, call, origins, path, remove, rowOf, sweep, verify } = await startDomains();
  const [one, two] = [freshHostname(), freshHostname()];
  const domain = await verify(one);
  await verify(two);
  expect(origins()).toEqual(expect.arrayContaining([`https://${one}`, `https://${two}`]));
  expect((await remove(domain.id)).status).toBe(204);
  expect((await remove(domain.id)).status).toBe(404);
  expect(await rowOf(domain.id)).toBeUndefined();
  expect(origins()).not.toContain(`https://${one}`);
  expect((await call(`apps/${app.id}`, { method: "DELETE" })).status).toBe(204);
  passTime(MINUTE_MS);
  await sweep();
  expect(origins()).toEqual([]);
  expect((await call(path)).status).toBe(404);
});
