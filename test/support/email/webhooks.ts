import { expect } from "vitest";
import type { ManagementLine } from "../../../schemas/management";
import { createUnsubscribeUrl } from "../../../workers/email/audience/unsubscribes/unsubscribe";
import { restoreClock } from "../restore";
import { deliverNow } from "./deliver-now";
import { startDelivery, testSettings } from "./delivery";
import type { EmailHarness } from "./email";
import { consume, deliveriesOf } from "./events";
import { storeMessage } from "./messages";

export const OPERATOR_KEY = `opk_${"e".repeat(40)}`;

/** Sends a message of the company, which stores an event. Returns the message id. */
export async function sendOne(companyId: number, columns: Parameters<typeof storeMessage>[1] = {}): Promise<string> {
  const harness = startDelivery();
  const id = await storeMessage(companyId, { to_user_id: 5, ...columns });
  await deliverNow(harness.build(), [id], "auth");
  restoreClock();
  return id;
}

/** Makes the first attempts of a company's deliveries through the queue. */
export async function attempt(email: EmailHarness, companyId: number): Promise<void> {
  const ids = (await deliveriesOf(companyId)).map(({ id }) => id);
  await consume(email.bindings, "webhooks-email", [{ v: 1, kind: "first", ids, request_id: "r" }]);
}

/** Runs a management command and returns the last line of its response. */
export async function command(email: EmailHarness, name: string, flags: unknown): Promise<ManagementLine> {
  const response = await email.call(`/api/v1/management/${name}`, { bearer: OPERATOR_KEY, json: { flags } });
  const lines = (await response.text()).trim().split("\n");
  return JSON.parse(lines.at(-1) ?? "") as ManagementLine;
}

/**
 * Unsubscribes an address from the company's transactional mail with the link in a mail. Returns the D1 round trips of
 * the request.
 */
export async function unsubscribe(email: EmailHarness, company: number, hmac = "a".repeat(64)): Promise<number> {
  const url = await createUnsubscribeUrl(testSettings(), company, "transactional", hmac);
  const response = await email.call(url.slice(testSettings().publicBaseUrl.length), { method: "POST" });
  expect(response.status).toBe(200);
  return email.acceptTripsOf(response);
}
