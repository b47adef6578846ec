import type { CompanyProviderRow } from "../../../db/email/rows";
import type { DomainHealth } from "../../../schemas/email/provider";
import { findRecords } from "../../kit/net/dns";
import { DAY_MS, iso } from "../../kit/time";
import type { EmailServices } from "../services";
import { storeHealth } from "./provider.store";

type Stored = NonNullable<CompanyProviderRow["domain_health"]>;
type Check = DomainHealth["checks"][number];
type Records = { spf: string[]; dmarc: string[]; mx: string[]; keys: string[] } | null;

/** Names under which providers commonly publish their keys; a domain may use another, which cannot be seen from outside. */
const SELECTORS = ["default", "google", "k1", "mail", "pm", "resend", "s1", "selector1"];

const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/**
 * What DNS says of the domain that a company sends from: kept for a day, then asked anew. An answer that does not come makes a
 * check `unknown` and is kept no longer than this call.
 */
export async function currentHealth(services: EmailServices, row: CompanyProviderRow): Promise<Stored> {
  const { clock, db } = services;
  const now = clock.now();
  const kept = row.domain_health;
  if (kept !== null && kept.checked_at > now - DAY_MS) return kept;
  const domain = row.sending_domain || domainOf(row.from_email);
  const records = await readRecords(services, domain);
  const health = { checked_at: now, domain, checks: judge(domain, domainOf(row.from_email), records) };
  if (records !== null) await storeHealth(db, row, health);
  return health;
}

/** The answer; `health` null: there is no provider. */
export function presentDomainHealth(health: Stored | null): DomainHealth {
  if (health === null) return { domain: "", checked_at: null, checks: [] };
  const { domain, checked_at, checks } = health;
  return { domain, checked_at: iso(checked_at), checks: checks as Check[] };
}

async function readRecords({ settings, fetch, log }: EmailServices, domain: string): Promise<Records> {
  const ask = (name: string, type: "MX" | "TXT") => findRecords(name, type, settings.dnsResolverUrl, fetch);
  try {
    const [spf, dmarc, mx, ...keys] = await Promise.all([
      ask(domain, "TXT"),
      ask(`_dmarc.${domain}`, "TXT"),
      ask(domain, "MX"),
      ...SELECTORS.map((selector) => ask(`${selector}._domainkey.${domain}`, "TXT")),
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

function judgeDmarc(texts: readonly string[]): Check {
  const own = texts.filter((text) => /^v=DMARC1\b/i.test(text));
  if (own.length === 0) return { name: "dmarc", status: "fail", detail_code: "no_record" };
  if (own.length > 1) return { name: "dmarc", status: "fail", detail_code: "several_records" };
  const policy = /;\s*p=\s*(\w+)/i.exec(own[0] ?? "")?.[1]?.toLowerCase();
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
