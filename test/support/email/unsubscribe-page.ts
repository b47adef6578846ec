import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { newsletters, subscribers, unsubscribes } from "../../../db/email/schema";
import {
  createUnsubscribeUrl,
  type UnsubscribeCategory,
} from "../../../workers/email/audience/unsubscribes/unsubscribe";
import { settingsOf } from "../../../workers/email/settings";
import { createCompany, type EmailHarness, startEmail } from "./email";
import { hashOf, storeNewsletter, storeSubscriber } from "./newsletter-rows";
import { readRows } from "./rows";

/** The subscriber of the newsletters of `withTwoLists`. */
export const ADDRESS = "anna@example.com";

/** Returns the path of the unsubscribe link of the address. */
export async function pathOf(email: EmailHarness, companyId: number, category: UnsubscribeCategory): Promise<string> {
  const url = await createUnsubscribeUrl(settingsOf(email.bindings), companyId, category, await hashOf(ADDRESS));
  return new URL(url).pathname.replace("/email", "");
}

/**
 * Returns a company with two newsletters, of which the address is a confirmed subscriber, and functions that use its unsubscribe page
 * and read what is stored.
 */
export async function withTwoLists() {
  const email = await startEmail();
  const companyId = createCompany();
  const news = await storeNewsletter(companyId, { name: "Product news", confirmed: 5 });
  const tips = await storeNewsletter(companyId, { name: "Weekly <tips>", confirmed: 1, pending: 2 });
  for (const list of [news, tips]) await storeSubscriber(list, ADDRESS);
  const post = async (path: string, body?: string) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await email.call(path, { method: "POST", headers, ...(body === undefined ? {} : { body }) });
    expect(email.acceptTripsOf(response)).toBeLessThanOrEqual(2);
    return { status: response.status, html: await response.text() };
  };
  const statuses = async () =>
    Object.fromEntries(
      (await readRows(subscribers, eq(subscribers.company_id, companyId))).map((row) => [row.list_id, row.status]),
    );
  const counts = async () =>
    Object.fromEntries(
      (await readRows(newsletters, eq(newsletters.company_id, companyId))).map((row) => [
        row.id,
        [row.pending, row.confirmed, row.unsubscribed],
      ]),
    );
  const categories = async () =>
    (await readRows(unsubscribes, eq(unsubscribes.company_id, companyId))).map(({ category }) => category);
  return { email, companyId, news, tips, post, statuses, counts, categories };
}
