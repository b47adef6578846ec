import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { newsletters, subscribers } from "../../../db/email/schema";
import { send, startCompany } from "./admin";
import { apiProvider, PROVIDER_PATH } from "./company-provider";
import type { EmailHarness } from "./email";
import { readRows } from "./rows";

export const NEWSLETTERS = "/api/v1/newsletters";

/** A newsletter as the API returns it. */
export type PublicNewsletter = {
  id: number;
  name: string;
  public_key: string;
  confirmation_template_id: number;
  subscribe_url: string;
  turnstile_configured: boolean;
  counts: Record<"pending" | "confirmed" | "unsubscribed", number>;
  sender: { from_email: string; error_code: string };
};

/** A subscriber as the API returns it. */
export type PublicSubscriber = { id: number; email: string; first_name: string; status: string; language: string };

/**
 * Starts a company with a provider and a newsletter. `call` sends a request as its owner. `expectCounts` compares the counters of
 * the newsletter with its rows.
 */
export async function startNewsletter(email: EmailHarness, fields: object = {}) {
  const company = await startCompany(email);
  const call = (method: string, path: string, json?: unknown, bearer = company.owner) =>
    send(email, bearer, { method, path, json });
  expect((await call("PUT", PROVIDER_PATH, apiProvider)).status).toBe(200);
  const created = await call("POST", NEWSLETTERS, { name: "Product news", ...fields });
  expect(created.status, await created.clone().text()).toBe(201);
  const list = await created.json<PublicNewsletter>();
  const path = `${NEWSLETTERS}/${list.id}`;
  const rows = () => readRows(subscribers, eq(subscribers.list_id, list.id));
  const expectCounts = async () => {
    const stored = await rows();
    const numberOf = (status: string) => stored.filter((row) => row.status === status).length;
    const [row] = await readRows(newsletters, eq(newsletters.id, list.id));
    const { pending, confirmed, unsubscribed } = row ?? { pending: 0, confirmed: 0, unsubscribed: 0 };
    const counts = { pending, confirmed, unsubscribed };
    expect(counts).toEqual({
      pending: numberOf("pending"),
      confirmed: numberOf("confirmed"),
      unsubscribed: numberOf("unsubscribed"),
    });
    return counts;
  };
  const add = async (json: object) => {
    const response = await call("POST", `${path}/subscribers`, json);
    await expectCounts();
    return response;
  };
  return { ...company, call, list, path, rows, expectCounts, add };
}
