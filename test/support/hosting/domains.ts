import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { vi } from "vitest";
import { hosting_domains } from "../../../db/hosting/schema";
import type { PublicDomain } from "../../../schemas/hosting/domain";
import { checkDueDomains } from "../../../workers/hosting/domains/check";
import { sendDueHostnames } from "../../../workers/hosting/domains/registration";
import { sendDueOrigins } from "../../../workers/hosting/origins/origin";
import { services } from "../../../workers/hosting/services";
import { clock } from "../../../workers/kit/clock";
import { createLog } from "../../../workers/kit/log";
import { readRows } from "../webhooks/rows";
import { openApps, startApps } from "./apps";
import { createCloudflareDouble } from "./cloudflare-double";

/** Returns a host name that no other test uses. */
export const freshHostname = () => `app.${crypto.randomUUID()}.example`;

/**
 * Starts hosting with a company and an app. The resolver and Cloudflare are doubles; Cloudflare is used with `hasProvider`.
 */
export async function startDomains({ hasProvider = false, companyId = null as number | null, vars = {} } = {}) {
  const cloudflare = createCloudflareDouble();
  vi.stubGlobal("fetch", cloudflare.fetch);
  const { ACTIONS_DNS_RESOLVER_URL, ...provider } = cloudflare.vars;
  const settings = {
    ACTIONS_DNS_RESOLVER_URL,
    HOSTING_APP_DOMAIN: "apps.example.com",
    HOSTING_APP_SCHEME: "https",
    ...(hasProvider ? provider : {}),
    ...vars,
  };
  const apps = companyId === null ? await startApps(settings) : await openApps(companyId, settings);
  const app = await apps.createApp({ name: `domains-${crypto.randomUUID().slice(0, 8)}` });
  // Tests move the clock by weeks.
  const exp = Math.floor(Date.now() / 1000) + 100 * 86_400;
  const bearer = await apps.hosting.token({ companyId: apps.companyId, userId: apps.memberId }, { exp });
  const path = `apps/${app.id}/domains`;

  const add = (hostname: string) => apps.send<PublicDomain>(path, { hostname }, 201);
  const read = async (id: string) => (await apps.call(`${path}/${id}`, { bearer })).json<PublicDomain>();
  const check = (id: string) => apps.send<PublicDomain>(`${path}/${id}/check`, {}, 200, { bearer });
  const remove = (id: string) => apps.call(`${path}/${id}`, { method: "DELETE" });

  /** Publishes the TXT record of domains with one host name; no domain removes it. */
  const publish = (hostname: string, ...domains: PublicDomain[]) =>
    cloudflare.setRecord(
      `_platform-hosting.${hostname}`,
      ...domains.map(({ records }) => records.find(({ type }) => type === "TXT")?.value ?? ""),
    );

  /** Adds a domain with its record, and checks it. */
  async function verify(hostname: string): Promise<PublicDomain> {
    const domain = await add(hostname);
    publish(hostname, domain);
    return check(domain.id);
  }

  /** Runs what the minute sweep does about domains. */
  async function sweep(): Promise<void> {
    const ctx = createExecutionContext();
    const log = createLog({ service: "test" });
    const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work);
    const open = services(apps.hosting.bindings, { requestId: crypto.randomUUID(), log, waitUntil });
    await checkDueDomains(open);
    await sendDueOrigins(open);
    await sendDueHostnames(open);
    await waitOnExecutionContext(ctx);
  }

  return {
    ...apps,
    app,
    path,
    cloudflare,
    add,
    read,
    check,
    remove,
    publish,
    verify,
    sweep,
    rowOf: async (id: string) => (await readRows(hosting_domains, eq(hosting_domains.id, id)))[0],
    origins: () => [...apps.hosting.identity.originsOf(apps.companyId)],
  };
}

/** Moves the clock to `ms` after the present. */
export const passTime = (ms: number) => vi.spyOn(clock, "now").mockImplementation(() => Date.now() + ms);
