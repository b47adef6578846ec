import { and, eq, isNull } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { library_templates, rules, template_versions, templates } from "../../../db/email/schema";
import { loseAnswer } from "../../support/db/lost-answer";
import { expectGuards, problemOf, send } from "../../support/email/admin";
import { startEmail, testEnv } from "../../support/email/email";
import { insertRow, insertRows, readRows, updateRows } from "../../support/email/rows";
import { libraryId, RULES_PATH, startRules, storedRule } from "../../support/email/rules";

const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min" } });

const AUTH = ["identity.auth.login.new_device_detected", "identity.auth.magic_link.requested", "identity.user.invited"];
const event_type = "identity.user.created";
const stranger = "office@example.com";

const customTemplateOf = async (id: number) => (await readRows(templates, eq(templates.id, id)))[0];
const versionsOf = (id: number) => readRows(template_versions, eq(template_versions.template_id, id));

it("accepts owners for rules of their own company, and staff for rules of every company", async () => {
  await expectGuards(email, { method: "GET", path: RULES_PATH });
  const { content, create } = await startRules(email);
  await expectGuards(email, { method: "POST", path: RULES_PATH, json: { event_type, content } });
  const rule = await create({ event_type });
  const other = await startRules(email);
  for (const [method, json] of [["GET"], ["PATCH", { enabled: false }], ["DELETE"]] as const) {
    expect(await problemOf(await other.call(method, `/${rule.id}`, json))).toEqual([404, "not_found"]);
  }
  for (const id of ["0", "x", "999999999"]) expect((await other.call("GET", `/${id}`)).status).toBe(404);
  const path = `${RULES_PATH}/${rule.id}`;
  expect((await send(email, other.staff, { method: "GET", path })).status).toBe(200);
});

describe("built-in rules", () => {
  it("exist after the first list, each with a published custom template of its default design", async () => {
    const { companyId, list } = await startRules(email);
    const first = await list();
    expect(first).toMatchObject({ company_id: companyId, next_cursor: null });
    expect(first.rules.map(({ event_type }) => event_type)).toEqual(AUTH);
    for (const rule of first.rules) {
      expect(rule).toEqual({
        id: expect.any(Number),
        service: "identity",
        event_type: rule.event_type,
        enabled: true,
        recipient_mode: "hints",
        static_recipients: [],
        language: "",
        template_id: expect.any(Number),
        built_in: true,
        created_at: expect.stringMatching(/Z$/),
        updated_at: rule.created_at,
      });
      const customTemplate = await customTemplateOf(rule.template_id);
      expect(customTemplate).toMatchObject({
        kind: "event",
        event_type: rule.event_type,
        language: "en",
        active_version: 1,
      });
      expect(customTemplate?.source_key).toMatch(/^barebone\./);
      expect(await versionsOf(rule.template_id)).toMatchObject([{ number: 1, state: "published", created_by: null }]);
    }
    expect(await list()).toEqual(first);
  });

  it("are created once by concurrent first lists and a repeated batch", async () => {
    const { companyId, owner } = await startRules(email);
    const bindings = { DB: loseAnswer(testEnv.DB, 2) };
    const responses = await Promise.all([
      email.call(RULES_PATH, { bearer: owner, bindings }),
      ...Array.from({ length: 8 }, () => email.call(RULES_PATH, { bearer: owner })),
    ]);
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(bodies)).toHaveProperty("size", 1);
    expect(await readRows(rules, eq(rules.company_id, companyId))).toHaveLength(3);
    const customTemplates = await readRows(templates, eq(templates.company_id, companyId));
    expect(customTemplates).toHaveLength(3);
    for (const { id } of customTemplates) expect(await versionsOf(id)).toHaveLength(1);
  });

  it("cannot be disabled or deleted, but accept all other changes", async () => {
    const { call, list } = await startRules(email);
    const [rule] = (await list()).rules;
    const path = `/${rule?.id}`;
    expect(await problemOf(await call("PATCH", path, { enabled: false }))).toEqual([409, "rule_built_in"]);
    expect(await problemOf(await call("DELETE", path))).toEqual([409, "rule_built_in"]);
    // The body is validated before the state.
    expect((await problemOf(await call("PATCH", path, { enabled: false, recipient_mode: "x" })))[0]).toBe(400);
    const changed = await call("PATCH", path, {
      enabled: true,
      recipient_mode: "static",
      static_recipients: [stranger],
      language: "fr",
    });
    expect([changed.status, await changed.json()]).toMatchObject([
      200,
      { built_in: true, enabled: true, recipient_mode: "static", static_recipients: [stranger], language: "fr" },
    ]);
  });
});

