import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { newsletters, subscribers, unsubscribes } from "../../../db/email/schema";
import { createCompany } from "../../support/email/email";
import { eventsOfCompany } from "../../support/email/events";
import { hashOf, storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { insertRow, readRows, updateRows } from "../../support/email/rows";
import { ADDRESS, pathOf, withTwoLists } from "../../support/email/unsubscribe-page";

const ALL = "source=page&category=newsletters";
const BUTTON = 'aria-label="Unsubscribe: All newsletters"';
const BULK_BUTTON = 'aria-label="Unsubscribe: All newsletters and announcements"';

it("leaves all newsletters of the company, once, and no other mail", async () => {
  const { email, companyId, news, tips, post, statuses, counts, categories } = await withTwoLists();
  const other = await storeNewsletter(createCompany(), { confirmed: 1 });
  const foreign = await storeSubscriber(other, ADDRESS);
  const neighbour = await storeSubscriber(news, "bo@example.com");
  const path = await pathOf(email, companyId, `list-${news.id}`);
  for (let i = 0; i < 2; i++) {
    const { status, html } = await post(path, ALL);
    expect(status).toBe(200);
    expect(html).toContain("You will no longer receive any newsletter to a***@example.com.");
    expect(html).toContain("Announcements, and messages for signing in and about security, are still sent.");
    expect(html).toContain('aria-label="Subscribe again: Product news"');
    expect(html).toContain('aria-label="Subscribe again: Weekly &lt;tips&gt;"');
    expect(html).toContain(BULK_BUTTON);
    expect(html).not.toContain(BUTTON);
  }
  const rows = await readRows(subscribers, eq(subscribers.company_id, companyId));
  expect(rows.filter(({ id }) => id !== neighbour.id).map(({ status }) => status)).toEqual([
    "unsubscribed",
    "unsubscribed",
  ]);
  expect(rows.find(({ id }) => id === neighbour.id)?.status).toBe("confirmed");
  expect((await readRows(subscribers, eq(subscribers.id, foreign.id)))[0]?.status).toBe("confirmed");
  expect(await statuses()).toMatchObject({ [tips.id]: "unsubscribed" });
  expect(await counts()).toEqual({ [news.id]: [0, 4, 1], [tips.id]: [2, 0, 1] });
  expect((await categories()).sort()).toEqual([`list-${news.id}`, `list-${tips.id}`].sort());
  const events = await eventsOfCompany(companyId);
  expect(events).toHaveLength(4);
  for (const { id, name } of [news, tips]) {
    const unsubscribe = {
      category: `list-${id}`,
      source: "page",
      email_hmac: await hashOf(ADDRESS),
      newsletter_id: id,
      to_email: ADDRESS,
      to_user_id: null,
    };
    const left = { list_id: id, list_name: name, email: ADDRESS, language: "en", source: "page" };
    expect(events).toContainEqual({ type: "email.unsubscribe.created", data: unsubscribe });
    expect(events).toContainEqual({ type: "email.newsletter.unsubscribed", data: left });
  }
});

it("stores events only for what it ends: none for earlier unsubscribes, and no end of a pending subscription", async () => {
  const { email, companyId, news, tips, post, counts, categories } = await withTwoLists();
  const third = await storeNewsletter(companyId, { name: "Third", confirmed: 1 });
  await storeSubscriber(third, ADDRESS);
  const path = await pathOf(email, companyId, `list-${news.id}`);
  await post(path, "source=page");
  const waiting = {
    status: "pending",
    confirmed_at: null,
    token_hash: "e".repeat(64),
    token_expires_at: 9e15,
  } as const;
  await updateRows(subscribers, waiting, eq(subscribers.list_id, tips.id));
  await updateRows(newsletters, { pending: 3, confirmed: 0 }, eq(newsletters.id, tips.id));
  // An unsubscribe that is older than the subscription is kept, and stores no second event.
  const old = { company_id: companyId, email_hmac: await hashOf(ADDRESS), category: `list-${third.id}` };
  await insertRow(unsubscribes, { ...old, source: "provider", created_at: 1 });
  const before = (await eventsOfCompany(companyId)).length;
  await post(path, ALL);
  expect(await counts()).toEqual({ [news.id]: [0, 4, 1], [tips.id]: [2, 0, 1], [third.id]: [0, 0, 1] });
  expect((await categories()).sort()).toEqual([news, tips, third].map(({ id }) => `list-${id}`).sort());
  const [pending] = await readRows(subscribers, eq(subscribers.list_id, tips.id));
  expect(pending).toMatchObject({ status: "unsubscribed", token_hash: null, token_expires_at: null });
  const added = (await eventsOfCompany(companyId)).slice(before).map(({ type, data }) => [type, data]);
  expect(added).toHaveLength(2);
  expect(added).toContainEqual(["email.unsubscribe.created", expect.objectContaining({ newsletter_id: tips.id })]);
  expect(added).toContainEqual(["email.newsletter.unsubscribed", expect.objectContaining({ list_id: third.id })]);
});

it("ends each subscription once when the button is pressed several times at the same moment", async () => {
  const { email, companyId, news, tips, counts } = await withTwoLists();
  const path = await pathOf(email, companyId, "bulk");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const press = async () => (await email.call(path, { method: "POST", headers, body: ALL })).status;
  expect(await Promise.all([press(), press(), press(), press()])).toEqual([200, 200, 200, 200]);
  expect(await counts()).toEqual({ [news.id]: [0, 4, 1], [tips.id]: [2, 0, 1] });
  expect(await eventsOfCompany(companyId)).toHaveLength(4);
});

it("restores each newsletter alone, and shows the button again when several are subscribed", async () => {
  const { email, companyId, news, tips, post, statuses, counts, categories } = await withTwoLists();
  const before = await counts();
  const path = await pathOf(email, companyId, `list-${news.id}`);
  await post(path, ALL);
  const one = await post(path, `action=undo&category=list-${tips.id}`);
  expect(one.html).toContain("You will receive the newsletter “Weekly &lt;tips&gt;”");
  expect(one.html).toContain('aria-label="Subscribe again: Product news"');
  expect(one.html).not.toContain(BUTTON);
  expect(await statuses()).toEqual({ [news.id]: "unsubscribed", [tips.id]: "confirmed" });
  const both = await post(path, `action=undo&category=list-${news.id}`);
  expect(both.html).toContain(BUTTON);
  expect(await counts()).toEqual(before);
  expect(await categories()).toEqual([]);
});

it("is offered only with several subscriptions, and a GET changes nothing", async () => {
  const { email, companyId, news, tips, post, statuses, categories } = await withTwoLists();
  const paths = await Promise.all(
    [`list-${news.id}` as const, "bulk" as const].map((each) => pathOf(email, companyId, each)),
  );
  const read = async (path: string, language = "en") =>
    (await email.call(path, { headers: { "accept-language": language } })).text();
  for (const path of paths) {
    const html = await read(path);
    expect(html).toContain(BUTTON);
    expect(html).toContain("<small>You will still receive announcements.</small>");
  }
  const french = await read(paths[0] ?? "", "fr");
  expect(french).toContain('aria-label="Se désabonner\u00a0: Toutes les lettres d’information"');
  expect(french).toContain("Vous recevrez toujours les annonces.");
  expect(await statuses()).toEqual({ [news.id]: "confirmed", [tips.id]: "confirmed" });
  expect(await categories()).toEqual([]);
  expect(await read(await pathOf(email, companyId, "transactional"))).not.toContain(BUTTON);
  await post(paths[0] ?? "", `source=page&category=list-${tips.id}`);
  for (const path of paths) expect(await read(path)).not.toContain(BUTTON);
});

it("changes nothing without subscriptions, or as an undo, and keeps an unsubscribe from all bulk mail", async () => {
  const { email, companyId, news, post, categories, statuses } = await withTwoLists();
  const path = await pathOf(email, companyId, `list-${news.id}`);
  const before = await statuses();
  expect((await post(path, "action=undo&category=newsletters")).html).toContain("<h1>Unsubscribe?</h1>");
  expect(await statuses()).toEqual(before);
  await post(path, "source=page&category=bulk");
  const events = await eventsOfCompany(companyId);
  const { html } = await post(path, ALL);
  expect(html).toContain("You will no longer receive newsletters and announcements");
  expect(html).not.toContain("Announcements, and messages");
  expect(await categories()).toEqual(["bulk"]);
  expect(await eventsOfCompany(companyId)).toHaveLength(events.length);
});
