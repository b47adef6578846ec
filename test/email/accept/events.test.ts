import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { company_profiles, messages, rules, templates } from "../../../db/email/schema";
import { createCompany, createKey, storeSuppression } from "../../support/email/email";
import { uniqueAddress } from "../../support/email/messages";
import { pauseLane, readRows, updateRows } from "../../support/email/rows";
import { DEPLOYED, startEvents, startForAll } from "../../support/email/rules";

const email = await startForAll();

const LINK = "identity.auth.magic_link.requested";
const mina = { email: "Mina@example.com", user_id: 5 };
const magicLink = {
  event_type: LINK,
  payload: { company_name: "Aster Labs", magic_link_url: "https://auth.example.com/verify?token=secret" },
};

describe("events", () => {
  it("create one message for each enabled rule and recipient, from the rule's custom template", async () => {
    const { create, post, messages: stored } = await startEvents(email);
    const [fromEvent, fixed] = [
      await create({ event_type: DEPLOYED }),
      await create({
        event_type: DEPLOYED,
        recipient_mode: "static",
        static_recipients: ["ops@example.com"],
        language: "fr",
      }),
    ];
    await create({ event_type: DEPLOYED, enabled: false });
    await create({ event_type: "hosting.app.created" });
    const payload = { display_name: "Field Notes", app_version: "1.4.0", other: "ignored" };
    const { status, body } = await post({ payload, recipients: [mina, { email: "leo@example.com" }] });
    expect([status, body]).toEqual([
      202,
      {
        idempotent_replay: false,
        rule_enabled: true,
        messages: [
          ["Mina@example.com", "en"],
          ["leo@example.com", "en"],
          ["ops@example.com", "fr"],
        ].map(([to, language]) => ({
          id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
          to,
          status: "queued",
          lane: "transactional",
          template_version: 1,
          language,
          expires_at: null,
        })),
      },
    ]);
    const rows = await stored();
    const customTemplates = await readRows(templates, eq(templates.event_type, DEPLOYED));
    const keyOf = (id: number) => customTemplates.find((template) => template.id === id)?.template_key;
    for (const [index, { id }] of body.messages.entries()) {
      const rule = index < 2 ? fromEvent : fixed;
      expect(rows.find((row) => `msg_${row.id}` === id)).toMatchObject({
        event_type: DEPLOYED,
        service: "hosting",
        lane: "transactional",
        template_version: 1,
        template_key: keyOf(rule.template_id),
        to_user_id: index === 0 ? 5 : null,
        status: "queued",
        trace: {
          rule_id: rule.id,
          content: { source: "copy", template_id: rule.template_id, version: 1 },
          language: index < 2 ? { value: "en", source: "default" } : { value: "fr", source: "rule" },
          sender: { scope: "platform" },
        },
      });
    }
    const wakeUp = email.queueMessages.transactional?.find(({ ids }) =>
      ids.includes(body.messages[0]?.id.slice(4) ?? ""),
    );
    expect(wakeUp?.ids).toHaveLength(3);
  });

  it("are accepted, counted and stored as a decision when no rule is enabled", async () => {
    const { create, post, decisions, skips, messages: stored } = await startEvents(email);
    await create({ event_type: DEPLOYED, enabled: false });
    const { status, body, response } = await post({ recipients: [{ ...mina, user_id: "x" }, 7] });
    expect([status, body]).toEqual([
      202,
      { idempotent_replay: false, rule_enabled: false, skipped_reason: "no_rule", messages: [] },
    ]);
    await post({});
    expect(await skips()).toEqual([["no_rule", 2]]);
    expect(await decisions()).toMatchObject(
      Array.from({ length: 2 }, () => ({ service: "hosting", event_type: DEPLOYED, reason: "no_rule", rule_id: null })),
    );
    expect((await decisions()).map(({ request_id }) => request_id)).toContain(response.headers.get("x-request-id"));
    expect(await stored()).toEqual([]);
  });

  it("are accepted without recipients, because sender and variables are checked only for recipients", async () => {
    const strict = await startForAll({ EMAIL_PLATFORM_COMPANY_IDS: "" });
    const { create, post, decisions, skips, keys } = await startEvents(strict);
    const event_type = "identity.user.invitation_revoked";
    const [fromEvent, empty] = [await create({ event_type }), await create({ event_type, recipient_mode: "static" })];
    for (const recipients of [undefined, null, [], [{}], [{ email: null, user_id: "x" }, { email: " " }]]) {
      const { status, body } = await post({ event_type, recipients }, keys.identity);
      expect([status, body]).toEqual([
        202,
        { idempotent_replay: false, rule_enabled: true, skipped_reason: "no_recipients", messages: [] },
      ]);
    }
    expect(await skips()).toEqual([["no_recipients", 5]]);
    expect((await decisions()).map(({ rule_id }) => rule_id)).toEqual(Array(5).fill([fromEvent.id, empty.id]).flat());
    expect((await post({ event_type, recipients: [mina] }, keys.identity)).body.error_code).toBe("validation_failed");
    const withCompanyName = { event_type, recipients: [mina], payload: { company_name: "Aster Labs" } };
    expect((await post(withCompanyName, keys.identity)).body.error_code).toBe("platform_sender_not_allowed");
  });

  it("store a decision for a rule without recipients, although another rule has one", async () => {
    const { create, post, decisions, skips } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    const empty = await create({ event_type: DEPLOYED, recipient_mode: "static" });
    expect((await post({ recipients: [mina] })).body.messages).toHaveLength(1);
    expect(await decisions()).toMatchObject([{ reason: "no_recipients", rule_id: empty.id }]);
    expect(await skips()).toEqual([]);
  });
});

