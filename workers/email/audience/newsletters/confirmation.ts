import type { NewsletterRow, SubscriberRow } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import {
  CONFIRM_URL,
  findInternalEvent,
  NEWSLETTER_CONFIRMATION,
} from "../../../../schemas/email/content/internal-events";
import { maskAddress } from "../../../../schemas/text/address";
import { sha256Hex } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { seal } from "../../../kit/crypto/seal";
import type { BatchItem, BatchResults } from "../../../kit/db/db";
import { uuid } from "../../../kit/ids";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { pinContent } from "../../content/documents/content";
import { libraryMissing } from "../../content/library/load-library";
import type { Sender } from "../../delivery/sender/sender";
import { countLateMessages, newMessageId } from "../../intake/acceptance/acceptance";
import { handOver } from "../../intake/acceptance/hand-over";
import { messageRow, sharedColumns } from "../../intake/acceptance/message-row";
import type { LimitUsage } from "../../intake/limits/limits";
import { storedCompanyName } from "../../intake/submission/company-name";
import { requireSenderOf } from "../../intake/submission/sendable";
import { selectSendableFacts } from "../../intake/submission/submission";
import { subscriberAad } from "../../records/seal/seal";
import type { EmailServices } from "../../services";
import {
  type ConfirmationItem,
  type ConfirmationMessage,
  type ConfirmationOutcome,
  findConfirmationTemplate,
  findOutcomes,
  insertConfirmations,
  insertPending,
  renewHashes,
  renewTokens,
} from "./confirmation.store";

/** The event of confirmation mails. */
export const CONFIRMATION_EVENT = requireEvent();

function requireEvent(): CatalogEvent {
  const event = findInternalEvent(NEWSLETTER_CONFIRMATION);
  if (event === undefined) throw new Error("INTERNAL_EVENTS lacks the newsletter confirmation");
  return event;
}

const LANE = "transactional";

/** The columns of a newsletter that its confirmation mails need. */
export type ConfirmationList = Pick<NewsletterRow, "id" | "company_id" | "name">;

/** A person to ask for a confirmation. */
export type ConfirmationRecipient = {
  email: string;
  /** hashes of the address, one per pepper, the current one first */
  hashes: readonly string[];
  /** the hash of the address without its subaddress, with the current pepper */
  person: string;
  firstName: string;
  language: EmailLanguage;
  /** null: the subscriber is stored already, and its address, name and language stay */
  source: SubscriberRow["source"] | null;
  /** the limits that counted the mail, for its trace */
  limits?: readonly LimitUsage[];
};

/** Returns the statements that read what the confirmation mails of a newsletter depend on. */
export const selectConfirmationFacts = ({ id, company_id: companyId }: Pick<NewsletterRow, "id" | "company_id">) => ({
  ...selectSendableFacts({ companyId, contentKey: NEWSLETTER_CONFIRMATION, lane: LANE }),
  template: findConfirmationTemplate({ listId: id }),
});

/** The results of selectConfirmationFacts. */
export type ConfirmationFacts = BatchResults<ReturnType<typeof selectConfirmationFacts>>;

/** Returns the sender of confirmation mails. Throws 409 `lane_paused`, or 409 with the reason why no sender exists. */
export async function requireConfirmationSender(
  services: EmailServices,
  companyId: number,
  results: Pick<ConfirmationFacts, "provider" | "pauses">,
): Promise<Sender> {
  const facts = { provider: results.provider.first, pauses: results.pauses.rows };
  const keys = await services.keys();
  return requireSenderOf({ companyId, event: CONFIRMATION_EVENT, facts, keys }, false, services);
}

/** The statements of one batch that asks people to confirm, and the messages that it may create, by hash of the address. */
export type PreparedConfirmation = {
  statements: {
    renewedHashes: BatchItem;
    renewed: BatchItem;
    inserted: BatchItem;
    messages: BatchItem;
    counted: BatchItem;
    outcomes: ReturnType<typeof findOutcomes>;
  };
  messageIds: ReadonlyMap<string, string>;
};

/** Returns the link that confirms a subscription. */
export const confirmUrlOf = ({ publicBaseUrl }: { publicBaseUrl: string }, token: string): string =>
  `${publicBaseUrl}/api/v1/public/newsletters/confirm/${token}`;

/**
 * Prepares the confirmation mails for one batch of people: the subscribers, their tokens and their messages. The statements decide
 * who gets a mail, so they are the same for every kind of address: confirmed subscribers, suppressed addresses and people who just
 * got a mail get none. Repeating the batch changes nothing. Throws 503 `library_not_synced`.
 */
