import type { DomainRow } from "../../../db/hosting/schema";
import { type AuditEntry, changeEntry } from "../../kit/audit/audit";
import { type Bound, followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { errorName } from "../../kit/log";
import { findRecords } from "../../kit/net/dns";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../kit/time";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { type Actor, eventActor } from "../../kit/webhooks/events/event-actor";
import { appEventFields } from "../apps/app";
import { forgetLookups } from "../live/lookup";
import { hasProvider, hostChange, hostOrigin } from "../origins/host";
import { type OriginKey, sendOrigins } from "../origins/origin";
import type { HostingServices } from "../services";
import {
  addDomainEvent,
  claimDomains,
  failDomain,
  failOtherDomain,
  findAppOfDomain,
  findDomainById,
  findDueDomains,
  findVerified,
  refuseDomain,
  storeCheck,
  verifyDomain,
} from "./check.store";
import { proofValue } from "./domain.present";
import { PROOF_LABEL } from "./hostname";
import { sendHostname } from "./registration";

/** How long a new domain is checked until it fails, and a verified one is served without its record. */
const PENDING_MS = 7 * DAY_MS;
const GRACE_MS = 3 * DAY_MS;

/** The time until the next check of a proven domain, and after the resolver did not respond. */
const PROVEN_WAIT_MS = DAY_MS;
const NO_ANSWER_WAIT_MS = 5 * MINUTE_MS;

/** A run of the sweep postpones the checks that it makes by this time. If it is killed, they are made then. */
const CLAIM_MS = 5 * MINUTE_MS;

/** Maximum number of domains that one minute sweep checks, and of simultaneous checks. */
const MAX_DOMAINS = 60;
const PARALLEL_CHECKS = 4;

/** The author of what the sweep changes. */
const PLATFORM: Actor = { kind: "service", userId: null, email: null };

/** Checks the TXT record of a domain, stores the result and returns the domain, or null when it was deleted meanwhile. */
export async function checkDomain(
  services: HostingServices,
  domain: DomainRow,
  actor: Actor = PLATFORM,
): Promise<DomainRow | null> {
  const values = await readProofs(services, domain.hostname);
  if (values === null) return storeUnanswered(services, domain);
  if (!values.includes(proofValue(domain.token))) return storeUnproven(services, domain, actor);
  return domain.state === "verified" ? storeProven(services, domain) : verify(services, domain, values, actor);
}

/** Checks the domains that are due. Returns their number. */
export async function checkDueDomains(services: HostingServices): Promise<number> {
  const { platformDb, clock } = services;
  const now = clock.now();
  const due = await platformDb.all(findDueDomains({ now, limit: MAX_DOMAINS }));
  if (due.length === 0) return 0;
  const ids = due.map(({ id }) => id);
  const claimed = await platformDb.all(claimDomains({ ids, now, until: now + CLAIM_MS }));
  for (let start = 0; start < claimed.length; start += PARALLEL_CHECKS) {
    await Promise.all(claimed.slice(start, start + PARALLEL_CHECKS).map((domain) => checkDomain(services, domain)));
  }
  return claimed.length;
}

/** Returns the values of the TXT records that may prove a host name, or null when the resolver did not respond. */
async function readProofs({ settings, fetch, log }: HostingServices, hostname: string): Promise<string[] | null> {
  try {
    const name = `${PROOF_LABEL}.${hostname}`;
    const values = await findRecords(name, "TXT", settings.webhooks.dnsResolverUrl, fetch);
    return values.map((value) => value.trim());
  } catch (error) {
    log.warn("the DNS resolver did not respond", { error: errorName(error) });
    return null;
  }
}

function storeUnanswered(services: HostingServices, domain: DomainRow): Promise<DomainRow | null> {
  const now = services.clock.now();
  return store(services, domain, {
    error: "no_answer",
    nextCheckAt: domain.state === "failed" ? null : now + NO_ANSWER_WAIT_MS,
    unprovenSince: domain.unproven_since,
  });
}

/** Stores a check without proof. A new domain fails after a week, a verified one after three days. */
async function storeUnproven(services: HostingServices, domain: DomainRow, actor: Actor): Promise<DomainRow | null> {
  const { state } = domain;
  const now = services.clock.now();
  const error = "no_record";
  if (state === "failed") {
    return store(services, domain, { error, nextCheckAt: null, unprovenSince: domain.unproven_since });
  }
  const unprovenSince = domain.unproven_since ?? now;
  const ageMs = now - unprovenSince;
  if (ageMs < (state === "verified" ? GRACE_MS : PENDING_MS)) {
    // The wait grows with the age, because a record that is published late is rarely published in the next minute.
    const waitMs = Math.min(HOUR_MS, Math.max(MINUTE_MS, ageMs / 4));
    return store(services, domain, { error, nextCheckAt: Math.round(now + waitMs), unprovenSince });
  }
  const failed = followedBy(
    failDomain({ id: domain.id, state, error, now }),
    changeEntry(auditedDomain(domain, actor, "failed", now)),
  );
  if (state === "pending") {
    const { found } = await services
      .dbOf(domain.company_id)
      .batch({ failed, found: findDomainById({ id: domain.id }) });
    return found.first;
  }
  const { statements, key } = hostChange(services, { ...domain, display_name: "" });
  const { found } = await services
    .dbOf(domain.company_id)
    .batch({ failed, statements, found: findDomainById({ id: domain.id }) });
  sendHostChanges(services, domain, [key]);
  return found.first;
}

/** Stores that a verified domain is still proven. A provider that was configured later gets its host name. */
async function storeProven(services: HostingServices, domain: DomainRow): Promise<DomainRow | null> {
  const now = services.clock.now();
  const proven = { error: null, nextCheckAt: now + PROVEN_WAIT_MS, unprovenSince: null };
  if (!hasProvider(services) || domain.provider_id !== null) return store(services, domain, proven);
  const app = await services.dbOf(domain.company_id).first(findAppOfDomain({ id: domain.id }));
  const { statements, key } = hostChange(services, { ...domain, display_name: app?.display_name ?? "" });
  const stored = await store(services, domain, proven, statements);
  sendHostChanges(services, domain, [key]);
  return stored;
}

/** Verifies a proven domain, unless another app has proven it too. A company that has lost its proof loses the domain. */
async function verify(
  services: HostingServices,
  domain: DomainRow,
  values: readonly string[],
  actor: Actor,
): Promise<DomainRow | null> {
  const { id, company_id: companyId, hostname } = domain;
  const db = services.dbOf(companyId);
  const { app, other } = await db.batch({ app: findAppOfDomain({ id }), other: findVerified({ hostname }) });
  if (app.first === null) return null;
  const now = services.clock.now();
  const eventId = uuid();
  const prefix = proofValue("");
  const tokens = values.flatMap((value) => (value.startsWith(prefix) ? [value.slice(prefix.length)] : []));
  const url = hostOrigin(services, hostname);
  const data = storableData({ ...appEventFields(app.first), domain_id: id, hostname, url });
  const own = hostChange(services, { ...domain, display_name: app.first.display_name });
  const others = other.first === null ? null : hostChange(services, { ...other.first, display_name: "" });
  const lost = (row: DomainRow) =>
    followedBy(
      failOtherDomain({ id, hostname, tokens, now }),
      changeEntry(auditedDomain(row, PLATFORM, "failed", now)),
    );
  const { found } = await batchWithEvents(
    services.webhooks,
    db,
    {
      lost: other.first === null ? null : lost(other.first),
      verified: followedBy(
        verifyDomain({ id, hostname, nextCheckAt: now + PROVEN_WAIT_MS, now }),
        changeEntry(auditedDomain(domain, actor, "verified", now)),
        addDomainEvent({ eventId, companyId, type: "hosting.domain.verified", data, now, ...eventActor(actor) }),
      ),
      refused: refuseDomain({ id, now }),
      others: others?.statements ?? [],
      own: own.statements,
      found: findDomainById({ id }),
    },
    [{ id: eventId, company_id: companyId }],
  );
  sendHostChanges(services, domain, [own.key, ...(others === null ? [] : [others.key])]);
  return found.first;
}

/** Sends what a batch stored about a host name to identity and to the provider. */
function sendHostChanges(services: HostingServices, { company_id, hostname }: DomainRow, keys: OriginKey[]): void {
  forgetLookups();
  sendOrigins(services, company_id, keys);
  sendHostname(services, company_id, hostname);
}

async function store(
  { dbOf, clock }: HostingServices,
  { id, company_id, state }: DomainRow,
  check: { error: string | null; nextCheckAt: number | null; unprovenSince: number | null },
  statements: Bound[] = [],
): Promise<DomainRow | null> {
  const { found } = await dbOf(company_id).batch({
    checked: storeCheck({ id, state, ...check, now: clock.now() }),
    statements,
    found: findDomainById({ id }),
  });
  return found.first;
}

/** Returns the audit entry of a change of a domain. */
export const auditedDomain = (
  { id, company_id: companyId, hostname, app_id }: Pick<DomainRow, "id" | "company_id" | "hostname" | "app_id">,
  { kind, userId }: Actor,
  verb: "created" | "verified" | "failed" | "deleted",
  now: number,
): AuditEntry => ({
  actor: { kind, userId },
  companyId,
  action: `domain.${verb}`,
  target: `domain:${id}`,
  changes: { app: app_id, hostname },
  now,
});