describe("the creation of an email rule", () => {
  it("copies the design for the event and publishes it in the language of the rule", async () => {
    const { call, content } = await startRules(email);
    const library_id = await libraryId("barebone.welcome");
    const body = { event_type, enabled: false, language: "fr", recipient_mode: "hints", content: { library_id } };
    const response = await call("POST", "", body);
    const rule = await response.json<{ id: number; template_id: number; created_at: string }>();
    expect([response.status, rule]).toEqual([
      201,
      {
        id: expect.any(Number),
        service: "identity",
        event_type,
        enabled: false,
        recipient_mode: "hints",
        static_recipients: [],
        language: "fr",
        template_id: expect.any(Number),
        built_in: false,
        created_at: expect.any(String),
        updated_at: rule.created_at,
      },
    ]);
    expect(await (await call("GET", `/${rule.id}`)).json()).toEqual(rule);
    const customTemplate = await customTemplateOf(rule.template_id);
    expect(customTemplate).toMatchObject({
      template_key: expect.stringMatching(/^company\.[a-z0-9]{12}$/),
      name: "User account created",
      language: "fr",
      source_key: "barebone.welcome",
      set_key: "barebone",
      active_version: 1,
      hidden_at: null,
    });
    const [version] = await versionsOf(rule.template_id);
    expect(version).toMatchObject({ number: 1, state: "published", subject: expect.stringMatching(/compte/i) });
    // The design's button leads to the page of the event, and is hidden in mails without one.
    expect(version?.document).toMatch(/"type":"button","attrs":\{[^}]*"when":"action_url"/);
    expect(content.library_id).not.toBe(library_id);
  });

  it("adds a custom template for each rule, and lists rules by event and time", async () => {
    const { create, list } = await startRules(email);
    const [second, first, third] = [
      await create({ event_type }),
      await create({ event_type: "hosting.app.created" }),
      await create({ event_type, service: "identity" }),
    ];
    const { rules: listed } = await list();
    expect(listed.map(({ id }) => id).filter((id) => [first, second, third].some((rule) => rule.id === id))).toEqual([
      first.id,
      second.id,
      third.id,
    ]);
    expect(new Set(listed.map(({ template_id }) => template_id))).toHaveProperty("size", 6);
    const hosting = await list("?service=hosting");
    expect(hosting.rules.map(({ id }) => id)).toEqual([first.id]);
    expect((await list("?service=nobody")).rules).toEqual([]);
  });

  it("stores encrypted recipients, each once regardless of case", async () => {
    const { create } = await startRules(email);
    const recipients = [stranger, { email: " Zoe@example.com " }, "OFFICE@example.com"];
    const rule = await create({ event_type, recipient_mode: "static", static_recipients: recipients });
    expect(rule.static_recipients).toEqual([stranger, "Zoe@example.com"]);
    const [row] = await readRows(rules, eq(rules.id, rule.id));
    expect(row?.static_recipients_enc).toMatch(/^v1\./);
  });

  it("runs its checks in a fixed order", async () => {
    const { call, content, companyId } = await startRules(email);
    const foreign = await startRules(email);
    const other = await insertRow(library_templates, {
      key: `own-${foreign.companyId}`,
      set_key: "",
      name: "Own",
      company_id: foreign.companyId,
      built_in: false,
      subject: "",
      preheader: "",
      document: "{}",
      head: "",
      html: "",
      text: "",
      created_at: 1,
      updated_at: 1,
    });
    const faulty = { language: "de", static_recipients: ["x"], recipient_mode: "x", enabled: 1 };
    const rejections: [Record<string, unknown>, unknown[]][] = [
      [{ ...faulty }, [400, "validation_failed", { event_type: ["required"] }]],
      [{ ...faulty, event_type: "identity.nothing" }, [400, "event_unknown"]],
      [{ ...faulty, event_type: "broadcast" }, [400, "event_unknown"]],
      [{ ...faulty, event_type, service: "hosting" }, [400, "event_unknown"]],
      [{ ...faulty, event_type }, [400, "validation_failed", { content: ["library_id_required"] }]],
      [
        { ...faulty, event_type, content: { library_id: "1" } },
        [400, "validation_failed", { content: ["library_id_required"] }],
      ],
      [{ ...faulty, event_type, content: { library_id: 999_999_999 } }, [404, "library_not_found"]],
      [{ ...faulty, event_type, content: { library_id: other.id } }, [404, "library_not_found"]],
      [
        { ...faulty, event_type, content },
        [
          400,
          "validation_failed",
          { enabled: ["invalid"], recipient_mode: ["invalid"], static_recipients: ["invalid"] },
        ],
      ],
      [{ language: "de", event_type, content }, [400, "language_not_available"]],
      [
        { event_type, content, static_recipients: Array.from({ length: 51 }, (_, index) => `a${index}@example.com`) },
        [400, "validation_failed", { static_recipients: ["too_many"] }],
      ],
      [
        { event_type, content, static_recipients: "a@example.com" },
        [400, "validation_failed", { static_recipients: ["invalid"] }],
      ],
    ];
    for (const [body, expected] of rejections) {
      expect(await problemOf(await call("POST", "", body)), JSON.stringify(body)).toEqual(expected);
    }
    expect(await readRows(rules, eq(rules.company_id, companyId))).toEqual([]);
    expect(await readRows(templates, eq(templates.company_id, companyId))).toEqual([]);
  });

  it("is limited to 200 rules per company, even for parallel requests", async () => {
    const { call, companyId, content, list } = await startRules(email);
    await list();
    await insertRows(
      rules,
      Array.from({ length: 195 }, () => storedRule(companyId)),
    );
    const results = await Promise.all(
      Array.from({ length: 4 }, async () => problemOf(await call("POST", "", { event_type, content }))),
    );
    expect(results.filter(([status]) => status === 201)).toHaveLength(2);
    expect(results.filter(([, code]) => code === "limit_reached")).toHaveLength(2);
    expect(
      await readRows(templates, and(eq(templates.company_id, companyId), isNull(templates.hidden_at))),
    ).toHaveLength(5);
    const all = await list();
    expect([all.rules.length, all.next_cursor]).toEqual([200, null]);
    const listedIds: number[] = [];
    for (let path = "?limit=70", page = 0; path !== "" && page < 5; page++) {
      const { rules: listed, next_cursor } = await list(path);
      listedIds.push(...listed.map(({ id }) => id));
      path = next_cursor === null ? "" : `?limit=70&cursor=${next_cursor}`;
    }
    expect(listedIds).toEqual(all.rules.map(({ id }) => id));
  });

  it("stores one rule when the response of its batch was lost", async () => {
    const { owner, companyId, content } = await startRules(email);
    const bindings = { DB: loseAnswer(testEnv.DB, 1) };
    const response = await email.call(RULES_PATH, { bearer: owner, json: { event_type, content }, bindings });
    expect(response.status).toBe(201);
    expect(await readRows(rules, eq(rules.company_id, companyId))).toHaveLength(1);
  });
});

