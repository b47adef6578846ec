import { expect, inject, it } from "vitest";
import { MAX_ROW_BYTES, rowBytes } from "../support/db/row-size";
import { createKey, freshCompany, magicLink, startEmail, testEnv } from "../support/email/email";

const { relays } = inject("mailServers");

it("stores an event of a sent mail in a row without an overflow page, and shows its data", async () => {
  const company = freshCompany();
  const vars = {
    EMAIL_PLATFORM_COMPANY_IDS: String(company),
    EMAIL_FALLBACK_PROVIDER: "smtp",
    EMAIL_HOST: "localhost",
    EMAIL_PORT: String(relays.plain),
    EMAIL_USE_TLS: "false",
  };
  const email = await startEmail({ vars });
  const { key } = await createKey();
  const json = magicLink(company, { idempotency_key: `magic-link-${crypto.randomUUID()}` });
  expect((await email.call("/api/v1/send", { bearer: key, json })).status).toBe(202);
  const { results } = await testEnv.DB.prepare("select * from event_log where company_id = ?").bind(company).all();
  expect(results).toHaveLength(1);
  expect(rowBytes(results[0] ?? {})).toBeLessThan(MAX_ROW_BYTES - 200);
  const owner = await email.token({ companyId: company, isOwner: true });
  const list = await email.call("/api/v1/actions/event-log", { bearer: owner });
  expect(await list.json()).toMatchObject({
    results: [{ event_type: "email.message.sent", data: { to_email: "m***@example.com", lane: "auth" } }],
  });
});