describe("sign-in events", () => {
  it("are sent by their built-in rule from the first event on, through the platform sender", async () => {
    const { post, keys, companyId, messages: stored } = await startEvents(email);
    const { status, body } = await post({ ...magicLink, ttl_seconds: 60, recipients: [mina] }, keys.identity);
    expect([status, body.rule_enabled, body.messages]).toMatchObject([
      202,
      true,
      [{ lane: "auth", template_version: 1 }],
    ]);
    const createdRules = await readRows(rules, eq(rules.company_id, companyId));
    expect(createdRules).toHaveLength(3);
    const [row] = await stored();
    expect(row).toMatchObject({ trace: { rule_id: createdRules.find(({ event_type }) => event_type === LINK)?.id } });
    expect((row?.expires_at ?? 0) - (row?.accepted_at ?? 0)).toBe(60_000);
  });

  it("fail with the index of each suppressed recipient, whether it comes from the event or the rule", async () => {
    const { post, keys, companyId, list, call, messages: stored } = await startEvents(email);
    const bounced = uniqueAddress();
    await storeSuppression(companyId, bounced, { reason: "hard_bounce" });
    const rejected = [422, { "recipients.1.email": ["recipient_suppressed"] }];
    const recipients = [mina, { email: bounced }];
    const fromEvent = await post({ ...magicLink, recipients }, keys.identity);
    expect([fromEvent.status, fromEvent.body.field_errors]).toEqual(rejected);
    const rule = (await list()).rules.find(({ event_type }) => event_type === LINK);
    const change = { recipient_mode: "static", static_recipients: recipients };
    expect((await call("PATCH", `/${rule?.id}`, change)).status).toBe(200);
    const fromRule = await post({ ...magicLink, recipients: [] }, keys.identity);
    expect([fromRule.status, fromRule.body.error_code, fromRule.body.field_errors]).toEqual([
      422,
      "recipient_suppressed",
      rejected[1],
    ]);
    expect(await stored()).toEqual([]);
  });

  it("count against the recipient limit like sends, and a rejected event does not block its other recipients", async () => {
    const { post, keys } = await startEvents(email);
    const recipients = [{ email: "leo@example.com" }, mina];
    for (let sent = 0; sent < 5; sent++) {
      expect((await post({ ...magicLink, recipients: [mina] }, keys.identity)).status).toBe(202);
    }
    const { response, status, body } = await post({ ...magicLink, recipients }, keys.identity);
    expect([status, body.error_code, body.field_errors]).toEqual([
      429,
      "recipient_rate_limited",
      { "recipients.1.email": ["recipient_rate_limited"] },
    ]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await post({ ...magicLink, recipients: recipients.slice(0, 1) }, keys.identity)).status).toBe(202);
  });
});

