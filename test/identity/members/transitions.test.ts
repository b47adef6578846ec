import { env } from "cloudflare:test";
import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { type Transition, transitions } from "../../../db/identity/conditions/transitions";
import { event_log, invitations, memberships, sign_in_requests } from "../../../db/identity/schema";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import {
  acceptBySignIn,
  admitStaff,
  changeAccess,
  changeAccessByDirectory,
  importMembers,
  insertOwnerMemberships,
  joinBySignIn,
  leaveOtherCompanies,
  refuseBySignIn,
  removeMembership,
} from "../../../workers/identity/company/memberships/transition.store";
import { openDb } from "../../../workers/kit/db/db";
import type { Bound } from "../../../workers/kit/db/statement";
import { createCompany, createUser, freshEmail } from "../../support/identity/identity";
import { insertRow, readRows } from "../../support/identity/rows";

const states = ["allowed", "pending", "denied"] as const;
const reasons = ["join_rule", "admin", "scim"] as const;
type Row = { state: (typeof states)[number]; reason: (typeof reasons)[number] };
const starts: (Row | null)[] = [null, ...states.flatMap((state) => reasons.map((reason) => ({ state, reason })))];

/** A user with or without a membership. Statements may depend on a one-time row (`nonce`) and an event (`key`). */
type Subject = { companyId: number; userId: number; email: string; other: number; key: string; nonce: string };

const db = openDb((env as unknown as IdentityBindings).DB);
const now = 5000;

/** The statements of each transition. The type requires an entry for every transition in the table. */
const statements: Record<keyof typeof transitions, (subject: Subject) => Bound<unknown> | Bound<unknown>[]> = {
  join: ({ companyId, email, key, nonce }) => joinBySignIn.magic_link({ companyId, email, key, nonce, now, today: 0 }),
  acceptInvitation: ({ companyId, email, key, nonce }) =>
    acceptBySignIn.magic_link({ companyId, email, key, nonce, invitationId: key, now }),
  await: (subject) => refuseStatements("pending", subject),
  refuse: (subject) => refuseStatements("denied", subject),
  enable: ({ companyId, userId }) => changeAccess.enable({ companyId, userId, now }),
  suspend: ({ companyId, userId }) => changeAccess.suspend({ companyId, userId, now }),
  deny: ({ companyId, userId }) => changeAccess.deny({ companyId, userId, now }),
  remove: ({ companyId, userId }) => removeMembership({ companyId, userId }),
  provision: ({ companyId, email }) => changeAccessByDirectory.provision({ companyId, email, now }),
  deprovision: ({ companyId, email }) => changeAccessByDirectory.deprovision({ companyId, email, now }),
  createCompany: ({ email, key }) =>
    insertOwnerMemberships({ eventId: key, now, ownerEmails: [email], admitsStaff: false }),
  importPerson: ({ companyId, email }) => importMembers.add({ companyId, people: [{ email, created_at: 1 }], now }),
  importAllowed: ({ companyId, email }) => importMembers.allow({ companyId, people: [{ email, created_at: 1 }], now }),
  admitStaff: ({ companyId, email }) => admitStaff({ companyId, email, now }),
  leaveForStaff: ({ email, other }) => leaveOtherCompanies({ email, companyId: other }),
};

function refuseStatements(state: "pending" | "denied", { companyId, email }: Subject): Bound<unknown>[] {
  const { create, update } = refuseBySignIn[state].oauth;
  const input = { companyId, email, now, key: null, nonce: null };
  return [create(input), update(input)];
}

async function setUp(start: Row | null, isStaff: boolean): Promise<Subject> {
  const [company, other] = await Promise.all([createCompany(), createCompany()]);
  const email = freshEmail();
  const [key, nonce] = [crypto.randomUUID(), crypto.randomUUID()];
  const membership = start && { company: company.id, state: start.state, reason: start.reason };
  const request = { id: key, company_id: company.id, email, token_hash: key, redirect_to: "", language: "en" };
  const type = "identity.company.created";
  const event = { company_id: company.id, id: key, event_id: key, event_type: type, data: "{}", created_at: 1 };
  const [userId] = await Promise.all([
    createUser({ email, staff: isStaff, ...membership }),
    insertRow(sign_in_requests, {
      ...request,
      token_delivery: "code" as const,
      created_at: 1,
      expires_at: 1,
      consume_nonce: nonce,
    }),
    insertRow(invitations, {
      id: key,
      company_id: company.id,
      email,
      language: "en",
      app_url: "",
      token_hash: key,
      status: "pending",
      created_at: 2,
      expires_at: now + 1,
    }),
    insertRow(event_log, event),
  ]);
  return { companyId: company.id, userId, email, other: other.id, key, nonce };
}

async function readState({ companyId, userId }: Subject): Promise<Row | null> {
  const isMembership = and(eq(memberships.company_id, companyId), eq(memberships.user_id, userId));
  const [row] = await readRows(memberships, isMembership);
  return row ? { state: row.state, reason: row.state_reason } : null;
}

/** Returns the state that the table expects after the transition. */
function expectedState({ fromNone, from, to }: Transition, start: Row | null): Row | null {
  const isStart = start
    ? from.some(
        ({ state, reasons: allowedReasons }) =>
          state === start.state && (allowedReasons?.includes(start.reason) ?? true),
      )
    : fromNone;
  return isStart ? to : start;
}

it.each(Object.keys(statements) as (keyof typeof transitions)[])(
  "applies the transition %s only from the states that `transitions` lists",
  async (name) => {
    const transition: Transition = transitions[name];
    const cases = await Promise.all(
      starts.map(async (start) => {
        const subject = setUp(start, transition.staff === "only");
        const excluded = transition.staff === "any" ? null : setUp(start, transition.staff === "never");
        return { start, subject: await subject, unchanged: await excluded };
      }),
    );
    for (const { start, subject, unchanged } of cases) {
      const statement = statements[name](subject);
      // A batch may run twice when its result was lost.
      for (let times = 0; times < 2; times++) await db.batch({ one: statement });
      expect(await readState(subject), JSON.stringify(start)).toEqual(expectedState(transition, start));
      if (unchanged === null) continue;
      await db.batch({ one: statements[name](unchanged) });
      expect(await readState(unchanged), `unchanged ${JSON.stringify(start)}`).toEqual(start);
    }
  },
);

it("ends sessions, tokens and ownership in every transition that leaves the state `allowed`", () => {
  for (const [name, transition] of Object.entries<Transition>(transitions)) {
    const leaves = transition.to?.state !== "allowed" && transition.from.some(({ state }) => state === "allowed");
    expect([name, transition.ends]).toEqual([name, leaves ? ["ownership", "sessions", "tokens"] : []]);
  }
});
