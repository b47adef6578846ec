import { uuid } from "../../kit/crypto/random";
import { seal } from "../../kit/crypto/seal";
import type { SqlValue } from "../../kit/db";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-log/new-event";
import { type CompanyRow, findOwners, findStaffMembers } from "../account/person.store";
import { insertRequestedEvent, insertUserCreatedEvent } from "../audit/event-log.store";
import { insertMailOfChange } from "../mail/mail.store";
import type { IdentityServices } from "../services";
import type { RefusalStatements } from "./sign-in.store";

/** A sign-in that the join rules refuse and that leaves a membership for an administrator to decide on. */
export type Refusal = {
  /** of the attempt, e.g. of the request row; the owners are asked once for it */
  id: string;
  email: string;
  state: "pending" | "denied";
  source: "magic_link" | "oauth";
  /** unix ms of the whole batch */
  now: number;
  /** what makes the account, when there is none */
  opening: D1PreparedStatement[];
  statements: RefusalStatements;
  guard: SqlValue[];
  /** provider id, for the event of a new account */
  provider?: string;
};

type Administrator = { id: number; email: string };

/**
 * Stores user and membership of a refused sign-in, and the mail to who decides, in one batch (details 5, rule 7). Only the
 * first move from none mails; repeats change nothing.
 */
export async function storeRefusal(services: IdentityServices, company: CompanyRow, refusal: Refusal): Promise<void> {
  const { db } = services;
  const { email, state, source, now, opening, statements, guard, provider } = refusal;
  const [owners, staff] = await db.batch<[Administrator, Administrator]>([
    findOwners.bind(db, company.id),
    findStaffMembers.bind(db, company.id),
  ]);
  const asked = owners.results.length > 0 ? owners.results : staff.results;
  const mailId = uuid();
  const requested = uuid();
  const created = uuid();
  const more = storableData(provider ? { oauth_provider: provider } : {});
  const batch = [
    ...opening,
    statements.createMembership.bind(db, company.id, email, state, now, ...guard),
    ...(asked.length > 0 ? [await mailTo(services, company, refusal, asked, mailId)] : []),
    insertRequestedEvent.bind(db, email, company.id, requested, source, state, now),
    statements.moveMembership.bind(db, company.id, email, state, now, ...guard),
    insertUserCreatedEvent.bind(db, email, company.id, created, now, source, more),
  ];
  const results = await batchWithEvents<{ user_id: number }[]>(services.actions, batch, [requested, created]);
  const membership = results[opening.length];
  if (asked.length === 0 || !membership || membership.results.length === 0) return;
  await services.queue.send({ v: 1, kind: "mail", id: mailId, request_id: services.requestId });
}

/** The sealed mail to the owners, or to the company's staff members where there is no owner. */
async function mailTo(
  services: IdentityServices,
  company: CompanyRow,
  refusal: Refusal,
  asked: Administrator[],
  id: string,
): Promise<D1PreparedStatement> {
  const { db } = services;
  const key = `membership-requested-${company.id}-${refusal.id}`;
  const mail = {
    company_id: company.id,
    template_key: "identity.membership.requested",
    idempotency_key: key,
    to: asked.map(({ id: user_id, email }) => ({ email, user_id })),
    variables: { company_name: company.name, requester_email: refusal.email },
  };
  const sealed = await seal(JSON.stringify(mail), (await services.keys()).sealing, `identity:mail_outbox:${id}`);
  const deadline = refusal.now + 24 * 3_600_000;
  const { requestId } = services;
  return insertMailOfChange.bind(db, id, company.id, "membership", key, sealed, refusal.now, deadline, requestId);
}
