import type { DomainListResponse } from "cloudflare/resources/workers/domains";
import type { Worker } from "../../support/services.ts";
import { hasCode } from "../cloudflare/client.ts";
import { customDomains } from "../record.ts";
import { type Run, type Step, StepError } from "../run.ts";

/** Cloudflare's codes for a DNS record and a route that exist already. */
const taken = { record: 81058, route: 10020 };

/** The address of a record that only exists so that Cloudflare's proxy answers for the name (RFC 6666). */
const DISCARD_ADDRESS = "100::";

async function addDomain({ api, record, existing }: Run, hostname: string, service: string): Promise<void> {
  const current = existing.domains.find((domain) => domain.hostname === hostname);
  if (current?.service === service) return;
  if (current !== undefined) {
    throw new StepError(
      `${hostname} is a custom domain of the Worker ${current.service}. Remove it there, or choose another host.`,
    );
  }
  const json = { hostname, service, zone_id: record.zone.id, environment: "production" };
  const path = `/accounts/${record.account}/workers/domains`;
  existing.domains.push(await api.call<DomainListResponse>("PUT", path, { json }));
}

/** Attaches the custom domains of the Workers that `isWanted` selects, if they are not attached. */
export async function attachDomains(run: Run, isWanted: (worker: Worker) => boolean): Promise<void> {
  for (const [worker, host] of customDomains(run.record)) {
    if (isWanted(worker)) await addDomain(run, host, run.configs[worker].name);
  }
}

async function addAppRoute({ api, record, existing, configs }: Run, apps: string): Promise<void> {
  const zone = `/zones/${record.zone.id}`;
  if (existing.dns.length === 0) {
    const json = { type: "AAAA", name: `*.${apps}`, content: DISCARD_ADDRESS, proxied: true, ttl: 1 };
    try {
      await api.call("POST", `${zone}/dns_records`, { json });
    } catch (error) {
      if (!hasCode(error, taken.record)) throw error;
    }
  }
  const [pattern, script] = [`*.${apps}/*`, configs.edge.name];
  const current = existing.routes.find((route) => route.pattern === pattern);
  if (current?.script === script) return;
  if (current !== undefined)
    throw new StepError(`${pattern} is a route of the Worker ${current.script}. Remove it first.`);
  try {
    await api.call("POST", `${zone}/workers/routes`, { json: { pattern, script } });
  } catch (error) {
    if (!hasCode(error, taken.route)) throw error;
  }
}

/** Attaches the custom domains, and the route and DNS record of the apps. */
export const attachAddresses: Step = {
  title: "addresses",
  run: async (run) => {
    await attachDomains(run, () => true);
    if (run.record.apps !== null) await addAppRoute(run, run.record.apps);
  },
};
