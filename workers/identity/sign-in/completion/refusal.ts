import type { Source } from "../../../../db/identity/conditions/one-time-row";
import type { CompanyRow } from "../../../../db/identity/schema";
import { consoleLink } from "../../../kit/console-link";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { DAY_MS, iso } from "../../../kit/time";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { mailedNameOf } from "../../company/company/company";
import { refusalStatements } from "../../company/memberships/membership";
import { queueMailOfChange } from "../../mail/outbox/mail";
import { timeZoneOf } from "../../mail/outbox/mail-time-zone";
import { userCreatedEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { newUsernames } from "../../users/profiles/username";
import { signInMethods } from "../methods/catalog";
import {
  type Administrator,
  createRefusedUser,
  findOwners,
  findStaffMembers,
  insertRequestedEvent,
} from "./refusal.store";

/** A sign-in that the join rules reject. It stores a membership, so that an administrator can decide about it. */
export type Refusal = {
  /** id of the sign-in, e.g. of its request row; owners are notified once per id */
  id: string;
  email: string;
  state: "pending" | "denied";
  source: Source;
  /** time of all changes in the batch (unix ms) */
  now: number;
  /** the statements that create the account when there is none */
  opening: readonly Bound<unknown>[];
  /** the consumed state of a sign-in by a provider; null for a link, which is not consumed */
  consumption: { key: string; nonce: string } | null;
  /** the provider as a session would name it, for the event about a new account */
  provider: string;
};

/** Returns the statement that inserts the account of a user whose first sign-in by link is rejected. */
export function refusedUser(email: string, now: number): Bound {
  return createRefusedUser({ email, now, ...newUsernames(email) });
}

/**
 * Stores the user and the membership of a rejected sign-in, and the mail to the owners, in one batch. The mail is stored and
 * enqueued only for a new membership. A repeat changes nothing.
 */
export async function storeRefusal(services: IdentityServices, company: CompanyRow, refusal: Refusal): Promise<void> {
  const { db } = services;
  const { email, state, source, now, opening, consumption, provider } = refusal;
  const companyId = company.id;
  const { owners, staff } = await db.batch({
    owners: findOwners({ companyId }),
    staff: findStaffMembers({ companyId }),
  });
  const recipients = owners.rows.length > 0 ? owners.rows : staff.rows;
  const mails = [...new Set(recipients.map(({ language }) => language))].map((language) => ({ id: uuid(), language }));
  const requestedEventId = services.newEventId();
  const createdEventId = services.newEventId();
  const data = signInMethods[source].accountData(provider);
  const { created: insertedMembership, updated } = refusalStatements(source, state, {
    consumption,
    companyId,
    email,
    now,
  });
  const { membership } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      opening,
      membership: followedBy(
        insertedMembership,
        ...(await Promise.all(mails.map((mail) => mailTo(services, company, refusal, recipients, mail)))),
        insertRequestedEvent({ email, companyId, eventId: requestedEventId, source, state, now }),
      ),
      updated,
      created: userCreatedEntry({ email, companyId, eventId: createdEventId, source, data, now }),
    },
    [requestedEventId, createdEventId].map((id) => ({ id, company_id: companyId })),
  );
  if (!membership.first) return;
  for (const { id } of mails) {
    await services.queue.send({ v: 1, kind: "mail", company_id: companyId, id, request_id: services.requestId });
  }
}

/**
 * Returns the statement that queues the mail to the recipients who read `language`: the owners, or the company's staff members when it
 * has no owner.
 */
function mailTo(
  services: IdentityServices,
  company: CompanyRow,
  { id: attempt, email: requester, state, now }: Refusal,
  recipients: Administrator[],
  { id, language }: { id: string; language: string },
): Promise<Bound> {
  const decision = consoleLink(services.settings.webhooks.email.consoleUrl, `/people?access_state=${state}`);
  const mail = {
    company_id: company.id,
    template_key: "identity.membership.requested",
    language,
    idempotency_key: `membership-requested-${company.id}-${attempt}-${language}`,
    to: recipients
      .filter((recipient) => recipient.language === language)
      .map(({ id: user_id, email, region }) => ({ email, user_id, ...timeZoneOf(region) })),
    variables: {
      company_name: mailedNameOf(company),
      requester_email: requester,
      occurred_at: iso(now),
      ...decision,
      ...(decision.action_url === undefined ? {} : { review_url: decision.action_url }),
    },
  };
  return queueMailOfChange(services, { id, mail, now, lifeMs: DAY_MS });
}
