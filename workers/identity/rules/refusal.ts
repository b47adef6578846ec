import { uuid } from "../../kit/crypto/random";
import { seal } from "../../kit/crypto/seal";
import type { SqlValue } from "../../kit/db";
import type { IdentityServices } from "../services";
import { insertRequestedEvent, insertUserCreatedEvent } from "../store/event-log";
import { insertMail } from "../store/mail-outbox";
import { type CompanyRow, findOwners } from "../store/people";
import type { RefusalStatements } from "../store/sign-in";

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

/**
 * Stores user and membership of a refused sign-in in a batch of its own (details 5, rule 7); repeats change nothing and
 * mail nobody.
 */
export async function storeRefusal(services: IdentityServices, company: CompanyRow, refusal: Refusal): Promise<void> {
  const { db } = services;
  const { email, state, source, now, opening, statements, guard, provider } = refusal;
  const more = JSON.stringify(provider ? { oauth_provider: provider } : {});
  const results = await db.batch<{ user_id: number }[]>([
    ...opening,
    statements.createMembership.bind(db, company.id, email, state, now, ...guard),
    insertRequestedEvent.bind(db, email, company.id, uuid(), source, state, now),
    statements.moveMembership.bind(db, company.id, email, state, now, ...guard),
    insertUserCreatedEvent.bind(db, email, company.id, uuid(), now, source, more),
  ]);
  const created = results[opening.length];
  if (created && created.results.length > 0) await askOwners(services, company, refusal);
}

/** Mails the owners that somebody asks for access, on the first move from none only (details 5). */
async function askOwners(services: IdentityServices, company: CompanyRow, refusal: Refusal): Promise<void> {
  const { db, clock } = services;
  const owners = await db.all<{ id: number; email: string }>(findOwners.bind(db, company.id));
  if (owners.length === 0) return;
  const now = clock.now();
  const id = uuid();
  const mail = {
    company_id: company.id,
    template_key: "identity.membership.requested",
    idempotency_key: `membership-requested-${company.id}-${refusal.id}`,
    to: owners.map((owner) => ({ email: owner.email, user_id: owner.id })),
    variables: { company_name: company.name, requester_email: refusal.email },
  };
  const sealed = await seal(JSON.stringify(mail), (await services.keys()).sealing, `identity:mail_outbox:${id}`);
  const deadline = now + 24 * 3_600_000;
  await db.run(
    insertMail.bind(db, id, company.id, "membership", mail.idempotency_key, sealed, now, deadline, services.requestId),
  );
  await services.queue.send({ v: 1, kind: "mail", id, request_id: services.requestId });
}
