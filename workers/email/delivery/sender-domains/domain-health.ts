import type { CompanyProviderRow } from "../../../../db/email/rows";
import type { DomainHealth } from "../../../../schemas/email/delivery/provider";
import { findRecords } from "../../../kit/net/dns";
import { DAY_MS, iso, MINUTE_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { OWNERSHIP, provenDomain } from "../sender/proven-domain";
import { type CheckedProvider, listDueDomains, storeHealth } from "./domain-health.store";
import { proofValues } from "./domain-proof";

type StoredHealth = NonNullable<CompanyProviderRow["domain_health"]>;
type Check = DomainHealth["checks"][number];
/**
 * The DNS records of a domain, or null when the resolver did not respond. `spf` has all TXT records, `bounceSpf` those of the return path of
 * Cloudflare's Email Service. `dmarc` starts with the records of the From domain;
 * the records of its parent domains follow.
 */
type Records = { spf: string[]; bounceSpf: string[]; dmarc: string[][]; mx: string[]; keys: string[] } | null;

/**
 * The DKIM selector of Cloudflare's Email Service, and the subdomain of its return path, which has the SPF record of the mail
 * (RFC 7208, 2.4). Onboarding a domain creates both records and none at the domain itself.
 */
const CLOUDFLARE_NAME = "cf-bounce";

/** Common DKIM selectors. DNS cannot list the selectors of a domain, so keys with other selectors are not found. */
const SELECTORS = [CLOUDFLARE_NAME, "default", "google", "k1", "mail", "pm", "resend", "s1", "selector1"];

/** Maximum number of names that are queried for a DMARC policy. policyNames chooses the names. */
const MAX_POLICY_NAMES = 5;

/** Maximum number of domains that one run checks, and the maximum duration. Each domain takes up to 17 DNS queries. */
const MAX_DOMAINS = 50;
const MAX_MS = 30_000;
/** After this many consecutive domains without a response, the run stops because the resolver is unavailable. */
const MAX_SILENT = 3;

const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/**
 * Returns the DNS checks of the sending domain of a company. The row caches them for a day. When the resolver does not
 * respond, the checks are `unknown` and are not cached.
 */
export async function currentHealth(services: EmailServices, row: CompanyProviderRow): Promise<StoredHealth> {
  const storedHealth = row.domain_health;
  // An owner who publishes the proof of the domain checks again soon.
  const maxAgeMs = row.sending_domain === "" || provenDomain(row) !== "" ? DAY_MS : MINUTE_MS;
  if (storedHealth !== null && storedHealth.checked_at > services.clock.now() - maxAgeMs) return storedHealth;
  const { health, hasResponse } = await checkDomain(services, row);
  if (hasResponse) await storeHealth(services.dbOf(row.company_id), [{ row, health }]);
  return health;
}

/**
 * Checks up to MAX_DOMAINS domains whose result is older than a day, the least recently tried first. Stops after MAX_MS or at
 * `stopAt` (unix ms). When the resolver does not respond, the old result remains and the domain is tried again last.
 */
export async function refreshHealth(services: EmailServices, stopAt: number): Promise<void> {
  const { clock, platformDb } = services;
  const now = clock.now();
  const due = await platformDb.all(listDueDomains({ until: now - DAY_MS, limit: MAX_DOMAINS }));
  const deadline = Math.min(now + MAX_MS, stopAt);
  const results: { row: CheckedProvider; health: StoredHealth }[] = [];
  let silent = 0;
  for (const row of due) {
    if (silent === MAX_SILENT || clock.now() >= deadline) break;
    const { health, hasResponse } = await checkDomain(services, row);
    silent = hasResponse ? 0 : silent + 1;
    const storedHealth = row.domain_health ?? { ...health, checked_at: 0 };
    results.push({ row, health: hasResponse ? health : { ...storedHealth, tried_at: health.checked_at } });
  }
  if (results.length > 0) await storeHealth(platformDb, results);
}

async function checkDomain(
  services: EmailServices,
  row: CheckedProvider,
): Promise<{ health: StoredHealth; hasResponse: boolean }> {
  const now = services.clock.now();
  const domain = row.sending_domain || domainOf(row.from_email);
  const from = domainOf(row.from_email);
  const records = await readRecords(services, domain, from);
  const ownership =
    row.sending_domain === "" ? [] : [checkOwnership(records, await proofValues(row, await services.keys()))];
  return {
    health: { checked_at: now, domain, checks: [...checkRecords(domain, from, records), ...ownership] },
    hasResponse: records !== null,
  };
}

/** Returns the API response. `health` is null when the company has no provider. */
export function presentDomainHealth(health: StoredHealth | null): DomainHealth {
  if (health === null) return { domain: "", checked_at: null, checks: [], ownership: null };
  const { domain, checked_at, checks } = health;
  const ownership = checks.find(({ name }) => name === OWNERSHIP)?.status ?? null;
  return {
    domain,
    checked_at: iso(checked_at),
    checks: checks.filter(({ name }) => name !== OWNERSHIP) as Check[],
    ownership: ownership as DomainHealth["ownership"],
  };
}

/**
 * Returns the domain and its parent domains that contain a dot, the nearest first. Omits names in the middle if there are more
 * than MAX_POLICY_NAMES.
 */
function policyNames(from: string): string[] {
  const labels = from.split(".");
  const names = labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
  return names.length <= MAX_POLICY_NAMES ? names : [from, ...names.slice(1 - MAX_POLICY_NAMES)];
}

async function readRecords({ settings, fetch, log }: EmailServices, domain: string, from: string): Promise<Records> {
  const lookUp = (name: string, type: "MX" | "TXT") => findRecords(name, type, settings.dnsResolverUrl, fetch);
  try {
    const [spf, bounceSpf, mx, dmarc, keys] = await Promise.all([
      lookUp(domain, "TXT"),
      lookUp(`${CLOUDFLARE_NAME}.${domain}`, "TXT"),
      lookUp(domain, "MX"),
      Promise.all(policyNames(from).map((name) => lookUp(`_dmarc.${name}`, "TXT"))),
      Promise.all(SELECTORS.map((selector) => lookUp(`${selector}._domainkey.${domain}`, "TXT"))),
    ]);
    return { spf, bounceSpf, dmarc, mx, keys: keys.flat() };
  } catch (error) {
    log.warn("the DNS resolver did not respond", { error: error instanceof Error ? error.name : "unknown" });
    return null;
  }
}

/** Checks the records by RFC 7208 (SPF), RFC 6376 (DKIM) and RFC 7489 (DMARC). */
function checkRecords(domain: string, from: string, records: Records): Check[] {
  const alignment: Check =
    from === domain || from.endsWith(`.${domain}`) || domain.endsWith(`.${from}`)
      ? { name: "from_alignment", status: "pass", detail_code: "" }
      : { name: "from_alignment", status: "warn", detail_code: "other_domain" };
  if (records === null) {
    const names = ["spf", "dkim", "dmarc", "mx"] as const;
    return [...names.map((name) => ({ name, status: "unknown" as const, detail_code: "no_answer" })), alignment];
  }
  const spf = [records.spf, records.bounceSpf].find(hasSpf) ?? [];
  return [checkSpf(spf), checkDkim(records.keys), checkDmarc(records.dmarc), checkMx(records.mx), alignment];
}

/** Checks whether a TXT record of the domain has one of the values that prove its ownership. */
function checkOwnership(records: Records, values: readonly string[]): StoredHealth["checks"][number] {
  if (records === null) return { name: OWNERSHIP, status: "unknown", detail_code: "no_answer" };
  // `spf` contains all TXT records of the domain.
  const isProven = records.spf.some((text) => values.includes(text.trim()));
  return { name: OWNERSHIP, status: isProven ? "pass" : "fail", detail_code: isProven ? "" : "no_record" };
}

const isSpf = (text: string) => /^v=spf1(?: |$)/i.test(text);
const hasSpf = (texts: readonly string[]) => texts.some(isSpf);

function checkSpf(texts: readonly string[]): Check {
  const records = texts.filter(isSpf);
  const [record = ""] = records;
  if (records.length === 0) return { name: "spf", status: "fail", detail_code: "no_record" };
  if (records.length > 1) return { name: "spf", status: "fail", detail_code: "several_records" };
  if (/[ +]\+?all\b/i.test(record) && !/[-~?]all\b/i.test(record)) {
    return { name: "spf", status: "fail", detail_code: "allows_everybody" };
  }
  return { name: "spf", status: "pass", detail_code: "" };
}

function checkDkim(texts: readonly string[]): Check {
  const keys = texts.filter((text) => /(?:^|;)\s*p=/i.test(text));
  if (keys.length === 0) return { name: "dkim", status: "unknown", detail_code: "selector_unknown" };
  const isRevoked = keys.every((text) => /(?:^|;)\s*p=\s*(?:;|$)/i.test(text));
  return isRevoked
    ? { name: "dkim", status: "fail", detail_code: "key_revoked" }
    : { name: "dkim", status: "pass", detail_code: "" };
}

/** Checks the record of the nearest domain. In the record of a parent domain, `sp` overrides `p` for subdomains. */
function checkDmarc(recordSets: readonly (readonly string[])[]): Check {
  const records = recordSets.map((texts) => texts.filter((text) => /^v=DMARC1\b/i.test(text)));
  const at = records.findIndex((texts) => texts.length > 0);
  const [record, ...more] = records[at] ?? [];
  if (record === undefined) return { name: "dmarc", status: "fail", detail_code: "no_record" };
  if (more.length > 0) return { name: "dmarc", status: "fail", detail_code: "several_records" };
  const subdomainPolicy = at > 0 ? /;\s*sp=\s*(\w+)/i.exec(record)?.[1] : undefined;
  const policy = (subdomainPolicy ?? /;\s*p=\s*(\w+)/i.exec(record)?.[1])?.toLowerCase();
  if (policy === "none") return { name: "dmarc", status: "warn", detail_code: "policy_none" };
  return policy === "quarantine" || policy === "reject"
    ? { name: "dmarc", status: "pass", detail_code: "" }
    : { name: "dmarc", status: "fail", detail_code: "no_policy" };
}

function checkMx(records: readonly string[]): Check {
  if (records.length === 0) return { name: "mx", status: "warn", detail_code: "no_record" };
  // A domain with a null MX (RFC 7505) accepts no mail, so replies and bounces are lost.
  return records.some((record) => /^0 \.?$/.test(record.trim()))
    ? { name: "mx", status: "warn", detail_code: "takes_no_mail" }
    : { name: "mx", status: "pass", detail_code: "" };
}
