import type { CompanyProviderRow } from "../../../../db/email/rows";
import type { DomainHealth } from "../../../../schemas/email/delivery/provider";
import { findRecords } from "../../../kit/net/dns";
import { DAY_MS, iso } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { type LookedAtProvider, listDueDomains, storeHealth } from "./provider.store";

type Stored = NonNullable<CompanyProviderRow["domain_health"]>;
type Check = DomainHealth["checks"][number];
/** `dmarc`: of the domain of the From, then of each one above it. */
type Records = { spf: string[]; dmarc: string[][]; mx: string[]; keys: string[] } | null;

/** Names under which providers commonly publish their keys; a domain may use another, which cannot be seen from outside. */
const SELECTORS = ["default", "google", "k1", "mail", "pm", "resend", "s1", "selector1"];

/** Names that are asked for a DMARC policy; of deeper domains those between are left out. */
const MAX_POLICY_NAMES = 5;

/** Domains that one run of the purge looks at, and for how long: each is up to 15 questions. */
const MAX_DOMAINS = 50;
const MAX_MS = 30_000;
/** After so many domains in a row without an answer it is the resolver that is away. */
const MAX_SILENT = 3;

const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/**
 * What DNS says of the domain that a company sends from: kept for a day, then asked anew. An answer that does not come makes a
 * check `unknown` and is kept no longer than this call.
 */
export async function currentHealth(services: EmailServices, row: CompanyProviderRow): Promise<Stored> {
  const storedHealth = row.domain_health;
  if (storedHealth !== null && storedHealth.checked_at > services.clock.now() - DAY_MS) return storedHealth;
  const { health, isAnswered } = await look(services, row);
  if (isAnswered) await storeHealth(services.dbOf(row.company_id), [{ row, health }]);
  return health;
}

/**
 * Looks again at domains whose result is older than a day, the oldest first: a bounded number, for a bounded time and not
 * past `stopAt` (unix ms). Where no answer comes the result stays, and the domain has its next turn behind the others.
 */
export async function refreshHealth(services: EmailServices, stopAt: number): Promise<void> {
  const { clock, platformDb } = services;
  const now = clock.now();
  const due = await platformDb.all(listDueDomains({ until: now - DAY_MS, limit: MAX_DOMAINS }));
  const deadline = Math.min(now + MAX_MS, stopAt);
  const looks: { row: LookedAtProvider; health: Stored }[] = [];
  let silent = 0;
  for (const row of due) {
    if (silent === MAX_SILENT || clock.now() >= deadline) break;
    const { health, isAnswered } = await look(services, row);
    silent = isAnswered ? 0 : silent + 1;
    const storedHealth = row.domain_health ?? { ...health, checked_at: 0 };
    looks.push({ row, health: isAnswered ? health : { ...storedHealth, tried_at: health.checked_at } });
  }
  if (looks.length > 0) await storeHealth(platformDb, looks);
}

async function look(services: EmailServices, row: LookedAtProvider): Promise<{ health: Stored; isAnswered: boolean }> {
  const now = services.clock.now();
  const domain = row.sending_domain || domainOf(row.from_email);
  const from = domainOf(row.from_email);
  const records = await readRecords(services, domain, from);
  return { health: { checked_at: now, domain, checks: judge(domain, from, records) }, isAnswered: records !== null };
}

/** The answer; `health` null: there is no provider. */
export function presentDomainHealth(health: Stored | null): DomainHealth {
  if (health === null) return { domain: "", checked_at: null, checks: [] };
  const { domain, checked_at, checks } = health;
  return { domain, checked_at: iso(checked_at), checks: checks as Check[] };
}

/** The domain and those above it that have a dot, the nearest first. */
function policyNames(from: string): string[] {
  const labels = from.split(".");
  const names = labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
  return names.length <= MAX_POLICY_NAMES ? names : [from, ...names.slice(1 - MAX_POLICY_NAMES)];
}