describe("validation of events", () => {
  it("checks credentials, fields, recipients, variables and pauses in a fixed order", async () => {
    const { companyId, create, rejection, keys } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    const other = await createKey({ service: "hosting", companies: [createCompany()] });
    const narrow = await createKey({ service: "hosting", prefixes: ["hosting.app."] });
    const lanes = await createKey({ service: "hosting", lanes: ["auth"], prefixes: [] });
    const faulty = { payload: [], recipients: {}, language: "de", ttl_seconds: 0 };
    const steps: [Record<string, unknown>, string | undefined, unknown[]][] = [
      [{ company_id: 0, ...faulty }, "esk_nobody", [401, "unauthorized"]],
      [{ company_id: null, ...faulty }, undefined, [400, "validation_failed", { company_id: ["required"] }]],
      [{ company_id: "7", ...faulty }, undefined, [400, "validation_failed", { company_id: ["invalid"] }]],
      [{ idempotency_key: 5, ...faulty }, other.key, [403, "company_mismatch"]],
      [{ idempotency_key: 5, service: 5 }, undefined, [400, "validation_failed", { idempotency_key: ["invalid"] }]],
      [{ service: "identity", event_type: "x" }, undefined, [403, "forbidden"]],
      [{ service: 5 }, undefined, [403, "forbidden"]],
      [{ event_type: null, ...faulty }, undefined, [400, "validation_failed", { event_type: ["required"] }]],
      [{ event_type: "hosting.nothing", ...faulty }, undefined, [400, "unknown_event"]],
      [{ event_type: LINK, ...faulty }, undefined, [400, "unknown_event"]],
      [{ event_type: DEPLOYED, ...faulty }, lanes.key, [403, "lane_not_allowed"]],
      [{ event_type: DEPLOYED, ...faulty }, narrow.key, [403, "forbidden"]],
      [faulty, undefined, [400, "validation_failed", { payload: ["invalid"], recipients: ["invalid"] }]],
      [{ payload: { name: "x".repeat(9000) } }, undefined, [400, "validation_failed", { payload: ["too_large"] }]],
      [{ language: "de", recipients: [{ email: "x" }] }, undefined, [400, "language_not_available"]],
      [
        { ...magicLink, ttl_seconds: 0, recipients: 5 },
        keys.identity,
        [400, "validation_failed", { recipients: ["invalid"], ttl_seconds: ["invalid"] }],
      ],
      [
        { ...magicLink, payload: {}, recipients: [{ email: "x" }] },
        keys.identity,
        [400, "recipient_invalid", { "recipients.0.email": ["invalid_format"] }],
      ],
      [
        { ...magicLink, payload: {}, recipients: [mina] },
        keys.identity,
        [
          400,
          "validation_failed",
          { "variables.company_name": ["required"], "variables.magic_link_url": ["required"] },
        ],
      ],
      [
        {
          ...magicLink,
          payload: { ...magicLink.payload, magic_link_url: "https://evil.example/" },
          recipients: [mina],
        },
        keys.identity,
        [400, "variable_url_not_allowed", { "variables.magic_link_url": ["host_not_allowed"] }],
      ],
    ];
    for (const [body, bearer, expected] of steps)
      expect(await rejection(body, bearer), JSON.stringify(body)).toEqual(expected);
    await pauseLane("transactional", companyId);
    expect(await rejection({ recipients: [mina], payload: {} })).toEqual([409, "lane_paused"]);
    expect(await rejection({ recipients: [{ email: "x" }] })).toMatchObject([400, "recipient_invalid", {}]);
  });

  it("accepts a service key with or without its `service`, and rejects a user's token", async () => {
    const { post, owner } = await startEvents(email);
    for (const service of ["hosting", undefined, null]) expect((await post({ service })).status).toBe(202);
    expect((await post({}, owner)).status).toBe(401);
  });

  it("does not apply a company's rules to events of another company", async () => {
    const [a, b] = [await startEvents(email), await startEvents(email)];
    await a.create({ event_type: DEPLOYED });
    expect((await b.post({ recipients: [mina] })).body).toMatchObject({ skipped_reason: "no_rule" });
    expect(await a.messages()).toEqual([]);
  });
});

describe("the company name of events", () => {
  it("comes from the payload of an allowed caller and is stored for later mail", async () => {
    const { create, post, companyId, messages: stored, keys } = await startEvents(email);
    const event_type = "identity.user.invitation_revoked";
    await create({ event_type });
    const send = (payload?: object) => post({ event_type, recipients: [mina], payload }, keys.identity);
    expect((await send()).body.field_errors).toEqual({ "variables.company_name": ["required"] });
    expect((await send({ company_name: "Aster Labs" })).status).toBe(202);
    expect((await send()).status).toBe(202);
    expect((await stored()).map(({ trace }) => (trace.company_name as { source: string }).source).sort()).toEqual([
      "request",
      "stored",
    ]);
    expect(await readRows(company_profiles, eq(company_profiles.company_id, companyId))).toMatchObject([
      { name: "Aster Labs" },
    ]);
  });
});

it("returns 503 for an event whose rule has addresses that cannot be decrypted", async () => {
  const { create, post, call } = await startEvents(email);
  const rule = await create({ event_type: DEPLOYED, recipient_mode: "static", static_recipients: ["a@example.com"] });
  await updateRows(rules, { seal_id: "another" }, eq(rules.id, rule.id));
  expect((await post({})).body.error_code).toBe("service_unavailable");
  expect((await call("GET", `/${rule.id}`)).status).toBe(503);
});

it("keeps the waiting mail of an event when its rule is deleted", async () => {
  const { create, post, call } = await startEvents(email);
  const rule = await create({ event_type: DEPLOYED });
  const { body } = await post({ recipients: [mina] });
  expect((await call("DELETE", `/${rule.id}`)).status).toBe(204);
  const [row] = await readRows(messages, eq(messages.id, body.messages[0]?.id.slice(4) ?? ""));
  expect(row).toMatchObject({ status: "queued", template_version: 1 });
  expect((await post({ recipients: [mina] })).body.skipped_reason).toBe("no_rule");
});
