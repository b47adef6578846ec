import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { action_deliveries, event_log } from "../../../../db/kit/webhooks";
import type { Bound } from "../../../../workers/kit/db/statement";
import { uuid } from "../../../../workers/kit/ids";
import {
  batchWithEvents,
  deliveryStatements,
  eventStatement,
  keyOfEvent,
} from "../../../../workers/kit/webhooks/event-store/new-event";
import { toCanonicalJson } from "../../../../workers/kit/webhooks/events/envelope";
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
} from "../../../support/identity/identity";
import { changeCompany, findUser, findUserByEmail } from "../../../support/identity/rows";
import { companyPartOf } from "../../../support/webhooks/api";
import { forgetDeliveries, freshKey, hook, recorded, startWebhooks, textOf } from "../../../support/webhooks/dispatch";
import { deliveriesWhere, eventsWhere } from "../../../support/webhooks/rows";

beforeEach(forgetDeliveries);

/**
 * Returns a statement that violates a constraint. It is not registered, because the plan test may run in the same
 * isolate.
 */
const insertNobody = (): Bound => ({
  parts: [{ text: "INSERT INTO users (id, email) VALUES (NULL, NULL)", values: [] }],
  read: (row) => row as never,
});

const events = (companyId: number) => eventsWhere(eq(event_log.company_id, companyId));

describe("a new event", () => {
  it("creates one delivery for each enabled rule of its company and type, all with its envelope's bytes", async () => {
    const webhooks = startWebhooks();
    const rules = [await webhooks.addRule(), await webhooks.addRule()];
    await webhooks.addRule({ enabled: false });
    await webhooks.addRule({ eventType: "identity.group.deleted" });
    await webhooks.addRule({ companyId: webhooks.companyId + 1 });
    const data = { display_name: 'Ärzte \u2028 "x"', group_id: 3, source: null, nested: { b: [1, 2.5, true], a: "é" } };
    const { eventId, ids } = await webhooks.emit({ data, actor: { kind: "session", user_id: 9 } });
    const rows = await webhooks.deliveries();
    expect(rows.map(({ rule_id }) => rule_id)).toEqual(rules);
    expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const [event] = await events(webhooks.companyId);
    const parsed = JSON.parse(event?.envelope ?? "null");
    expect(parsed).toEqual({
      id: eventId,
      type: "identity.group.created",
      company: null,
      actor: { kind: "session", user_id: 9 },
      data,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
    });
    // SQL and JavaScript create the same bytes.
    expect(event?.envelope).toBe(toCanonicalJson(parsed));
    for (const row of rows) {
      expect(row).toMatchObject({
        kind: "webhook",
        event_id: eventId,
        status: "pending",
        attempt_count: 0,
        claim_count: 0,
        requeue_count: 0,
        rule_name: "Hook",
        body: event?.envelope,
        dispatched_at: null,
        locked_until: null,
      });
      expect(row.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(row.due_at - row.created_at).toBe(30_000);
    }
    expect(webhooks.wakeUps).toEqual([
      { v: 1, kind: "first", company_id: webhooks.companyId, ids, request_id: "test-request" },
    ]);
  });

  it("is stored without secrets", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    const data = {
      group_id: 1,
      api_key: "k",
      link: "https://x.example.com/?token=abc",
      inner: [{ password: "p", ok: 1 }],
    };
    await webhooks.emit({ data });
    const [event] = await events(webhooks.companyId);
    expect(JSON.parse(event?.data ?? "")).toEqual({ group_id: 1, inner: [{ ok: 1 }] });
    expect(JSON.parse(event?.envelope ?? "").data).toEqual({ group_id: 1, inner: [{ ok: 1 }] });
  });

  it("stores and enqueues nothing when its batch fails", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    const context = webhooks.build();
    const event = { id: uuid(), type: "identity.group.created", companyId: webhooks.companyId, data: {} };
    const batch = { event: eventStatement(context, [event]), broken: insertNobody() };
    await expect(batchWithEvents(context, context.platformDb, batch, [keyOfEvent(event)])).rejects.toThrow(
      "constraint",
    );
    expect(await events(webhooks.companyId)).toEqual([]);
    expect(await webhooks.deliveries()).toEqual([]);
    expect(webhooks.wakeUps).toEqual([]);
  });

  it("creates its deliveries once when its batch is repeated, and returns them again", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    const context = webhooks.build();
    const event = { id: uuid(), type: "identity.group.created", companyId: webhooks.companyId, data: {} };
    const batch = () => ({
      event: eventStatement(context, [event]),
      deliveries: deliveryStatements(context, [keyOfEvent(event)]),
    });
    const first = await context.platformDb.batch(batch());
    const again = await context.platformDb.batch(batch());
    expect(again.deliveries.at(-1)?.rows).toEqual(first.deliveries.at(-1)?.rows);
    expect(await webhooks.deliveries()).toHaveLength(1);
    expect(await events(webhooks.companyId)).toHaveLength(1);
  });

  it("has no envelope and no delivery if it has no company", async () => {
    const webhooks = startWebhooks();
    const context = webhooks.build();
    const id = uuid();
    const event = { id, type: "identity.scheduled_job.succeeded", companyId: null, data: { run_id: 1 } };
    await batchWithEvents(context, context.platformDb, { event: eventStatement(context, [event]) }, [
      keyOfEvent(event),
    ]);
    expect(await eventsWhere(eq(event_log.id, id))).toMatchObject([{ company_id: 0, envelope: null }]);
    expect(await deliveriesWhere(eq(action_deliveries.event_id, id))).toEqual([]);
  });

  it("is delivered before the response in synchronous mode, and after it without a queue", async () => {
    for (const isSync of [true, false]) {
      const webhooks = startWebhooks({ settings: { isSync } });
      const key = freshKey();
      await webhooks.addRule({ url: hook("ok", key) });
      const late: Promise<unknown>[] = [];
      const context = webhooks.build({
        queues: { first: null, service: null },
        waitUntil: (work) => void late.push(work),
      });
      const event = {
        id: uuid(),
        type: "identity.group.created",
        companyId: webhooks.companyId,
        data: {},
      };
      await batchWithEvents(context, context.platformDb, { event: eventStatement(context, [event]) }, [
        keyOfEvent(event),
      ]);
      if (isSync) expect(await recorded(key)).toHaveLength(1);
      await Promise.all(late);
      expect(await recorded(key)).toHaveLength(1);
      expect(await webhooks.attempts()).toMatchObject([{ trigger: "dispatch", status: "success" }]);
    }
  });
});

