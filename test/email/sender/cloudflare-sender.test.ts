import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { broadcasts } from "../../../db/email/schema";
import { problemOf, send } from "../../support/email/admin";
import { createCompany, createKey, magicLink, startEmail } from "../../support/email/email";
import { readRows } from "../../support/email/rows";

const companyId = createCompany();
const email = await startEmail({
  vars: {
    EMAIL_PLATFORM_TRANSPORT: "cloudflare",
    EMAIL_PLATFORM_COMPANY_IDS: String(companyId),
    EMAIL_DELIVER_SYNC: "true",
    PROVIDER_API_KEY: "",
  },
});
const owner = await email.token({ companyId, isOwner: true, userId: companyId });
const call = (method: string, path: string, json?: unknown) => send(email, owner, { method, path, json });
email.setAudience(companyId, [
  { id: 1, email: "person1@example.com", first_name: "Mina", last_name: "Laurent", language: null },
]);

it("sends a sign-in mail by Cloudflare, which its message names", async () => {
  const { key } = await createKey();
  const accepted = await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId) });
  expect(accepted.status).toBe(202);
  const { messages } = await accepted.json<{ messages: { id: string }[] }>();
  const message = await call("GET", `/api/v1/messages/${messages[0]?.id}?company_id=${companyId}`);
  expect(await message.json()).toMatchObject({ lane: "auth", status: "sent", provider: "cloudflare" });
});

it("rejects broadcasts with 409 until the company has a sender for bulk mail", async () => {
  const created = await call("POST", "/api/v1/broadcasts", { name: "News", source_key: "barebone.text-only" });
  const draft = await created.json<{ id: number; sender: object }>();
  expect(draft.sender).toMatchObject({ error_code: "bulk_sender_required" });
  const refused = await call("POST", `/api/v1/broadcasts/${draft.id}/send`);
  expect(await problemOf(refused)).toEqual([409, "bulk_sender_required"]);
  const test = await call("POST", `/api/v1/broadcasts/${draft.id}/send-test`, { user_ids: [1] });
  expect(await problemOf(test)).toEqual([409, "bulk_sender_required"]);
  expect(await readRows(broadcasts, eq(broadcasts.id, draft.id))).toMatchObject([{ state: "draft" }]);
});
