import type { NewsletterRow, SubscriberRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import type { SUBSCRIBE_MODES, SUBSCRIBE_OUTCOMES } from "../../../../schemas/email/audience/subscribers";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { actionEntry, changeEntry } from "../../../kit/audit/audit";
import { followedBy } from "../../../kit/db/statement";
import { DAY_MS } from "../../../kit/time";
import { releaseSend, reserveSend } from "../../intake/limits/limits";
import { hashesOf, hashPeople } from "../../intake/submission/people";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import {
  handOverConfirmations,
  prepareConfirmation,
  requireConfirmationSender,
  sealContact,
  selectConfirmationFacts,
} from "../newsletters/confirmation";
import {
  addSubscribers,
  confirmPending,
  findAddressStates,
  findSubscriberOf,
  removeSubscriber,
  renewAddresses,
} from "./subscriber.store";

export type SubscribeMode = (typeof SUBSCRIBE_MODES)[number];
type Outcome = (typeof SUBSCRIBE_OUTCOMES)[number];

/** A person to add to a newsletter. */
export type NewPerson = { email: string; firstName: string; language: EmailLanguage };

/** What happened, and the stored subscriber; null when a suppressed address is not stored. */
export type Subscribed = { outcome: Outcome; subscriber: SubscriberRow | null };

/** Returns the language of a subscriber: the requested one, else the default of the newsletter. */
export function languageOf(
  { default_language }: Pick<NewsletterRow, "default_language">,
  requested: string | null | undefined,
): EmailLanguage {
  return EMAIL_LANGUAGES.find((language) => language === requested) ?? default_language;
}

/** Returns the lanes and categories whose suppressions and unsubscribes keep an address out of a newsletter. */
export function exclusionsOf(listId: number, mode: SubscribeMode): { lanes: string[]; categories: string[] } {
  const categories = ["bulk", `list-${listId}`];
  // Mode `confirm` also sends a mail of the transactional lane.
  return mode === "confirm"
    ? { lanes: ["transactional", "bulk"], categories: ["transactional", ...categories] }
    : { lanes: ["bulk"], categories };
}

/**
 * Adds a person whose consent the company has. A person who waits for their confirmation becomes confirmed. Throws 409
 * `subscriber_unsubscribed` or `subscriber_suppressed`.
 */
export async function addConsented(
  services: EmailServices,
  list: NewsletterRow,
  person: NewPerson,
  actor: AuditActor,
): Promise<Subscribed> {
  const { id: listId, company_id: companyId } = list;
  const keys = await services.keys();
  const hashed = await hashPeople([person.email], keys);
  const hashes = hashed.hashes.get(person.email) ?? [];
  const item = { email_hmac: hashesOf(hashed, person.email).address, hashes };
  const db = services.dbOf(companyId);
  const now = services.clock.now();
  const scope = { companyId, listId };
  const { resendMs, perDay } = services.settings.newsletters;
  const { states } = await db.batch({
    renewed: keys.peppers.length > 1 ? renewAddresses({ items: [item], ...scope }) : null,
    states: findAddressStates({
      ...scope,
      ...exclusionsOf(listId, "consented"),
      ...{ items: [item], now, resendMs, perDay, dayMs: DAY_MS },
    }),
  });
  const state = states.first;
  // A pending person who unsubscribed before can only confirm by the link of their mail.
  if (state?.status === "unsubscribed" || (state?.unsubscribed && state.status !== "confirmed")) {
    throw new Problem("subscriber_unsubscribed");
  }
  if (state?.suppressed) throw new Problem("subscriber_suppressed");
  const contact = await sealContact(person, companyId, keys);
  const row = { ...contact, email_hmac: item.email_hmac, language: person.language };
  const audit = { action: "subscriber.added", target: `newsletter:${listId}`, changes: { mode: "consented" } };
  const entry = () => changeEntry({ ...audit, actor, companyId, now });
  const { added, confirmed, subscriber } = await db.batch({
    added: followedBy(addSubscribers({ items: [row], ...scope, source: "admin", now }, "confirmed"), entry()),
    confirmed: followedBy(confirmPending({ hashes, ...scope, now }), entry()),
    subscriber: findSubscriberOf({ hashes, ...scope }),
  });
  if (subscriber.first === null) throw new Problem("newsletter_not_found");
  const outcome = added.changes + confirmed.changes > 0 ? "added" : "existing";
  return { outcome, subscriber: subscriber.first };
}

/**
 * Asks a person to confirm. Throws 409 without a usable sender or for a paused lane, and 429 when the company or the recipient
 * got too many mails.
 */
export async function askToConfirm(
  services: EmailServices,
  list: NewsletterRow,
  person: NewPerson,
  actor: AuditActor,
): Promise<Subscribed> {
  const { id: listId, company_id: companyId } = list;
  const keys = await services.keys();
  const db = services.dbOf(companyId);
  const facts = await db.batch(selectConfirmationFacts(list));
  const sender = await requireConfirmationSender(services, companyId, facts);
  const hashed = await hashPeople([person.email], keys);
  const hashes = hashed.hashes.get(person.email) ?? [];
  const { address, person: personHash } = hashesOf(hashed, person.email);
  const now = services.clock.now();
  const people = [{ hash: address, person: personHash, counter: personHash, path: "subscriber" }];
  const limit = { companyId, lane: "transactional", separateEvent: null, people, lock: null, now } as const;
  const reserved = await reserveSend(services, limit);
  // Only a request with a lock can find it held.
  if (reserved === "locked") throw new Problem("service_unavailable");
  const recipient = {
    ...person,
    hashes,
    person: personHash,
    source: "admin",
    limits: reserved.limits[0] ?? [],
  } as const;
  let isSent = false;
  try {
    const prepared = await prepareConfirmation(services, { list, facts, sender, recipients: [recipient], now });
    const audit = { action: "subscriber.added", target: `newsletter:${listId}`, changes: { mode: "confirm" } };
    const { outcomes, subscriber } = await db.batch({
      ...prepared.statements,
      entry: actionEntry({ ...audit, actor, companyId, now }),
      subscriber: findSubscriberOf({ hashes, companyId, listId }),
    });
    const outcome = outcomes.first?.outcome ?? "suppressed";
    isSent = outcome === "sent";
    if (isSent) await handOverConfirmations(services, companyId, prepared, outcomes.rows);
    return { outcome, subscriber: subscriber.first };
  } finally {
    if (!isSent) await releaseSend(services, companyId, reserved.reservation);
  }
}

/** Deletes a subscriber and stores the audit entry. Throws 404 `subscriber_not_found` when it was deleted in the meantime. */
export async function deleteSubscriber(
  services: EmailServices,
  { id: listId, company_id: companyId }: NewsletterRow,
  id: number,
  actor: AuditActor,
): Promise<void> {
  const now = services.clock.now();
  const audit = { action: "subscriber.deleted", target: `newsletter:${listId}`, changes: { subscriber_id: id } };
  const { uncounted, removed } = removeSubscriber({ id, listId });
  const result = await services.dbOf(companyId).batch({
    uncounted,
    removed: followedBy(removed, changeEntry({ ...audit, actor, companyId, now })),
  });
  if (result.removed.changes === 0) throw new Problem("subscriber_not_found");
}