async function readRecords({ settings, fetch, log }: EmailServices, domain: string, from: string): Promise<Records> {
  const lookUp = (name: string, type: "MX" | "TXT") => findRecords(name, type, settings.dnsResolverUrl, fetch);
  try {
    const [spf, mx, dmarc, keys] = await Promise.all([
      lookUp(domain, "TXT"),
      lookUp(domain, "MX"),
      Promise.all(policyNames(from).map((name) => lookUp(`_dmarc.${name}`, "TXT"))),
      Promise.all(SELECTORS.map((selector) => lookUp(`${selector}._domainkey.${domain}`, "TXT"))),
    ]);
    return { spf, dmarc, mx, keys: keys.flat() };
  } catch (error) {
    log.warn("the resolver did not answer", { error: error instanceof Error ? error.name : "unknown" });
    return null;
  }
}

/** RFC 7208 (SPF), RFC 6376 (DKIM), RFC 7489 (DMARC). */
function judge(domain: string, from: string, records: Records): Check[] {
  const alignment: Check =
    from === domain || from.endsWith(`.${domain}`) || domain.endsWith(`.${from}`)
      ? { name: "from_alignment", status: "pass", detail_code: "" }
      : { name: "from_alignment", status: "warn", detail_code: "other_domain" };
  if (records === null) {
    const names = ["spf", "dkim", "dmarc", "mx"] as const;
    return [...names.map((name) => ({ name, status: "unknown" as const, detail_code: "no_answer" })), alignment];
  }
  return [judgeSpf(records.spf), judgeDkim(records.keys), judgeDmarc(records.dmarc), judgeMx(records.mx), alignment];
}

function judgeSpf(texts: readonly string[]): Check {
  const own = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  const [record = ""] = own;
  if (own.length === 0) return { name: "spf", status: "fail", detail_code: "no_record" };
  if (own.length > 1) return { name: "spf", status: "fail", detail_code: "several_records" };
  if (/[ +]\+?all\b/i.test(record) && !/[-~?]all\b/i.test(record)) {
    return { name: "spf", status: "fail", detail_code: "allows_everybody" };
  }
  return { name: "spf", status: "pass", detail_code: "" };
}

function judgeDkim(texts: readonly string[]): Check {
  const keys = texts.filter((text) => /(?:^|;)\s*p=/i.test(text));
  if (keys.length === 0) return { name: "dkim", status: "unknown", detail_code: "selector_unknown" };
  const isRevoked = keys.every((text) => /(?:^|;)\s*p=\s*(?:;|$)/i.test(text));
  return isRevoked
    ? { name: "dkim", status: "fail", detail_code: "key_revoked" }
    : { name: "dkim", status: "pass", detail_code: "" };
}

/** The nearest record holds; one above the From says with `sp` what holds below it, where that is another. */
function judgeDmarc(recordSets: readonly (readonly string[])[]): Check {
  const records = recordSets.map((texts) => texts.filter((text) => /^v=DMARC1\b/i.test(text)));
  const at = records.findIndex((own) => own.length > 0);
  const [record, ...more] = records[at] ?? [];
  if (record === undefined) return { name: "dmarc", status: "fail", detail_code: "no_record" };
  if (more.length > 0) return { name: "dmarc", status: "fail", detail_code: "several_records" };
  const below = at > 0 ? /;\s*sp=\s*(\w+)/i.exec(record)?.[1] : undefined;
  const policy = (below ?? /;\s*p=\s*(\w+)/i.exec(record)?.[1])?.toLowerCase();
  if (policy === "none") return { name: "dmarc", status: "warn", detail_code: "policy_none" };
  return policy === "quarantine" || policy === "reject"
    ? { name: "dmarc", status: "pass", detail_code: "" }
    : { name: "dmarc", status: "fail", detail_code: "no_policy" };
}

function judgeMx(records: readonly string[]): Check {
  if (records.length === 0) return { name: "mx", status: "warn", detail_code: "no_record" };
  // RFC 7505: a domain that takes no mail; replies and bounces have nowhere to go.
  return records.some((record) => /^0 \.?$/.test(record.trim()))
    ? { name: "mx", status: "warn", detail_code: "takes_no_mail" }
    : { name: "mx", status: "pass", detail_code: "" };
}