describe("posts to the email service", () => {
  it("are created with the event, contain redacted data as variables, and are retried unchanged until accepted", async () => {
    const { id: companyId } = await createCompany();
    const owner = await createUser({ email: freshEmail(), company: companyId, owner: true });
    const requests: { url: string; headers: Headers; body: string }[] = [];
    const statuses = [503, 202];
    const email = {
      fetch: async (url: string, init: RequestInit) => {
        requests.push({
          url,
          headers: new Headers(init.headers),
          body: new TextDecoder().decode(init.body as Uint8Array),
        });
        return new Response("{}", { status: statuses.shift() ?? 202 });
      },
    } as unknown as Fetcher;
    const base = startWebhooks({ email }).settings;
    const webhooks = startWebhooks({
      email,
      settings: { email: { ...base.email, consoleUrl: "https://app.example.com/admin" } },
    });
    const { eventId, ids } = await webhooks.emit({
      companyId,
      type: "identity.group.updated",
      actor: { kind: "session", user_id: owner },
      data: { group_id: 1, display_name: "Ops", changed_fields: ["display_name", "members"], secret: "x" },
    });
    const [row] = await webhooks.deliveries(companyId);
    expect(row).toMatchObject({
      kind: "email",
      rule_id: -companyId,
      event_id: eventId,
      status: "pending",
      host: "email",
    });
    await webhooks.first(ids);
    webhooks.advance(30_000);
    expect(await webhooks.retry({ runId: 31 })).toMatchObject({
      email_events_attempted: 1,
      email_events_succeeded: 1,
      webhook_deliveries_attempted: 0,
    });
    const ownerRow = await findUser(owner);
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      service: "identity",
      event_type: "identity.group.updated",
      company_id: companyId,
      idempotency_key: eventId,
      payload: {
        group_id: 1,
        display_name: "Ops",
        changed_fields: "display_name, members",
        actor_kind: "session",
        actor_name: "Mina",
        action_url: "https://app.example.com/admin/groups/1",
        thread_id: 1,
        occurred_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      },
      recipients: [{ email: ownerRow?.email, user_id: owner, name: ownerRow?.first_name }],
    });
    expect(requests[1]?.body).toBe(requests[0]?.body);
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(["/api/v1/events", "/api/v1/events"]);
    expect(requests.map(({ headers }) => headers.get("x-request-id"))).toEqual(["cause", "sjr-31"]);
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer esk_test");
    expect(await webhooks.deliveries(companyId)).toMatchObject([{ status: "delivered", attempt_count: 2 }]);
    expect(await webhooks.totals()).toEqual({});
  });

  it("have the event's user as recipient, even if the address field has an older name", async () => {
    const webhooks = startWebhooks({
      email: { fetch: async () => new Response(null, { status: 202 }) } as unknown as Fetcher,
    });
    await webhooks.emit({
      type: "identity.user.deleted",
      data: { user_id: 5, email: "mina@example.com", username: "mina" },
    });
    await webhooks.emit({
      type: "identity.user.deleted",
      data: { email: "leo@example.com" },
    });
    const bodies = (await webhooks.deliveries()).map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ recipients }) => recipients)).toEqual([
      [{ email: "mina@example.com", user_id: 5 }],
      [{ email: "leo@example.com" }],
    ]);
    expect(bodies[0].payload).toMatchObject({ user_id: 5, recipient_email: "mina@example.com", username: "mina" });
  });

  it("are sent in the language of their user, and not before the user has access to a new account", async () => {
    const webhooks = startWebhooks({
      email: { fetch: async () => new Response(null, { status: 202 }) } as unknown as Fetcher,
    });
    const { id: companyId } = await createCompany();
    const email = freshEmail();
    const waiting = freshEmail();
    const userOf = { [email]: "allowed", [waiting]: "pending" } as const;
    for (const [address, state] of Object.entries(userOf)) {
      const user_id = await createUser({ email: address, company: companyId, state, language: "fr" });
      await webhooks.emit({ companyId, type: "identity.user.created", data: { user_id, email: address } });
    }
    const recipients = (await webhooks.deliveries(companyId)).map(({ body }) => JSON.parse(body).recipients);
    expect(recipients).toEqual([[expect.objectContaining({ email, language: "fr" })], []]);
  });

  it("link to the page that a user can open, and to none after the end of their access", async () => {
    const webhooks = startWebhooks({
      email: { fetch: async () => new Response(null, { status: 202 }) } as unknown as Fetcher,
    });
    const company = await createCompany();
    const types = ["identity.user.created", "identity.user.updated", "identity.user.deleted"];
    for (const type of types) await webhooks.emit({ companyId: company.id, type, data: { email: freshEmail() } });
    const data = { email: freshEmail(), changed_fields: ["is_active"] };
    await webhooks.emit({ companyId: company.id, type: "identity.user.updated", data });
    const links = (await webhooks.deliveries(company.id)).map(({ body }) => JSON.parse(body).payload.action_url);
    const { origin } = company;
    expect(links).toEqual([`${origin}/login`, `${origin}/__settings/account`, undefined, undefined]);
  });

  it("name the users who joined a group, and count those beyond the tenth", async () => {
    const webhooks = startWebhooks({
      email: { fetch: async () => new Response(null, { status: 202 }) } as unknown as Fetcher,
    });
    const ids = await Promise.all(Array.from({ length: 12 }, () => createUser({ email: freshEmail() })));
    for (const user_ids of [ids.slice(0, 2), ids, []]) {
      const data = { group_id: 1, change: "members_added", ...(user_ids.length > 0 ? { user_ids } : {}) };
      await webhooks.emit({ type: "identity.group.membership_changed", data });
    }
    const names = (await webhooks.deliveries()).map(({ body }) => JSON.parse(body).payload.member_names);
    expect(names).toEqual(["Mina, Mina", `${Array(10).fill("Mina").join(", ")} (+2)`, undefined]);
  });

  it("are created only for mailed types and with an API key, and end as email_disabled when the key is removed", async () => {
    const withoutQueue = startWebhooks();
    await withoutQueue.emit();
    expect(await withoutQueue.deliveries()).toEqual([]);
    const email = { fetch: async () => new Response(null, { status: 503 }) } as unknown as Fetcher;
    const webhooks = startWebhooks({ email });
    await webhooks.emit({ type: "identity.auth.magic_link.requested", data: { email: "a@example.com" } });
    await webhooks.emit({ type: "identity.membership.enabled", data: {} });
    expect(await webhooks.deliveries()).toEqual([]);
    const { ids } = await webhooks.emit();
    await webhooks.first(ids);
    webhooks.advance(30_000);
    const { email: mail } = webhooks.settings;
    const context = webhooks.build({ settings: { ...webhooks.settings, email: { ...mail, key: "" } } });
    expect(await webhooks.retry({}, context)).toMatchObject({ email_events_attempted: 0, email_events_given_up: 1 });
    expect(await webhooks.deliveries()).toMatchObject([{ status: "dead", last_error_code: "email_disabled" }]);
  });

  it("are checked like webhooks if there is no service binding, and hide the key in stored responses", async () => {
    const webhooks = startWebhooks({ settings: { allowPrivate: false } });
    const [base] = [webhooks.settings.email];
    const key = freshKey();
    const url = hook("echo", key);
    const build = (allowPrivate: boolean) =>
      webhooks.build({
        settings: { ...webhooks.settings, email: { ...base, key: "esk_secret_key", url, allowPrivate } },
      });
    for (const allowPrivate of [false, true]) {
      const context = build(allowPrivate);
      const event = {
        id: uuid(),
        type: "identity.group.created",
        companyId: webhooks.companyId,
        data: {},
      };
      const enqueuedBefore = webhooks.wakeUps.length;
      await batchWithEvents(context, context.platformDb, { event: eventStatement(context, [event]) }, [
        keyOfEvent(event),
      ]);
      await webhooks.settle();
      await webhooks.first(
        webhooks.wakeUps.slice(enqueuedBefore).flatMap(({ ids }) => ids),
        context,
      );
    }
    const [blocked, echoed] = await webhooks.deliveries();
    expect(blocked).toMatchObject({ status: "dead", last_error_code: "ssrf_blocked" });
    expect(echoed?.last_error).toMatch(/^HTTP 500: you sent Bearer \[Filtered\]/);
    expect(JSON.stringify(await webhooks.attempts())).not.toContain("esk_secret");
  });
});

