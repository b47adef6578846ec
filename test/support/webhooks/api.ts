import { eq } from "drizzle-orm";
import { companies } from "../../../db/identity/schema";
import { action_deliveries, delivery_attempts, PLATFORM } from "../../../db/kit/webhooks";
import { clock } from "../../../workers/kit/clock";
import { type Envelope, toCanonicalJson } from "../../../workers/kit/webhooks/events/envelope";
import { eventIdAt } from "../db/event-ids";
import { callIdentity, createCompany, createMailbox, createUser, freshEmail, identityEnv } from "../identity/identity";
import { createPat, createSession } from "../identity/personal-access-tokens";
import { insertEvent, insertRow, readRows } from "./rows";

export const eventType = "identity.user.created";

/** The default URL of subscriptions in tests. */
export const ruleUrl = "https://hooks.example.com/x";

/** Valid fields of a new subscription. */
export const ruleFields = { name: "Bot", event_type: eventType, url: ruleUrl };

type NewDelivery = typeof action_deliveries.$inferInsert;
type NewAttempt = typeof delivery_attempts.$inferInsert;
type JsonResponse = { status: number; body: Record<string, unknown> & { error_code?: string }; headers: Headers };

/**
 * Creates a company with an owner and a member, another company with an owner and a staff user, and helpers that send
 * requests with their tokens.
 */
export async function setUpWebhooks(vars: Record<string, string> = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox, { AUTH_RATE_LIMIT_MAGIC_LINK: "off", ...vars });
  const [company, other] = await Promise.all([createCompany(), createCompany()]);
  const signInUser = async (at: { id: number }, options: Partial<Parameters<typeof createUser>[0]>) => {
    const email = freshEmail();
    const id = await createUser({ email, company: at.id, ...options });
    return { id, email, token: await createSession(env, { user: id, company: at.id }) };
  };
  const [owner, member, staff, foreign] = await Promise.all([
    signInUser(company, { owner: true }),
    signInUser(company, {}),
    signInUser(other, { staff: true }),
    signInUser(other, { owner: true }),
  ]);
  const pat = async (readOnly: boolean) =>
    (await createPat(env, { user: owner.id, company: company.id, readOnly })).token;
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    token: string | null = owner.token,
  ): Promise<JsonResponse> => {
    const response = await callIdentity(env, `/api/v1/actions${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text), headers: response.headers };
  };
  /** Returns the status and code of an error, with its fields. */
  const code = async (...args: Parameters<typeof call>) => {
    const { status, body } = await call(...args);
    return [status, body.error_code ?? null, ...(body.field_errors ? [body.field_errors] : [])];
  };
  const createRule = async (fields: Record<string, unknown> = {}, token?: string) => {
    const { status, body } = await call("POST", "/rules", { ...ruleFields, ...fields }, token);
    if (status !== 201) throw new Error(`no rule: ${status} ${JSON.stringify(body)}`);
    return body as { id: number; secret: string; config: Record<string, unknown> } & Record<string, unknown>;
  };
  return {
    env,
    mailbox,
    company,
    other,
    owner,
    member,
    staff,
    foreign,
    person: signInUser,
    pat,
    call,
    code,
    createRule,
  };
}

/** Returns the `company` object of identity's event envelopes. */
export async function companyPartOf(id: number) {
  const [row] = await readRows(companies, eq(companies.id, id));
  return row && { id, slug: row.slug, name: row.name };
}

/** Stores a delivery of a subscription. By default it is pending and waits for its wake-up message. */
export function storeDelivery(delivery: { company_id: number; rule_id: number } & Partial<NewDelivery>) {
  const now = clock.now();
  const [id, event_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const envelope: Envelope = {
    id: event_id,
    type: eventType,
    time: "2026-01-01T00:00:00.000+00:00",
    company: { id: delivery.company_id },
    data: { email: "mina@example.com" },
  };
  return insertRow(action_deliveries, {
    id,
    kind: "webhook",
    rule_name: "Bot",
    event_id,
    event_type: eventType,
    host: "hooks.example.com",
    body: JSON.stringify(envelope),
    status: "pending",
    due_at: now + 30_000,
    created_at: now,
    updated_at: now,
    ...delivery,
  });
}

/** Stores an attempt of a delivery. */
export async function storeAttempt(seq: number, attempt: Partial<NewAttempt> = {}): Promise<void> {
  await insertRow(delivery_attempts, {
    delivery_seq: seq,
    lease_token: crypto.randomUUID(),
    status: "failure",
    http_status: 500,
    error_code: "http_status",
    error_message: "HTTP 500: no",
    attempt_number: 1,
    requeue_count: 0,
    duration_ms: 12,
    trigger: "dispatch",
    created_at: clock.now(),
    ...attempt,
  });
}

/** Stores an event of a company, or of the platform for null. */
export async function storeEvent(company: number | null, type = eventType, hasEnvelope = true) {
  const created_at = clock.now();
  const event_id = eventIdAt(created_at);
  const envelope = toCanonicalJson({
    id: event_id,
    type,
    time: "2026-01-01T00:00:00.000+00:00",
    company: { id: company },
    data: { email: "é@example.com" },
  });
  const row = { id: event_id, company_id: company ?? PLATFORM, event_type: type, created_at };
  return { ...(await insertEvent({ ...row, envelope: hasEnvelope ? envelope : null })), envelope };
}
