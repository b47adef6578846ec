import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { company_profiles, newsletters, subscribers, unsubscribes } from "../../../db/email/schema";
import { send } from "../../support/email/admin";
import { createCompany, startEmail } from "../../support/email/email";
import { eventsOfCompany } from "../../support/email/events";
import { hashOf, storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { insertRow, readRows, updateRows } from "../../support/email/rows";
import { ADDRESS, pathOf, withTwoLists } from "../../support/email/unsubscribe-page";

it("leaves one newsletter by a one-click request, once, with its counters and both events", async () => {
  const { email, companyId, news, tips, post, statuses, counts, categories } = await withTwoLists();
  const path = await pathOf(email, companyId, `list-${news.id}`);
  for (let i = 0; i < 2; i++) {
    const { status, html } = await post(path, "List-Unsubscribe=One-Click");
    expect([status, html]).toEqual([200, expect.stringContaining("no longer receive the newsletter “Product news”")]);
    expect(html).toContain("a***@example.com");
  }
  expect(await statuses()).toEqual({ [news.id]: "unsubscribed", [tips.id]: "confirmed" });
  expect(await counts()).toEqual({ [news.id]: [0, 4, 1], [tips.id]: [2, 1, 0] });
  expect(await categories()).toEqual([`list-${news.id}`]);
  const events = await eventsOfCompany(companyId);
  expect(events).toHaveLength(2);
  expect(events).toEqual(
    expect.arrayContaining([
      {
        type: "email.unsubscribe.created",
        data: {
          category: `list-${news.id}`,
          source: "one_click",
          email_hmac: await hashOf(ADDRESS),
          newsletter_id: news.id,
          to_email: ADDRESS,
          to_user_id: null,
        },
      },
      {
        type: "email.newsletter.unsubscribed",
        data: { list_id: news.id, list_name: "Product news", email: ADDRESS, language: "en", source: "one_click" },
      },
    ]),
  );
});

it("leaves every newsletter of the company, and of no other company, with the category bulk", async () => {
  const { email, companyId, news, tips, post, statuses, counts, categories } = await withTwoLists();
  const other = await storeNewsletter(createCompany(), { confirmed: 1 });
  const foreign = await storeSubscriber(other, ADDRESS);
  await post(await pathOf(email, companyId, "bulk"));
  expect(await statuses()).toEqual({ [news.id]: "unsubscribed", [tips.id]: "unsubscribed" });
  expect(await counts()).toEqual({ [news.id]: [0, 4, 1], [tips.id]: [2, 0, 1] });
  expect(await categories()).toEqual(["bulk"]);
  expect((await readRows(subscribers, eq(subscribers.id, foreign.id)))[0]?.status).toBe("confirmed");
  const types = (await eventsOfCompany(companyId)).map(({ type }) => type).sort();
  expect(types).toEqual([
    "email.newsletter.unsubscribed",
    "email.newsletter.unsubscribed",
    "email.unsubscribe.created",
  ]);
});

it("leaves a pending subscription without an event, and its confirmation link no longer works", async () => {
  const { email, companyId, news, post, counts } = await withTwoLists();
  const waiting = {
    status: "pending" as const,
    confirmed_at: null,
    token_hash: "f".repeat(64),
    token_expires_at: 9e15,
  };
  await updateRows(subscribers, waiting, eq(subscribers.list_id, news.id));
  await updateRows(newsletters, { pending: 1, confirmed: 4 }, eq(newsletters.id, news.id));
  await post(await pathOf(email, companyId, `list-${news.id}`));
  const [row] = await readRows(subscribers, eq(subscribers.list_id, news.id));
  expect(row).toMatchObject({ status: "unsubscribed", token_hash: null, token_expires_at: null });
  expect((await counts())[news.id]).toEqual([0, 4, 1]);
  expect((await eventsOfCompany(companyId)).map(({ type }) => type)).toEqual(["email.unsubscribe.created"]);
});

it("restores what an unsubscribe ended with the undo button, once", async () => {
  const { email, companyId, news, tips, post, statuses, counts, categories } = await withTwoLists();
  const before = await counts();
  const ofList = await pathOf(email, companyId, `list-${news.id}`);
  await post(ofList, "source=page");
  // The bulk unsubscribe ends only the other subscription, so its undo restores only that one.
  await post(await pathOf(email, companyId, "bulk"), "source=page");
  await post(ofList, "action=undo&category=bulk");
  expect(await statuses()).toEqual({ [news.id]: "unsubscribed", [tips.id]: "confirmed" });
  expect(await categories()).toEqual([`list-${news.id}`]);
  for (let i = 0; i < 2; i++) {
    const { html } = await post(ofList, `action=undo&category=list-${news.id}`);
    expect(html).toContain("You will receive the newsletter “Product news”");
  }
  expect(await statuses()).toEqual({ [news.id]: "confirmed", [tips.id]: "confirmed" });
  expect(await counts()).toEqual(before);
  expect(await categories()).toEqual([]);
  const types = (await eventsOfCompany(companyId)).map(({ type }) => type);
  expect(types.filter((type) => type === "email.newsletter.confirmed")).toHaveLength(2);
});

it("restores the subscription when an owner deletes the unsubscribe, and keeps wiped subscribers unsubscribed", async () => {
  const { email, companyId, news, tips, post, statuses } = await withTwoLists();
  const owner = await email.token({ companyId, isOwner: true, userId: companyId });
  for (const { id } of [news, tips]) await post(await pathOf(email, companyId, `list-${id}`));
  await updateRows(subscribers, { email_enc: null, cleared_at: 1 }, eq(subscribers.list_id, tips.id));
  for (const { id } of await readRows(unsubscribes, eq(unsubscribes.company_id, companyId))) {
    const call = { method: "DELETE", path: `/api/v1/unsubscribes/${id}` };
    expect((await send(email, owner, call)).status).toBe(204);
  }
  expect(await statuses()).toEqual({ [news.id]: "confirmed", [tips.id]: "unsubscribed" });
});

it("shows the newsletters of the address and all bulk mail, and a GET writes nothing", async () => {
  const { email, companyId, news, tips, statuses, categories } = await withTwoLists();
  await insertRow(company_profiles, { company_id: companyId, name: "Aster", updated_at: 0 });
  const path = await pathOf(email, companyId, `list-${news.id}`);
  const html = await (await email.call(path)).text();
  expect(html).toContain("You will stop receiving the newsletter “Product news” from Aster to a***@example.com.");
  expect(html).toContain(`aria-label="Unsubscribe: Weekly &lt;tips&gt;"`);
  expect(html).toContain(`value="list-${tips.id}"`);
  expect(html).toContain('aria-label="Unsubscribe: All newsletters and announcements"');
  expect(html).not.toContain(ADDRESS);
  const french = await (await email.call(path, { headers: { "accept-language": "fr" } })).text();
  expect(french).toContain("la lettre d’information «\u00a0Product news\u00a0» envoyée par Aster");
  expect(await statuses()).toEqual({ [news.id]: "confirmed", [tips.id]: "confirmed" });
  expect(await categories()).toEqual([]);
});

it("acts on the category of the button, but only within the company and never for a link for notifications", async () => {
  const { email, companyId, news, tips, post, statuses, categories } = await withTwoLists();
  const foreign = await storeNewsletter(createCompany());
  const path = await pathOf(email, companyId, `list-${news.id}`);
  expect((await post(path, `source=page&category=list-${foreign.id}`)).status).toBe(404);
  expect(await categories()).toEqual([]);
  expect((await post(path, `source=page&category=list-${tips.id}`)).html).toContain("“Weekly &lt;tips&gt;”");
  expect(await statuses()).toEqual({ [news.id]: "confirmed", [tips.id]: "unsubscribed" });
  const ofNotifications = await pathOf(email, companyId, "transactional");
  for (const category of [`list-${news.id}`, "bulk", "newsletters", "transactional"]) {
    const { html } = await post(ofNotifications, `source=page&category=${category}`);
    expect(html).toContain("<h1>Unsubscribe?</h1>");
  }
  expect(await categories()).toEqual([`list-${tips.id}`]);
});

it.each(["source=page&category=list-0", "source=page&category=", "source=page&category=transactional"])(
  "changes nothing for %s, which the page does not offer",
  async (body) => {
    const { email, companyId, news, post, statuses, categories } = await withTwoLists();
    const before = await statuses();
    const { status, html } = await post(await pathOf(email, companyId, `list-${news.id}`), body);
    expect([status, html]).toEqual([200, expect.stringContaining("<h1>Unsubscribe?</h1>")]);
    expect(await statuses()).toEqual(before);
    expect(await categories()).toEqual([]);
    expect(await eventsOfCompany(companyId)).toEqual([]);
  },
);

it("links to the sign-up page when the address was wiped", async () => {
  const { email, companyId, news, post } = await withTwoLists();
  const path = await pathOf(email, companyId, `list-${news.id}`);
  await post(path);
  await updateRows(subscribers, { email_enc: null, cleared_at: 1 }, eq(subscribers.list_id, news.id));
  const html = await (await email.call(path)).text();
  expect(html).toContain(`href="http://localhost:8787/email/api/v1/public/newsletters/${news.public_key}"`);
  expect(html).not.toContain(`value="list-${news.id}"`);
});

it.each(["GET", "POST"])(
  "returns a 404 page to %s for a newsletter that does not exist in the company",
  async (method) => {
    const email = await startEmail();
    const companyId = createCompany();
    const foreign = await storeNewsletter(createCompany());
    for (const id of [foreign.id, 999_999_999]) {
      const response = await email.call(await pathOf(email, companyId, `list-${id}`), { method });
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    }
    expect(await readRows(unsubscribes, eq(unsubscribes.company_id, companyId))).toEqual([]);
  },
);
