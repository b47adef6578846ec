import type { AlertNoticeRow } from "../../../../db/email/rows";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { ALERT_EVENTS, findInternalEvent } from "../../../../schemas/email/content/internal-events";
import { SECOND_MS } from "../../../kit/time";
import { withTimeout } from "../../../kit/timeout";
import { VALUE_FORMATS } from "../../content/catalog/value-format";
import { pinContent } from "../../content/documents/content";
import { libraryMissing } from "../../content/library/load-library";
import { platformSender } from "../../delivery/sender/sender";
import { acceptMessages, newMessageId } from "../../intake/acceptance/acceptance";
import { handOver } from "../../intake/acceptance/hand-over";
import { storedCompanyName } from "../../intake/submission/company-name";
import { hashesOf, hashPeople } from "../../intake/submission/people";
import { selectSendableFacts } from "../../intake/submission/submission";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { endMail } from "./alert.store";
import { nameOfAlert, summaryOf } from "./alert-texts";

const LANE = "transactional";
/** The time that identity has to return the staff. */
const STAFF_TIMEOUT_MS = 5 * SECOND_MS;

/** A person who operates the platform. */
type Recipient = { email: string; userId: number | null; language: EmailLanguage };

/**
 * Queues the mails of a notice for the first of `EMAIL_PLATFORM_COMPANY_IDS`, to be sent by the platform sender, and marks the
 * notice as mailed in the same batch. The id of the notice is their idempotency key, so a repeated call queues no second mails.
 * Returns the number of mails. Throws when identity does not respond, when the platform has no sender, and while the library is
 * loading; the next run repeats the call.
 */
export async function mailNotice(services: EmailServices, notice: AlertNoticeRow): Promise<number> {
  const { platformDb, dbOf, settings, clock, log } = services;
  const [companyId] = settings.platformCompanyIds;
  const recipients = companyId === undefined ? [] : await recipientsOf(services);
  if (companyId === undefined || recipients.length === 0) {
    log.warn("conditions were not mailed to anybody", { kind: notice.kind });
    await platformDb.run(endMail({ id: notice.id }));
    return 0;
  }
  const eventType = ALERT_EVENTS[notice.kind];
  const event = findInternalEvent(eventType);
  if (event === undefined) throw new Error(`${eventType}: not an internal event`);
  const keys = await services.keys();
  const choice = await platformSender(LANE, settings, keys, "platform_requested");
  if (!choice.ok) throw new Problem(choice.code);
  const facts = await dbOf(companyId).batch(selectSendableFacts({ companyId, contentKey: eventType, lane: LANE }));
  const name = storedCompanyName(
    { storedName: facts.name.first?.name ?? null, provider: facts.provider.first },
    settings,
  );
  const people = await hashPeople(
    recipients.map(({ email }) => email),
    keys,
  );
  const messages = recipients.map(({ email, userId, language }) => {
    const content = pinContent({
      event,
      language: { value: language, source: "recipient" },
      customTemplate: null,
      defaults: facts.contents.rows,
      authLinkHosts: settings.authLinkHosts,
    });
    if (content === null) throw libraryMissing(services);
    return {
      id: newMessageId(),
      recipient: { email, userId, path: "" },
      hashes: hashesOf(people, email),
      ruleId: null,
      templateKey: eventType,
      content,
      variables: { company_name: name.value, ...variablesOf(notice, language) },
      name,
      suppressed: null,
      limits: [],
    };
  });
  const now = clock.now();
  const key = `alert-${notice.id}`;
  const windowStart = now - settings.idempotencyMs;
  // The recipients of a repeated call may differ, so the fingerprint is only the notice.
  const idempotency = { key, path: "watch", fingerprints: [notice.id], windowStart, lock: key };
  const origin = { companyId, service: event.service, clientId: null, idempotency, now };
  const kind = { eventType, lane: LANE, category: LANE, hasSeparateLimit: false } as const;
  const winner = await acceptMessages(
    services,
    { origin, kind, sender: choice.sender, ttlMs: null },
    { messages, statements: [endMail({ id: notice.id })] },
  );
  if (winner !== null) {
    await platformDb.run(endMail({ id: notice.id }));
    return 0;
  }
  await handOver(
    services,
    LANE,
    messages.map(({ id }) => ({ id, company_id: companyId })),
  );
  return messages.length;
}

/** Returns the addresses of `WATCH_EMAILS`, or else the staff. */
async function recipientsOf({ settings, identity }: EmailServices): Promise<Recipient[]> {
  const { emails, language } = settings.watch;
  if (emails.length > 0) return [...new Set(emails)].map((email) => ({ email, userId: null, language }));
  const staff = await withTimeout(identity.rpc.staff(), STAFF_TIMEOUT_MS);
  return staff.map(({ id, email, language: chosen }) => ({ email, userId: id, language: chosen }));
}

/** Returns the variables of a mail about a notice. Times are in UTC. */
function variablesOf({ alerts, kind }: AlertNoticeRow, language: EmailLanguage) {
  const timeText = (at: number) =>
    VALUE_FORMATS.date?.(new Date(at).toISOString(), { language, timeZone: "UTC" }) ?? "";
  return {
    summary: summaryOf(alerts, language),
    alerts: alerts.map((alert) => ({
      problem: nameOfAlert(alert, language),
      service: alert.service,
      ...(alert.count === null || kind === "resolved" ? {} : { count: String(alert.count) }),
      since: timeText(alert.started_at),
      ...(alert.ended_at === null ? {} : { until: timeText(alert.ended_at) }),
    })),
  };
}
