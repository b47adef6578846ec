import type { BroadcastRow } from "../../../../db/email/rows";
import type { AudiencePreview } from "../../../../schemas/email/audience/broadcast-sending";
import { MAX_AUDIENCE_PAGE } from "../../../../schemas/rpc";
import { canonicalAddress, maskAddress } from "../../../../schemas/text/address";
import { Problem } from "../../problem";
import { hashAddress } from "../../records/seal/address";
import type { EmailServices } from "../../services";
import { countAudience, needsIdentity, readAudiencePage, rejectAudience } from "../recipients/identity-audience";
import { countConfirmed, findSuppressed, findUnsubscribed, listConfirmed } from "./audience-split.store";

type Audience = BroadcastRow["audience"];
const MAX_SAMPLES = 5;

/** A recipient before it is stored. `hashes` has one hash per pepper. */
type Candidate = { hashes: string[]; masked: string; language: string | null };

/** The number of recipients of an audience, and the first of them. */
type Sampled = { total: number; candidates: Candidate[] };

/**
 * Returns the number of recipients, before unsubscribes and suppressions. Throws the problem of identity's response: 403 `forbidden`,
 * 400 `audience.<field>`, 502 or 503.
 */
export async function countRecipients(
  services: EmailServices,
  companyId: number,
  audience: Audience,
  bearer: string,
): Promise<number> {
  if (audience.mode === "newsletter") return countSubscribers(services, companyId, audience);
  if (audience.mode === "pick") return (await readPeople(services, companyId, audience, bearer)).total;
  return countUsers(services, companyId, audience, bearer);
}

async function countUsers(services: EmailServices, companyId: number, audience: Audience, bearer: string) {
  const counted = await countAudience(services, { companyId, audience }, bearer);
  return counted.ok ? counted.count : rejectAudience(counted);
}

async function countSubscribers({ dbOf }: EmailServices, companyId: number, { list_id: id = 0 }: Audience) {
  return (await dbOf(companyId).first(countConfirmed({ id, companyId })))?.confirmed ?? 0;
}

/** Returns how many recipients an audience has now, and how many of them get no mail. Throws like countRecipients. */
export async function previewAudience(
  services: EmailServices,
  { company_id: companyId, language, list_id: _list }: BroadcastRow,
  audience: Audience,
  bearer: string,
): Promise<AudiencePreview> {
  const { total, candidates } = await sampleAudience(services, companyId, audience, bearer);
  const list = audience.list_id === undefined ? [] : [`list-${audience.list_id}`];
  const hashes = candidates.flatMap((candidate) => candidate.hashes);
  const rows = await services.dbOf(companyId).batch({
    unsubscribed: findUnsubscribed({
      companyId,
      hashes,
      listId: audience.list_id ?? null,
      categories: ["bulk", ...list],
    }),
    suppressed: findSuppressed({ companyId, hashes, now: services.clock.now() }),
  });
  const setOf = (found: { email_hmac: string }[]) => new Set(found.map(({ email_hmac }) => email_hmac));
  const [gone, held] = [setOf(rows.unsubscribed.rows), setOf(rows.suppressed.rows)];
  const isIn = (set: Set<string>) => (candidate: Candidate) => candidate.hashes.some((hash) => set.has(hash));
  const remaining = candidates.filter((candidate) => !isIn(gone)(candidate));
  const scale = (n: number) => (candidates.length === 0 ? 0 : Math.round((n * total) / candidates.length));
  const unsubscribed = scale(candidates.length - remaining.length);
  const suppressed = Math.min(scale(remaining.filter(isIn(held)).length), total - unsubscribed);
  const languages = new Map<string, number>();
  for (const candidate of candidates) {
    const key = candidate.language ?? language;
    languages.set(key, (languages.get(key) ?? 0) + 1);
  }
  return {
    total,
    sendable: total - unsubscribed - suppressed,
    unsubscribed,
    suppressed,
    languages: Object.fromEntries([...languages].sort().map(([key, n]) => [key, scale(n)])),
    samples: candidates.slice(0, MAX_SAMPLES).map(({ masked }) => masked),
    complete: candidates.length === total,
  };
}

async function sampleAudience(
  services: EmailServices,
  companyId: number,
  audience: Audience,
  bearer: string,
): Promise<Sampled> {
  if (audience.mode === "newsletter") {
    const id = audience.list_id ?? 0;
    const rows = await services.dbOf(companyId).batch({
      count: countConfirmed({ id, companyId }),
      subscribers: listConfirmed({ id, limit: MAX_AUDIENCE_PAGE }),
    });
    if (rows.count.first === null) return { total: 0, candidates: [] };
    const candidates = rows.subscribers.rows.map(({ email_hmac, email_masked, language }) => ({
      hashes: [email_hmac],
      masked: email_masked,
      language,
    }));
    const isWhole = candidates.length < MAX_AUDIENCE_PAGE;
    return { total: isWhole ? candidates.length : Math.max(rows.count.first.confirmed, candidates.length), candidates };
  }
  const { total, people } = await readPeople(services, companyId, audience, bearer);
  const { peppers } = await services.keys();
  const candidates = await Promise.all(
    people.map(async ({ email, language }) => ({
      hashes: await Promise.all(peppers.map((pepper) => hashAddress(pepper, email))),
      masked: maskAddress(email),
      language,
    })),
  );
  return { total, candidates };
}

/**
 * Returns the recipients of an audience without a newsletter, each address once. `total` also counts the users after the first
 * page.
 */
async function readPeople(services: EmailServices, companyId: number, audience: Audience, bearer: string) {
  const users = needsIdentity(audience) ? await sampleUsers(services, companyId, audience, bearer) : NO_USERS;
  const emails = audience.mode === "pick" ? audience.emails : [];
  const people = [
    ...emails.map((email) => ({ email, language: null })),
    ...users.sample.map(({ email, language }) => ({ email, language })),
  ];
  const unique = new Map(people.map((person) => [canonicalAddress(person.email), person]));
  return { total: unique.size + users.count - users.sample.length, people: [...unique.values()] };
}

const NO_USERS = { count: 0, sample: [] };

async function sampleUsers(services: EmailServices, companyId: number, audience: Audience, bearer: string) {
  const page = await readAudiencePage(services, { companyId, audience }, { bearer }, { cursor: "" });
  if (!page.ok) return rejectAudience(page);
  const count = page.nextCursor === null ? page.users.length : await countUsers(services, companyId, audience, bearer);
  return { count: Math.max(count, page.users.length), sample: page.users };
}

/** Throws 403 `company_mismatch` unless the token of the caller is of the company: identity returns only its members. */
export function requireTokenOfCompany(tokenCompany: number | null, companyId: number): void {
  if (tokenCompany !== companyId) throw new Problem("company_mismatch");
}
