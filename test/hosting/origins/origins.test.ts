import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { and, eq } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { hosting_apps, hosting_origins } from "../../../db/hosting/schema";
import type { HostingRedirectInput, HostingRedirectResult } from "../../../schemas/rpc";
import { appOriginChange, sendDueOrigins, sendOrigins } from "../../../workers/hosting/origins/origin";
import { services } from "../../../workers/hosting/services";
import { clock } from "../../../workers/kit/clock";
import { createLog } from "../../../workers/kit/log";
import { startHosting } from "../../support/hosting/hosting";
import { storeApp } from "../../support/hosting/rows";
import { freshCompany } from "../../support/sibling/sibling";
import { deleteRows, readRows } from "../../support/webhooks/rows";

const MINUTE_MS = 60_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Starts hosting with an app of a fresh company. `setHostingRedirect` replaces the call of identity. */
async function setUp(setHostingRedirect?: (input: HostingRedirectInput) => Promise<HostingRedirectResult>) {
  const hosting = await startHosting({ vars: { HOSTING_APP_DOMAIN: "apps.example.com", HOSTING_APP_SCHEME: "https" } });
  const rpc = setHostingRedirect && { IDENTITY_RPC: { ...hosting.identity.bindings.IDENTITY_RPC, setHostingRedirect } };
  const bindings = { ...hosting.bindings, ...rpc };
  const ctx = createExecutionContext();
  const log = createLog({ service: "test" });
  const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work);
  const open = services(bindings, { requestId: crypto.randomUUID(), log, waitUntil });
  const company_id = freshCompany();
  const app = await storeApp({ company_id });
  const origin = `https://${app.slug}.apps.example.com`;

  return {
    ...hosting,
    company_id,
    app,
    origin,
    /** Stores the change of the app's origin, and sends it unless `isSent` is false. */
    async change({ isSent = true } = {}) {
      const { statement, keys } = appOriginChange(open, app);
      await open.platformDb.batch({ statement });
      if (isSent) sendOrigins(open, company_id, keys);
    },
    remove: () => deleteRows(hosting_apps, eq(hosting_apps.id, app.id)),
    settle: () => waitOnExecutionContext(ctx),
    sweep: () => sendDueOrigins(open),
    pending: () => readRows(hosting_origins, and(eq(hosting_origins.company_id, company_id))),
    listed: () => [...hosting.identity.originsOf(company_id)],
    changesSent: () => hosting.identity.redirectChanges.filter((sent) => sent.company_id === company_id),
  };
}

/** Moves the clock forward. */
const passTime = (ms: number) => vi.spyOn(clock, "now").mockImplementation(() => Date.now() + ms);

it("adds the origin of an app at once, and removes it when the app is deleted", async () => {
  const { app, change, company_id, listed, origin, pending, remove, settle } = await setUp();
  await change();
  await settle();
  expect([listed(), await pending()]).toEqual([[origin], []]);
  await remove();
  await change();
  await settle();
  expect([listed(), await pending()]).toEqual([[], []]);
  expect(app.company_id).toBe(company_id);
});

it("retries in the sweep while identity is away, with waits that double up to six hours", async () => {
  const { change, changesSent, identity, listed, origin, pending, settle, sweep } = await setUp();
  identity.setUnavailable(true);
  await change();
  await settle();
  const waits: number[] = [];
  let elapsed = 0;
  for (let attempt = 1; attempt <= 12; attempt++) {
    const [row] = await pending();
    expect(row).toMatchObject({ attempts: attempt, lease_until: 0 });
    const wait = (row?.due_at ?? 0) - Date.now() - elapsed;
    waits.push(Math.round(wait / 1000));
    elapsed += wait - 1000;
    passTime(elapsed);
    expect(await sweep()).toBe(0);
    elapsed += 2000;
    passTime(elapsed);
    await sweep();
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 21_600, 21_600]);
  expect(changesSent()).toEqual([]);
  identity.setUnavailable(false);
  passTime(elapsed + 7 * 60 * MINUTE_MS);
  await sweep();
  expect([listed(), await pending()]).toEqual([[origin], []]);
});

it("keeps a change that identity rejects, and sends it again when the allowlist has room", async () => {
  const { change, identity, listed, origin, pending, settle, sweep } = await setUp();
  identity.rejectRedirects("limit_reached");
  await change();
  await settle();
  expect([listed(), await pending()]).toMatchObject([[], [{ attempts: 1, is_wanted: true }]]);
  identity.rejectRedirects(null);
  passTime(MINUTE_MS);
  await sweep();
  expect([listed(), await pending()]).toEqual([[origin], []]);
});

it("sends the change in the sweep when the isolate ended after the batch", async () => {
  const { change, listed, origin, pending, sweep } = await setUp();
  await change({ isSent: false });
  await sweep();
  expect(listed()).toEqual([]);
  passTime(MINUTE_MS);
  await sweep();
  expect([listed(), await pending()]).toEqual([[origin], []]);
});

it("sends the change again when the isolate ended during the call", async () => {
  let isEnded = false;
  const { change, identity, listed, origin, pending, sweep } = await setUp(async (input) => {
    if (!isEnded) return new Promise(() => {});
    return identity.bindings.IDENTITY_RPC.setHostingRedirect(input);
  });
  await change();
  await vi.waitFor(async () => expect(await pending()).toMatchObject([{ attempts: 1 }]));
  isEnded = true;
  passTime(MINUTE_MS);
  await sweep();
  expect(listed()).toEqual([]);
  passTime(3 * MINUTE_MS);
  await sweep();
  expect([listed(), await pending()]).toEqual([[origin], []]);
});

it("ends with the removal when an app is deleted while its origin is added", async () => {
  let admit = () => {};
  const admitted = new Promise<void>((resolve) => {
    admit = resolve;
  });
  let calls = 0;
  const { change, identity, listed, pending, remove, settle } = await setUp(async (input) => {
    calls += 1;
    if (calls === 1) await admitted;
    return identity.bindings.IDENTITY_RPC.setHostingRedirect(input);
  });
  await change();
  await vi.waitFor(() => expect(calls).toBe(1));
  await remove();
  await change();
  // The second change waits for the end of the first call, so that the calls cannot arrive in the wrong order.
  await vi.waitFor(async () => expect(await pending()).toMatchObject([{ is_wanted: false, attempts: 0 }]));
  expect(calls).toBe(1);
  admit();
  await settle();
  expect([calls, listed(), await pending()]).toEqual([2, [], []]);
});

it("ends without the origin when changes run in parallel with the deletion of the app", async () => {
  const { change, listed, origin, remove, settle } = await setUp();
  await Promise.all([change(), change(), remove(), change()]);
  await change();
  await settle();
  expect(listed()).not.toContain(origin);
});
