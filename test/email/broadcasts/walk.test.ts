import { expect, it } from "vitest";
import { send } from "../../support/email/admin";
import { createCompany, startEmail } from "../../support/email/email";
import { consume } from "../../support/email/events";
import { recordMails } from "../../support/email/mail-api";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

it("goes from a draft to the mailboxes through the queues, and the API shows its counts", async () => {
  const companyId = createCompany();
  const email = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: String(companyId) } });
  const owner = await email.token({ companyId, isOwner: true, userId: 1 });
  const person = (id: number) => ({ id, first_name: "Mina", last_name: "Laurent", language: null });
  const audience = [1, 2, 3].map((id) => ({ ...person(id), email: `walk${id}-${companyId}@example.com` }));
  email.setAudience(companyId, audience);
  const mails = recordMails();
  const call = async (method: string, path: string, json?: unknown) => {
    const response = await send(email, owner, { method, path, json });
    return response.json<Record<string, unknown> & { id: number; counts: Record<string, number> }>();
  };
  const draft = await call("POST", "/api/v1/broadcasts", { name: "News", source_key: "barebone.welcome" });
  const path = `/api/v1/broadcasts/${draft.id}`;
  expect(await call("POST", `${path}/send`)).toMatchObject({ state: "queued" });
  expect(email.queueMessages.service).toMatchObject([{ kind: "broadcast", ids: [String(draft.id)] }]);
  await consume(email.bindings, "email-service", email.queueMessages.service ?? []);
  expect(await call("GET", path)).toMatchObject({ state: "sending", counts: { total: 3, queued: 3, pending: 0 } });
  await consume(email.bindings, "email-bulk", email.queueMessages.bulk ?? []);
  expect(await call("GET", path)).toMatchObject({ state: "sending", counts: { total: 3, sent: 3, queued: 0 } });
  expect(mails.map(({ to }) => to[0]).sort()).toEqual(audience.map((user) => user.email));
  expect(JSON.stringify(email.queueMessages)).not.toContain("@");
  const links = new Set(mails.map(({ html = "" }) => /href="([^"]*\/v\/[^"]*)"/.exec(html)?.[1]));
  const [link = ""] = links;
  expect(links.size).toBe(1);
  const open = (token: string) => email.call(`/v/${token}`, { headers: { "accept-language": "fr" } });
  const token = link.slice(link.lastIndexOf("/") + 1);
  const page = await open(token);
  expect([page.status, page.headers.get("x-robots-tag")]).toEqual([200, "noindex"]);
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src/);
  const shown = await page.text();
  expect(shown).toMatch(/<body[^>]*><main>.*<\/main><\/body>/su);
  expect(shown).toContain('src="http://localhost:8787/email/static/library/pictures/barebone-welcome.png"');
  expect(shown).not.toMatch(/@example|\/u\/|\/v\/|\{\{/);
  const [company, version, signature = ""] = token.split(".");
  for (const wrong of [`${company}.${Number(version) + 1}.${signature}`, `${token}A`, "x"]) {
    const missing = await open(wrong);
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("pas disponible")]);
  }
});
