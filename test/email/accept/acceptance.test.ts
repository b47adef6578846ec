import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { default_contents, messages } from "../../../db/email/schema";
import {
  type Acceptance,
  acceptMessages,
  type CountedMessage,
  newMessageId,
} from "../../../workers/email/intake/acceptance/acceptance";
import { hashesOf, hashPeople } from "../../../workers/email/intake/submission/people";
import { openDb } from "../../../workers/kit/db/db";
import { countRoundTrips } from "../../support/db/counted-database";
import { createCompany, startDelivery, testKeys, withDb } from "../../support/email/delivery";
import { testEnv } from "../../support/email/email";
import { countsOf } from "../../support/email/messages";
import { countRows, readRows } from "../../support/email/rows";

const EVENT = "hosting.app.created";

/** Returns bulk mail that the email service itself sends to `count` recipients, such as a broadcast. */
async function bulkOf(companyId: number, now: number, count: number) {
  const current = and(eq(default_contents.event_type, EVENT), eq(default_contents.current, true));
  const [content] = await readRows(default_contents, current);
  const addresses = Array.from({ length: count }, (_, index) => `reader${index}-${companyId}@example.com`);
  const people = await hashPeople(addresses, await testKeys());
  const acceptance: Acceptance = {
    origin: { companyId, service: "broadcast", clientId: null, idempotency: null, now },
    kind: { eventType: "broadcast", lane: "bulk", category: "bulk", hasSeparateLimit: false },
    sender: { scope: "platform", provider: "api", reason: "platform_company" },
    ttlMs: null,
  };
  const list: CountedMessage[] = addresses.map((email, index) => ({
    id: newMessageId(),
    recipient: { email, userId: null, path: `recipients.${index}` },
    hashes: hashesOf(people, email),
    ruleId: null,
    templateKey: EVENT,
    content: {
      version_id: null,
      template_version: null,
      default_checksum: content?.checksum ?? "",
      language: { value: "en", source: "default" },
      trace: { source: "default", template_id: null, version: null, design: "", reason: "no_copy" },
    },
    variables: { company_name: "Aster Labs", display_name: `Reader ${index}` },
    name: { source: "stored", store: null },
    suppressed: index === 0 ? { code: "unsubscribed", reason: "unsubscribed", lanes: ["bulk"] } : null,
    limits: [],
  }));
  return { acceptance, list };
}

it("stores a thousand of the service's own messages exactly once, in one round trip with few statements", async () => {
  const companyId = createCompany();
  const harness = startDelivery({ settings: { platformCompanyIds: new Set([companyId]) } });
  const counted = countRoundTrips(testEnv.DB);
  const services = withDb(harness.build(), openDb(counted.db));
  const { acceptance, list } = await bulkOf(companyId, harness.now(), 1000);

  expect(await acceptMessages(services, acceptance, { messages: list })).toBeNull();
  // The batch holds the messages in slices of 1 MB, their counts, and the event of the suppressed message with its webhooks.
  expect(counted.count()).toBe(1);
  expect(counted.largestBatch()).toBeLessThanOrEqual(8);
  // A caller that did not receive the response repeats the step.
  expect(await acceptMessages(services, acceptance, { messages: list })).toBeNull();
  expect(await countRows(messages, eq(messages.company_id, companyId))).toBe(1000);
  expect(await countsOf(companyId)).toEqual({ queued: 999, suppressed: 1 });

  const ids = list.slice(0, 10).map(({ id }) => id);
  expect(await harness.consumeIds(ids, "bulk")).toBe("acked");
  expect(harness.calls.map(({ mail }) => mail.to[0]).sort()).toEqual(
    list
      .slice(1, 10)
      .map(({ recipient }) => recipient.email)
      .sort(),
  );
});
