import { expect, it } from "vitest";
import { template_versions } from "../../../db/email/schema";
import { deliverNow } from "../../support/email/deliver-now";
import { accept, createCompany, startDelivery } from "../../support/email/delivery";
import { attemptsOf, readMessage, storeMessage } from "../../support/email/messages";
import { insertRow } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

let lastVersion = Math.floor(Math.random() * 1e9) * 1000;

/** Stores a published custom version with this HTML and returns its id. */
async function storeVersion(html: string, text = "Hello"): Promise<number> {
  lastVersion += 1;
  await insertRow(template_versions, {
    id: lastVersion,
    template_id: lastVersion,
    number: 1,
    state: "published",
    subject: "Hello",
    preheader: "",
    document: "{}",
    html,
    text,
    renderer_version: 1,
    checksum: "c",
    uses: { tokens: [], hosts: [] },
    created_by: null,
    published_at: 1,
    created_at: 1,
  });
  return lastVersion;
}

const contentOf = (version_id: number) => ({ version_id, template_version: 1, default_checksum: null });
const large = { company_name: "x".repeat(1000), magic_link_url: "https://auth.example.com/x?t=secret" };
const repeated = "<p>{{ company_name }}</p>".repeat(3000);

/** Starts delivery for a company that sends all mail through the platform. */
const startFor = (company: number, options: Parameters<typeof startDelivery>[0] = {}) =>
  startDelivery({ ...options, settings: { platformCompanyIds: new Set([company]) } });

it("fails a mail that its variables make larger than 2 MB, without a request to the provider", async () => {
  const company = createCompany();
  const harness = startFor(company);
  const content = { ...contentOf(await storeVersion(repeated)), lane: "transactional" as const };
  const tooLarge = await storeMessage(company, { ...content, variables: large });
  const other = await storeMessage(company, content);
  await deliverNow(harness.build(), [tooLarge, other], "transactional");
  expect(await readMessage(tooLarge)).toMatchObject({ status: "failed", last_error_code: "provider_error" });
  expect(await attemptsOf(tooLarge)).toMatchObject([
    { provider: null, outcome: "provider_error", detail: "the mail is too large" },
  ]);
  expect(await readMessage(other)).toMatchObject({ status: "sent" });
  expect(harness.calls).toHaveLength(1);
});

it("sends the default content when variables make the custom sign-in mail too large", async () => {
  const harness = startDelivery();
  const content = contentOf(await storeVersion(repeated));
  const id = await storeMessage(createCompany(), { ...content, variables: large });
  await deliverNow(harness.build(), [id], "auth");
  expect(await readMessage(id)).toMatchObject({ status: "sent" });
  expect(await attemptsOf(id)).toMatchObject([{ outcome: "accepted", content: "default" }]);
  expect(harness.calls[0]?.mail.html).toContain(`href="${large.magic_link_url}"`);
  expect(harness.calls[0]?.mail.html.length).toBeLessThan(200_000);
});

it("composes each mail when it is sent, so that memory holds only the mails of concurrent attempts", async () => {
  let composed = 0;
  let sentCount = 0;
  let inMemory = 0;
  const harness = startDelivery({
    respond: (...request) => {
      inMemory = Math.max(inMemory, composed - sentCount);
      sentCount += 1;
      return accept(...request);
    },
  });
  const company = createCompany();
  const ids = await Promise.all(Array.from({ length: 10 }, () => storeMessage(company)));
  const settings = { ...harness.build().settings };
  const { emailPublicUrl } = settings;
  // Each composed mail reads this setting once.
  Object.defineProperty(settings, "emailPublicUrl", {
    get: () => {
      composed += 1;
      return emailPublicUrl;
    },
  });
  await deliverNow(harness.build({ settings }), ids, "auth");
  expect([composed, sentCount]).toEqual([10, 10]);
  expect(inMemory).toBeLessThanOrEqual(5);
});

it("reads a few MB of custom templates per claim, and releases the other messages without using an attempt", async () => {
  const company = createCompany();
  const harness = startFor(company);
  const html = `<p>${"x".repeat(1_800_000)}</p>`;
  const ids: string[] = [];
  for (let stored = 0; stored < 6; stored++) {
    ids.push(await storeMessage(company, { ...contentOf(await storeVersion(html)), lane: "transactional" }));
  }
  const services = harness.build();
  await deliverNow(services, ids, "transactional");
  expect(services.platformDb.stats.roundTrips).toBe(3);
  expect(harness.calls).toHaveLength(4);
  const waiting = ids.slice(4);
  expect(harness.enqueued).toMatchObject([{ lane: "transactional", ids: waiting, delaySeconds: 0 }]);
  for (const id of waiting) {
    expect(await readMessage(id)).toMatchObject({
      status: "retrying",
      attempt_count: 0,
      next_attempt_at: harness.now(),
    });
  }
  await deliverNow(harness.build(), waiting, "transactional");
  for (const id of ids) expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 1 });
});
