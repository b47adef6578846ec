import { clock } from "../../../workers/kit/clock";
import { type Envelope, toCanonicalJson } from "../../../workers/kit/webhooks/event-log/envelope";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  rows,
  signIn,
} from "../identity/identity";
import { createPat } from "../identity/personal-access-tokens";

export const eventType = "identity.user.created";

/** Where rules of tests post to, unless they say otherwise. */
export const ruleUrl = "https://hooks.example.com/x";

/** The fields of a rule that can be made. */
export const ruleFields = { name: "Bot", event_type: eventType, url: ruleUrl };

type Answer = { status: number; body: Record<string, unknown> & { error_code?: string }; headers: Headers };

/** A company with an owner, a member, staff of another company, and calls by their tokens. */
export async function setUpActions(vars: Record<string, string> = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox, { AUTH_RATE_LIMIT_MAGIC_LINK: "off", ...vars });
  const [company, other] = [await createCompany(), await createCompany()];
  const person = async (at: { id: number; origin: string }, options: Partial<Parameters<typeof createUser>[0]>) => {
    const email = freshEmail();
    const id = await createUser({ email, company: at.id, ...options });
    return { id, email, token: (await signIn(env, mailbox, at, email)).access_token };
  };
  const owner = await person(company, { owner: true });
  const member = await person(company, {});
  const staff = await person(other, { staff: true });
  const foreign = await person(other, { owner: true });
  // Sign-ins have written events; each test writes its own.
  await rows("DELETE FROM event_log WHERE company_id IN (?, ?)", company.id, other.id);
  const pat = async (readOnly: boolean) =>
    (await createPat(env, { user: owner.id, company: company.id, readOnly })).token;
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    token: string | null = owner.token,
  ): Promise<Answer> => {
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
  /** Status and code of a refusal, with its fields. */
  const code = async (...args: Parameters<typeof call>) => {
    const { status, body } = await call(...args);
    return [status, body.error_code ?? null, ...(body.field_errors ? [body.field_errors] : [])];
  };
  const createRule = async (fields: Record<string, unknown> = {}, token?: string) => {
    const { status, body } = await call("POST", "/rules", { ...ruleFields, ...fields }, token);
    if (status !== 201) throw new Error(`no rule: ${status} ${JSON.stringify(body)}`);
    return body as { id: number; secret: string; config: Record<string, unknown> } & Record<string, unknown>;
  };
  return { env, mailbox, company, other, owner, member, staff, foreign, person, pat, call, code, createRule };
}

/** A rule as it is stored. */
export const storedRule = async (id: number) => (await rows("SELECT * FROM action_rules WHERE id = ?", id))[0] ?? {};

/** A stored delivery of a rule; columns that are not given are those of one that waits for its doorbell. */
export async function storeDelivery(
  delivery: { company_id: number; rule_id: number } & Record<string, string | number | null>,
): Promise<{ id: string; seq: number }> {
  const now = clock.now();
  const [id, event_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const envelope: Envelope = {
    id: event_id,
    type: eventType,
    time: "2026-01-01T00:00:00.000+00:00",
    company: { id: delivery.company_id },
    data: { email: "mina@example.com" },
  };
  const columns: Record<string, string | number | null> = {
    ...{ id, kind: "webhook", rule_name: "Bot", event_id, event_type: eventType, host: "hooks.example.com" },
    ...{ body: JSON.stringify(envelope), status: "pending", due_at: now + 30_000, created_at: now, updated_at: now },
    ...delivery,
  };
  const names = Object.keys(columns);
  const [row] = await rows<{ id: string; seq: number }>(
    `INSERT INTO action_deliveries (${names}) VALUES (${names.map(() => "?")}) RETURNING id, seq`,
    ...Object.values(columns),
  );
  if (!row) throw new Error("not stored");
  return row;
}

/** A stored attempt of a delivery. */
export async function storeAttempt(seq: number, attempt: Record<string, string | number | null> = {}): Promise<void> {
  const columns: Record<string, string | number | null> = {
    ...{ delivery_seq: seq, lease_token: crypto.randomUUID(), status: "failure", http_status: 500 },
    ...{ error_code: "http_status", error_message: "HTTP 500: no", attempt_number: 1, requeue_count: 0 },
    ...{ duration_ms: 12, trigger: "dispatch", created_at: clock.now() },
    ...attempt,
  };
  const names = Object.keys(columns);
  await rows(`INSERT INTO delivery_attempts (${names}) VALUES (${names.map(() => "?")})`, ...Object.values(columns));
}

/** Stores an event of the log; null: of the platform. */
export async function storeEvent(company: number | null, type = eventType, hasEnvelope = true) {
  const event_id = crypto.randomUUID();
  const envelope = toCanonicalJson({
    id: event_id,
    type,
    time: "2026-01-01T00:00:00.000+00:00",
    company: { id: company },
    data: { email: "é@example.com" },
  });
  const [row] = await rows<{ id: number }>(
    "INSERT INTO event_log (event_id, company_id, event_type, data, envelope, created_at) VALUES (?, ?, ?, '{}', ?, ?) RETURNING id",
    event_id,
    company,
    type,
    hasEnvelope ? envelope : null,
    clock.now(),
  );
  return { id: row?.id ?? 0, event_id, envelope };
}