describe("the update of an email rule", () => {
  it("changes only the fields of the request", async () => {
    const { call, create } = await startRules(email);
    const rule = await create({ event_type, static_recipients: [stranger] });
    const change = async (body: object) => (await call("PATCH", `/${rule.id}`, body)).json<object>();
    const first = await change({ enabled: false, event_type: "hosting.app.created", template_id: 1, built_in: true });
    expect(first).toEqual({ ...rule, enabled: false, updated_at: expect.any(String) });
    expect(await change({})).toEqual(first);
    expect(await change({ recipient_mode: "static", static_recipients: [], language: "en" })).toMatchObject({
      enabled: false,
      recipient_mode: "static",
      static_recipients: [],
      language: "en",
    });
    expect(await change({ language: null })).toMatchObject({ language: "" });
    for (const [body, expected] of [
      [{ enabled: "no" }, [400, "validation_failed", { enabled: ["invalid"] }]],
      [{ recipient_mode: null }, [400, "validation_failed", { recipient_mode: ["invalid"] }]],
      [{ static_recipients: [1] }, [400, "validation_failed", { static_recipients: ["invalid"] }]],
      [{ language: "it" }, [400, "language_not_available"]],
    ] as const) {
      expect(await problemOf(await call("PATCH", `/${rule.id}`, body))).toEqual(expected);
    }
  });
});

describe("the deletion of an email rule", () => {
  it("hides its custom template unless another rule uses it", async () => {
    const { call, create } = await startRules(email);
    const [rule, other] = [await create({ event_type }), await create({ event_type })];
    await updateRows(rules, { template_id: rule.template_id }, eq(rules.id, other.id));
    expect((await call("DELETE", `/${rule.id}`)).status).toBe(204);
    expect((await customTemplateOf(rule.template_id))?.hidden_at).toBeNull();
    expect((await call("DELETE", `/${other.id}`)).status).toBe(204);
    expect((await customTemplateOf(rule.template_id))?.hidden_at).toEqual(expect.any(Number));
    expect(await problemOf(await call("DELETE", `/${rule.id}`))).toEqual([404, "not_found"]);
  });
});
