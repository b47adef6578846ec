import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { newsletters, subscribers, unsubscribes } from "../../../db/email/schema";
import { startEmail } from "../../support/email/email";
import { eventsOfCompany } from "../../support/email/events";
import { uniqueAddress } from "../../support/email/messages";
import { insertRow, readRows, updateRows } from "../../support/email/rows";
import { PUBLIC, startSignUp, uniqueIp } from "../../support/email/sign-up";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min" } });

describe("a confirmation link", () => {
  const html = { accept: "text/html" };

  async function withLink(fields: object = {}) {
    const started = await startSignUp(email, fields);
    const address = uniqueAddress();
    await started.subscribe({ email: address, first_name: "Mina" });
    const path = await started.linkOf((await started.mails())[0]);
    const post = (ip = uniqueIp()) =>
      email.call(path, { method: "POST", headers: { ...html, "CF-Connecting-IP": ip } });
    return { ...started, address, path, listPath: started.path, post };
  }

  it("shows a page with one button and writes nothing; its button confirms once, with the proof of consent", async () => {
    const { companyId, list, path, post, rows, address, expectCounts } = await withLink();
    const before = await rows();
    const page = await email.call(path, { headers: html });
    const text = await page.text();
    expect([page.status, text.match(/<form method="post">/g)?.length]).toEqual([200, 1]);
    expect(text).not.toContain(address);
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(await rows()).toEqual(before);
    const first = await post();
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining("You are subscribed")]);
    expect(email.acceptTripsOf(first)).toBe(2);
    const [row] = await rows();
    expect(row).toMatchObject({
      status: "confirmed",
      consent: {
        at: row?.confirmed_at,
        ip_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        text_version: row?.text_version,
      },
    });
    expect(row?.text_version).not.toBe("");
    expect((await post()).status).toBe(200);
    expect(await rows()).toEqual([row]);
    expect(await (await email.call(path, { headers: html })).text()).toContain("You are already subscribed");
    expect(await expectCounts()).toEqual({ pending: 0, confirmed: 1, unsubscribed: 0 });
    expect(await eventsOfCompany(companyId)).toEqual([
      {
        type: "email.newsletter.confirmed",
        data: { list_id: list.id, list_name: "Product news", email: address, language: "en", source: "form" },
      },
    ]);
  });

  it("confirms once when the button is pressed ten times at once", async () => {
    const { companyId, post, expectCounts } = await withLink();
    const responses = await Promise.all(Array.from({ length: 10 }, () => post()));
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await expectCounts()).toEqual({ pending: 0, confirmed: 1, unsubscribed: 0 });
    expect(await eventsOfCompany(companyId)).toHaveLength(1);
  });

  it("redirects to the page of the newsletter", async () => {
    const { path, post } = await withLink({ confirmed_redirect_url: "https://shop.example/thanks" });
    const response = await post();
    expect([response.status, response.headers.get("location")]).toEqual([302, "https://shop.example/thanks"]);
    expect((await post()).headers.get("location")).toBe("https://shop.example/thanks");
    expect((await email.call(path, { headers: html })).status).toBe(200);
  });

  it("subscribes an address again that had unsubscribed", async () => {
    const { address, companyId, subscribe, mails, linkOf, rows, post, expectCounts } = await withLink();
    await post();
    const [row] = await rows();
    await updateRows(
      subscribers,
      { status: "unsubscribed", unsubscribed_at: 5, token_hash: null, mailed_at: 1 },
      eq(subscribers.id, row?.id ?? 0),
    );
    await updateRows(newsletters, { confirmed: 0, unsubscribed: 1 }, eq(newsletters.id, row?.list_id ?? 0));
    const stored = { company_id: companyId, email_hmac: row?.email_hmac ?? "", source: "page", created_at: 5 };
    await insertRow(unsubscribes, { ...stored, category: `list-${row?.list_id}` });
    await insertRow(unsubscribes, { ...stored, category: "transactional-x" });
    expect((await post()).status).toBe(404);
    const known = (await mails()).map(({ id }) => id);
    await subscribe({ email: address });
    const mail = (await mails()).find(({ id }) => !known.includes(id));
    expect((await rows())[0]?.status).toBe("unsubscribed");
    expect((await email.call(await linkOf(mail), { method: "POST" })).status).toBe(200);
    expect((await rows())[0]).toMatchObject({ status: "confirmed", unsubscribed_at: null });
    expect(await expectCounts()).toEqual({ pending: 0, confirmed: 1, unsubscribed: 0 });
    const left = await readRows(unsubscribes, eq(unsubscribes.company_id, companyId));
    expect(left.map(({ category }) => category)).toEqual(["transactional-x"]);
  });

  it("shows that the person is subscribed already after an import with consent", async () => {
    const { path, post, address, call, listPath, expectCounts, rows, companyId } = await withLink();
    const imported = await call("POST", `${listPath}/subscribers/import`, { csv: address, mode: "consented" });
    expect(await imported.json()).toMatchObject({ added: 1 });
    const stored = await rows();
    const page = await email.call(path, { headers: html });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("You are already subscribed")]);
    expect((await post()).status).toBe(200);
    expect(await rows()).toEqual(stored);
    expect(await expectCounts()).toEqual({ pending: 0, confirmed: 1, unsubscribed: 0 });
    expect(await eventsOfCompany(companyId)).toEqual([]);
  });

  it("is a 404 page when it is unknown, malformed, expired or wiped", async () => {
    const { path, post, rows, companyId } = await withLink();
    for (const token of ["x", "%00", "a".repeat(43), "a".repeat(5000)]) {
      for (const method of ["GET", "POST"]) {
        const headers = { ...html, "CF-Connecting-IP": uniqueIp() };
        const response = await email.call(`${PUBLIC}/confirm/${token}`, { method, headers });
        expect([token, response.status]).toEqual([token, 404]);
        expect(response.headers.get("content-type")).toContain("text/html");
      }
    }
    const [row] = await rows();
    await updateRows(subscribers, { token_expires_at: Date.now() - 1 }, eq(subscribers.id, row?.id ?? 0));
    expect((await post()).status).toBe(404);
    await updateRows(
      subscribers,
      { token_expires_at: Date.now() + 60_000, email_enc: null },
      eq(subscribers.id, row?.id ?? 0),
    );
    expect((await post()).status).toBe(404);
    expect((await email.call(path, { headers: html })).status).toBe(404);
    expect((await rows())[0]?.status).toBe("pending");
    expect(await eventsOfCompany(companyId)).toEqual([]);
    const put = await email.call(path, { method: "PUT" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});
