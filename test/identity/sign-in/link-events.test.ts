import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { action_deliveries, action_rules, preferences } from "../../../db/identity/schema";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  requestLink,
  signIn,
} from "../../support/identity/identity";
import { entriesOf, rowsOfCompany, updateRows } from "../../support/identity/rows";
import { createNetwork } from "../../support/net/network";
import { setUpWebhooks } from "../../support/webhooks/api";

afterEach(() => {
  vi.restoreAllMocks();
});

const type = "identity.auth.magic_link.requested";

describe("event of a requested link", () => {
  /** Requests a link for an address and returns the data of the event. */
  async function dataFor(company: { id: number; origin: string }, email: string) {
    const mailbox = createMailbox();
    await requestLink(identityEnv(mailbox), mailbox, company, email);
    const events = (await entriesOf(company.id, type)).filter(({ user_email }) => user_email === email);
    expect(events).toHaveLength(1);
    const data = JSON.parse(events[0]?.data ?? "") as Record<string, unknown>;
    expect(JSON.parse(events[0]?.envelope ?? "")).toMatchObject({ type, data });
    return data;
  }

  const always = (email: string) => ({
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    email,
    expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });

  it("contains user, language and region only for an allowed member", async () => {
    const company = await createCompany();
    const [plain, french] = [freshEmail(), freshEmail()];
    const id = await createUser({ email: plain, company: company.id });
    expect(await dataFor(company, plain)).toEqual({ ...always(plain), user_id: id, language: "en", region: "UTC" });
    const other = await createUser({ email: french, company: company.id, language: "fr" });
    await updateRows(preferences, { region: "Europe/Paris" }, eq(preferences.user_id, other));
    expect(await dataFor(company, french)).toEqual({
      ...always(french),
      user_id: other,
      language: "fr",
      region: "Europe/Paris",
    });
  });

  it.each([
    ["nobody", async () => undefined],
    [
      "a member of another company",
      async (email: string) => createUser({ email, company: (await createCompany()).id }),
    ],
    ["a pending member", (email: string, company: number) => createUser({ email, company, state: "pending" })],
    ["a denied member", (email: string, company: number) => createUser({ email, company, state: "denied" })],
  ])("contains no more data for %s than for any other address", async (_who, make) => {
    const company = await createCompany();
    const email = freshEmail();
    await make(email, company.id);
    expect(await dataFor(company, email)).toEqual(always(email));
  });
});

it("completes a sign-in when the webhook of the link event is broken and the queues are unavailable", async () => {
  createNetwork();
  const { company, createRule } = await setUpWebhooks();
  for (const event_type of [type, "identity.user.created"]) await createRule({ event_type });
  const broken = await createRule({ event_type: type });
  await updateRows(action_rules, { secret_enc: "nonsense" }, eq(action_rules.id, broken.id));
  const mailbox = createMailbox();
  const refuse = () => Promise.reject(new Error("the queue is unavailable"));
  const queue = { send: refuse, sendBatch: refuse } as unknown as Queue;
  const bindings = { ...identityEnv(mailbox), WEBHOOKS_QUEUE: queue, SERVICE_QUEUE: queue };
  const email = freshEmail();
  const tokens = await signIn(bindings, mailbox, company, email);
  expect(tokens.provider).toBe("magic_link");
  expect(mailbox.sent.map(({ to }) => to[0]?.email)).toEqual([email]);
  const waiting = (await rowsOfCompany(action_deliveries, company.id)).filter(({ kind }) => kind === "webhook");
  expect(waiting.map(({ event_type }) => event_type).sort()).toEqual([type, type, "identity.user.created"]);
  const body = { company_id: company.id, email, redirect_to: `${company.origin}/x` };
  expect((await callIdentity(bindings, "/api/v1/magic-link/request", json(body))).status).toBe(200);
});