export async function prepareConfirmation(
  services: EmailServices,
  {
    list,
    facts,
    sender,
    recipients,
    now,
  }: {
    list: ConfirmationList;
    facts: ConfirmationFacts;
    sender: Sender;
    recipients: readonly ConfirmationRecipient[];
    /** unix ms */
    now: number;
  },
): Promise<PreparedConfirmation> {
  const { settings, requestId } = services;
  const { id: listId, company_id: companyId } = list;
  const keys = await services.keys();
  const acceptance = {
    origin: { companyId, service: CONFIRMATION_EVENT.service, clientId: null, idempotency: null, now },
    kind: { eventType: NEWSLETTER_CONFIRMATION, lane: LANE, category: LANE, hasSeparateLimit: false },
    sender,
    ttlMs: null,
  } as const;
  const name = storedCompanyName(
    { storedName: facts.name.first?.name ?? null, provider: facts.provider.first },
    settings,
  );
  const prepared = await Promise.all(
    recipients.map(async (recipient) => {
      const { email, hashes, person, firstName, language, source, limits = [] } = recipient;
      const [address = ""] = hashes;
      const token = randomToken();
      const content = contentIn(services, facts, language);
      const tokenHash = await sha256Hex(token);
      const item: ConfirmationItem = {
        email_hmac: address,
        hashes,
        contact: source === null ? null : { ...(await sealContact(recipient, companyId, keys)), language, source },
        token_hash: tokenHash,
        text_version: content.checksum,
      };
      const variables = {
        company_name: name.value,
        [CONFIRM_URL]: confirmUrlOf(settings, token),
        list_name: list.name,
        first_name: firstName,
      };
      const message = {
        id: newMessageId(),
        recipient: { email, userId: null, path: "" },
        hashes: { address, person },
        ruleId: null,
        templateKey: content.templateKey,
        content: content.pinned,
        variables,
        name,
        suppressed: null,
        limits,
      };
      const row = { ...(await messageRow(acceptance, message, keys)), idempotency_key: null, fingerprint: null };
      return { item, message: { ...row, token_hash: tokenHash } satisfies ConfirmationMessage };
    }),
  );
  const items = prepared.map(({ item }) => item);
  const messages = prepared.map(({ message }) => message);
  const shared = sharedColumns(acceptance, { sendRequestId: null, requestId });
  const scope = { listId, companyId };
  const { resendMs, perDay, confirmMs } = settings.newsletters;
  const isFirst = recipients.every(({ source }) => source === null);
  const expiresAt = now + confirmMs;
  return {
    statements: {
      renewedHashes: keys.peppers.length > 1 ? renewHashes({ items, ...scope }) : null,
      renewed: renewTokens({ items, ...scope, resendMs, perDay, isFirst, now, expiresAt }),
      inserted: isFirst ? null : insertPending({ items, ...scope, now, expiresAt }),
      messages: insertConfirmations({ messages, shared, ...scope }),
      counted: countLateMessages(messages.map(({ id }) => id)),
      outcomes: findOutcomes({ items, ...scope, now }),
    },
    messageIds: new Map(messages.map(({ email_hmac, id }) => [email_hmac, id])),
  };
}

/** Delivers the messages that a batch of prepareConfirmation created. Returns the number of messages. */
export async function handOverConfirmations(
  services: EmailServices,
  companyId: number,
  { messageIds }: Pick<PreparedConfirmation, "messageIds">,
  outcomes: readonly { email_hmac: string; outcome: ConfirmationOutcome }[],
): Promise<number> {
  const rows = outcomes.flatMap(({ email_hmac, outcome }): CompanyRow[] => {
    const id = outcome === "sent" ? messageIds.get(email_hmac) : undefined;
    return id === undefined ? [] : [{ id, company_id: companyId }];
  });
  await handOver(services, LANE, rows);
  return rows.length;
}

/** Returns the custom confirmation mail for its own language, and the default mail for the others. */
function contentIn(services: EmailServices, facts: ConfirmationFacts, language: EmailLanguage) {
  const template = facts.template.first;
  const customTemplate = template?.language === language ? template : null;
  const pinned = pinContent({
    event: CONFIRMATION_EVENT,
    language: { value: language, source: "recipient" },
    customTemplate,
    defaults: facts.contents.rows,
    authLinkHosts: services.settings.authLinkHosts,
  });
  if (pinned === null) throw libraryMissing(services);
  const templateKey = customTemplate?.template_key ?? NEWSLETTER_CONFIRMATION;
  return { pinned, templateKey, checksum: pinned.default_checksum ?? customTemplate?.checksum ?? "" };
}

/** Encrypts the address and the name of a subscriber with a new `seal_id`. */
export async function sealContact(
  { email, firstName }: Pick<ConfirmationRecipient, "email" | "firstName">,
  companyId: number,
  keys: Awaited<ReturnType<EmailServices["keys"]>>,
) {
  const sealId = uuid();
  const sealed = (column: "email_enc" | "first_name_enc", value: string) =>
    seal(value, keys.variables, subscriberAad(column, companyId, sealId));
  const [email_enc, first_name_enc] = await Promise.all([
    sealed("email_enc", email),
    firstName === "" ? null : sealed("first_name_enc", firstName),
  ]);
  return { email_enc, email_masked: maskAddress(email), first_name_enc, seal_id: sealId };
}
