import { describe, expect, it } from "vitest";
import { keysOf } from "../../../workers/email/keys";
import { messageAad } from "../../../workers/email/records/seal/seal";
import { open } from "../../../workers/kit/crypto/seal";
import { storeSuppression, testEnv } from "../../support/email/email";
import { uniqueAddress } from "../../support/email/messages";
import { DEPLOYED, startEvents, startForAll } from "../../support/email/rules";

const email = await startForAll();

const mina = { email: "Mina@example.com", user_id: 5 };

describe("recipients of an event", () => {
  it("come from the event or from the rule, each address once regardless of case", async () => {
    const { create, post } = await startEvents(email);
    await create({ event_type: DEPLOYED, recipient_mode: "static", static_recipients: ["mina@example.com"] });
    const { body } = await post({ recipients: [{ email: "not an address" }] });
    expect(body.messages.map(({ to }) => to)).toEqual(["mina@example.com"]);
    await create({ event_type: DEPLOYED });
    const recipients = [{}, { email: " Leo@example.com " }, { email: "leo@EXAMPLE.com" }, mina];
    const fromBothSources = await post({ recipients });
    expect(fromBothSources.body.messages.map(({ to }) => to)).toEqual([
      "mina@example.com",
      "Leo@example.com",
      "Mina@example.com",
    ]);
  });

  it("are limited to 50 after duplicates are removed", async () => {
    const { create, post, rejection } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    const many = Array.from({ length: 50 }, (_, index) => ({ email: `r${index}@example.com` }));
    const withDuplicates = [...many, ...many.map(({ email }) => ({ email: email.toUpperCase() }))];
    expect((await post({ recipients: withDuplicates })).body.messages).toHaveLength(50);
    expect(await rejection({ recipients: [...many, mina] })).toEqual([
      400,
      "validation_failed",
      { recipients: ["too_many"] },
    ]);
  });

  it("are rejected together, each with its index", async () => {
    const { create, rejection } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    expect(await rejection({ recipients: [{}, { email: "x" }, mina, { email: 5 }] })).toEqual([
      400,
      "recipient_invalid",
      { "recipients.1.email": ["invalid_format"], "recipients.3.email": ["invalid_format"] },
    ]);
    expect(
      await rejection({
        recipients: [{ email: "x" }, { ...mina, user_id: -1, time_zone: "+01:00" }, "mina@example.com"],
      }),
    ).toEqual([
      400,
      "validation_failed",
      {
        "recipients.0.email": ["invalid_format"],
        "recipients.1.user_id": ["invalid"],
        "recipients.2": ["invalid"],
      },
    ]);
  });

  it("get mail in the rule's language, else in their own, else in the event's", async () => {
    const { create, post, messages: stored } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    const recipients = [
      { email: "a@example.com" },
      { email: "b@example.com", language: "en" },
      { email: "c@example.com", language: "de" },
      { email: "d@example.com", language: 7 },
    ];
    const languages = async (body: object) =>
      (await post({ recipients, ...body })).body.messages.map(({ language }) => language);
    expect(await languages({})).toEqual(["en", "en", "en", "en"]);
    expect(await languages({ language: "fr" })).toEqual(["fr", "en", "fr", "fr"]);
    const sources = (await stored()).map(({ trace }) => (trace.language as { source: string }).source);
    expect(new Set(sources)).toEqual(new Set(["default", "recipient", "request"]));
    const other = await startEvents(email);
    await other.create({ event_type: DEPLOYED, language: "fr" });
    const { body } = await other.post({ recipients, language: "en" });
    expect(body.messages.map(({ language }) => language)).toEqual(["fr", "fr", "fr", "fr"]);
  });

  it("are greeted only by a valid name of their own", async () => {
    const { create, post, companyId, messages: stored } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    await create({ event_type: DEPLOYED, recipient_mode: "static", static_recipients: ["office@example.com"] });
    const recipients = [
      { email: "a@example.com", name: " Mina\u202e " },
      { email: "b@example.com", name: 7 },
      { email: "c@example.com", name: "x".repeat(101) },
      { email: "d@example.com", name: "www.evil.example" },
    ];
    const { status } = await post({ recipients });
    expect(status).toBe(202);
    const { variables } = await keysOf(testEnv);
    const names = (await stored()).map(async ({ id, variables_enc }) => {
      const opened = await open(variables_enc ?? "", variables, messageAad("variables_enc", companyId, id));
      return (JSON.parse(opened) as Record<string, string>).recipient_name ?? "";
    });
    expect((await Promise.all(names)).sort()).toEqual(["", "", "", "Mina", "www evil example"]);
  });

  it("get a decision instead of a message when they are suppressed outside the auth lane", async () => {
    const { create, post, companyId, decisions, skips, messages: stored } = await startEvents(email);
    const [bounced, unsubscribed, fixedAddress] = [uniqueAddress(), uniqueAddress(), uniqueAddress()];
    const [fromEvent, fixed] = [
      await create({ event_type: DEPLOYED }),
      await create({ event_type: DEPLOYED, recipient_mode: "static", static_recipients: [fixedAddress] }),
    ];
    await storeSuppression(companyId, bounced, { reason: "complaint" });
    await storeSuppression(companyId, unsubscribed, { unsubscribed: "transactional" });
    await storeSuppression(companyId, fixedAddress, { reason: "manual" });
    const event = { recipients: [{ email: bounced }, { email: unsubscribed }], idempotency_key: "all refused" };
    const { status, body } = await post(event);
    const skipped = [
      { reason: "recipient_suppressed", count: 2 },
      { reason: "unsubscribed", count: 1 },
    ];
    expect([status, body]).toEqual([202, { idempotent_replay: false, rule_enabled: true, skipped, messages: [] }]);
    expect((await post(event)).body).toEqual({ ...body, idempotent_replay: true });
    expect(await stored()).toEqual([]);
    const refusals = [
      ["recipient_suppressed", 2],
      ["unsubscribed", 1],
    ];
    expect(await skips()).toEqual(refusals);
    const storedDecisions = await decisions();
    expect(storedDecisions).toMatchObject([
      { reason: "recipient_suppressed", rule_id: fromEvent.id, recipient_masked: "u***@example.com" },
      { reason: "unsubscribed", rule_id: fromEvent.id },
      { reason: "recipient_suppressed", rule_id: fixed.id },
    ]);
    expect(JSON.stringify(storedDecisions)).not.toContain(bounced);
    const mixed = await post({ recipients: [{ email: bounced }, mina] });
    expect(mixed.body.messages.map(({ to }) => to)).toEqual(["Mina@example.com"]);
    expect(mixed.body).not.toHaveProperty("skipped");
  });
});