describe("events of identity", () => {
  /**
   * Creates a company with subscriptions to these types, which the real queue delivers. `received` waits for `count`
   * webhooks of a type.
   */
  async function listen(types: string[]) {
    const webhooks = startWebhooks();
    const company = await createCompany();
    const keys = new Map<string, string>();
    for (const eventType of types) {
      const key = freshKey();
      keys.set(eventType, key);
      await webhooks.addRule({ companyId: company.id, eventType, url: hook("ok", key), allowPrivate: true });
    }
    const received = async (type: string, count = 1) => {
      const secret = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh";
      const calls = () => recorded(keys.get(type) ?? "", secret);
      await vi.waitFor(async () => expect(await calls()).toHaveLength(count), { timeout: 8000 });
      return (await calls()).map((call) => {
        expect([call.svix, call.standardwebhooks]).toEqual([true, true]);
        const raw = textOf(call);
        expect(raw).toBe(toCanonicalJson(JSON.parse(raw)));
        return JSON.parse(raw);
      });
    };
    return { company, received };
  }

  it("reach the company's rules when a sign-in link is requested and an account is created", async () => {
    const { company, received } = await listen(["identity.auth.magic_link.requested", "identity.user.created"]);
    const mailbox = createMailbox();
    const bindings = identityEnv(mailbox);
    const email = freshEmail();
    await signIn(bindings, mailbox, company, email);
    const companyPart = await companyPartOf(company.id);
    const [linkEvent] = await received("identity.auth.magic_link.requested");
    expect(linkEvent).toMatchObject({
      type: "identity.auth.magic_link.requested",
      company: companyPart,
      data: { email, request_id: linkEvent.id },
    });
    expect(Object.keys(linkEvent.data).sort()).toEqual(["email", "expires_at", "request_id"]);
    expect(linkEvent).not.toHaveProperty("actor");
    const [created] = await received("identity.user.created");
    expect(created).toMatchObject({ data: { email, source: "magic_link", language: "en", region: "UTC" } });
    // The second sign-in of the same user creates no account.
    await signIn(bindings, mailbox, company, email);
    await received("identity.auth.magic_link.requested", 2);
    await received("identity.user.created", 1);
  });

  it("reach the rules once for an administrator's change, with the actor", async () => {
    const prefix = "identity.membership";
    const types = [`${prefix}.requested`, `${prefix}.enabled`, "identity.user.updated", "identity.user.deleted"];
    const { company, received } = await listen(types);
    await changeCompany(company.id, { access_mode: "invite" });
    const mailbox = createMailbox();
    const bindings = identityEnv(mailbox);
    const owner = freshEmail();
    const ownerId = await createUser({ email: owner, company: company.id, owner: true });
    const { access_token } = await signIn(bindings, mailbox, company, owner);
    const email = freshEmail();
    const { token } = await requestLink(bindings, mailbox, company, email);
    await callIdentity(bindings, "/api/v1/magic-link/verify", json({ token, company_id: company.id }));
    expect(await received("identity.membership.requested")).toMatchObject([
      { data: { email, access_state: "pending" } },
    ]);
    const userId = (await findUserByEmail(email))?.id;
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    const change = { method: "PUT", body: JSON.stringify({ is_active: true, first_name: "Leo" }), headers };
    expect((await callIdentity(bindings, `/api/v1/users/${userId}`, change)).status).toBe(200);
    const actor = { kind: "session", user_id: ownerId };
    const [enabled] = await received("identity.membership.enabled");
    expect(enabled).toMatchObject({ actor, data: { user_id: userId, access_state: "allowed" } });
    const updates = await received("identity.user.updated", 2);
    const fields = updates.flatMap(({ data }) => data.changed_fields);
    expect(fields.sort()).toEqual(["access_state", "first_name", "is_active"]);
    expect((await callIdentity(bindings, `/api/v1/users/${userId}`, { method: "DELETE", headers })).status).toBe(204);
    expect(await received("identity.user.deleted")).toMatchObject([{ actor, data: { user_id: userId, email } }]);
  });
});
