import { eq } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import {
  action_deliveries,
  action_rules,
  broadcast_recipients,
  broadcasts,
  company_providers,
  event_log,
  message_attachments,
  messages,
  newsletters,
  rules,
  service_clients,
  subscribers,
} from "../../db/email/schema";
import type { ManagementLine } from "../../schemas/management";
import { openTurnstileSecret, turnstileAad } from "../../workers/email/audience/newsletters/newsletter";
import { openContact as openSubscriber } from "../../workers/email/audience/newsletters/subscriber-seal";
import {
  openAudience,
  openBearer,
  openContact,
  sealAudience,
  sealBearer,
  sealContact,
} from "../../workers/email/audience/recipients/seal";
import { openAttachments, storeAttachments } from "../../workers/email/delivery/attachments/attachments";
import { credentialsAad } from "../../workers/email/delivery/sender/credentials";
import { webhookAad } from "../../workers/email/delivery/sender-settings/provider";
import { openRecipients, sealRecipients } from "../../workers/email/intake/rules/static-recipients";
import { keysOf } from "../../workers/email/keys";
import { openAddress, subscriberAad } from "../../workers/email/records/seal/seal";
import { callbackAad } from "../../workers/email/records/webhooks/callback";
import { clock } from "../../workers/kit/clock";
import { bytesToBase64 } from "../../workers/kit/crypto/encoding";
import { open, seal, sealedBy } from "../../workers/kit/crypto/seal";
import { sign } from "../../workers/kit/webhooks/posting/signing-secret";
import { ruleAad } from "../../workers/kit/webhooks/posting/webhook-post";
import { watchCalls } from "../support/db/watched-database";
import { send, startCompany } from "../support/email/admin";
import { storeBroadcast } from "../support/email/broadcasts";
import { apiProvider, PROVIDER_PATH } from "../support/email/company-provider";
import { startServices } from "../support/email/delivery";
import { everyMember } from "../support/email/draft-broadcasts";
import { createKey, startEmail, testEnv } from "../support/email/email";
import { deliveriesOf, eventsOfCompany, storeRule } from "../support/email/events";
import { readMessage, storeMessage } from "../support/email/messages";
import { storeNewsletter, storeSubscriber } from "../support/email/newsletter-rows";
import { deleteRows, insertRow, readRows, updateRows } from "../support/email/rows";
import { storedRule } from "../support/email/rules";
import { attempt, command, OPERATOR_KEY, sendOne } from "../support/email/webhooks";
import { createNetwork } from "../support/net/network";
import { restoreAfterEach } from "../support/restore";

restoreAfterEach();

const key = (byte: number) => bytesToBase64(new Uint8Array(32).fill(byte));
const newest = { EMAIL_VARIABLES_KEY: key(61), EMAIL_CREDENTIALS_KEY: key(62), ACTIONS_ENCRYPTION_KEY: key(64) };
const newAndOldKeys = {
  ...newest,
  EMAIL_VARIABLES_PREVIOUS_KEYS: key(1),
  EMAIL_CREDENTIALS_PREVIOUS_KEYS: key(2),
  ACTIONS_ENCRYPTION_PREVIOUS_KEYS: key(4),
};

const old = await startEmail({ vars: { OPERATOR_KEY } });
const rotated = await startEmail({ vars: { OPERATOR_KEY, ...newAndOldKeys } });
const newKeysOnly = await startEmail({ vars: { OPERATOR_KEY, ...newest } });

const TABLES = [
  messages,
  message_attachments,
  rules,
  event_log,
  action_deliveries,
  company_providers,
  service_clients,
  action_rules,
  broadcasts,
  broadcast_recipients,
  newsletters,
  subscribers,
];

// Each test counts all rows of these tables.
beforeEach(async () => {
  await Promise.all(TABLES.map((table) => deleteRows(table, undefined)));
});

/** Creates a company with every kind of encrypted value, all encrypted with the previous keys. */
async function startSealed() {
  createNetwork();
  const company = await startCompany(old);
  const { companyId } = company;
  const put = (json: object) => send(old, company.owner, { method: "PUT", path: PROVIDER_PATH, json });
  await put({ ...apiProvider, webhook_secret: "first-secret" });
  await put({ from_email: apiProvider.from_email, webhook_secret: "second-secret", webhook_overlap_hours: 2 });
  const { webhooks, credentials } = await keysOf(testEnv);
  const rule = await storeRule(companyId, "email.message.sent");
  await updateRows(
    action_rules,
    {
      previous_secret_enc: await seal("whsec_b2xk", webhooks, ruleAad("email", "previous_secret_enc", companyId)),
      previous_secret_expires_at: Date.now() + 60_000,
      authorization_enc: await seal("Bearer of-rule", webhooks, ruleAad("email", "authorization_enc", companyId)),
    },
    eq(action_rules.id, rule.id),
  );
  const client = await createKey({ service: `s${crypto.randomUUID().slice(0, 8)}` });
  const [row] = await readRows(service_clients, eq(service_clients.id, client.id));
  const callback = await seal("whsec_Y2FsbA==", credentials, callbackAad(row?.seal_id ?? ""));
  await updateRows(service_clients, { callback_secret_enc: callback }, eq(service_clients.id, client.id));
  const sealContext = { company_id: companyId, seal_id: crypto.randomUUID() };
  const static_recipients_enc = await sealRecipients(["office@example.com"], sealContext, await keysOf(testEnv));
  await insertRow(rules, { ...storedRule(companyId), ...sealContext, static_recipients_enc });
  await sendOne(companyId);
  const waiting = await storeMessage(companyId, { to: "waits@example.com" });
  const files = [{ filename: "plan.pdf", contentType: "application/pdf", contentId: null, field: "attachments.0" }];
  const source = { kind: "bytes" as const, bytes: new Uint8Array(1) };
  const attachments = await storeAttachments(
    startServices(),
    companyId,
    files.map((file) => ({ ...file, source })),
  );
  const sealId = crypto.randomUUID();
  const keys = await keysOf(testEnv);
  const bearer_enc = await sealBearer("token-of-caller", { companyId, sealId }, keys);
  const picked = { ...everyMember, mode: "pick" as const, emails: ["mina@example.com"] };
  const audience = await sealAudience(startServices(), picked, { companyId, sealId });
  const { id: broadcastId } = await storeBroadcast(companyId, { seal_id: sealId, bearer_enc, ...audience });
  const emailHmac = "b".repeat(64);
  const contact = { email: "nadia@example.com", first_name: "Nadia", last_name: "" };
  await insertRow(broadcast_recipients, {
    broadcast_id: broadcastId,
    email_hmac: emailHmac,
    status: "pending",
    contact_enc: await sealContact(contact, { broadcastId, emailHmac }, keys),
    email_masked: "n***@example.com",
    language: "",
  });
  const turnstile = await seal("turnstile-secret", keys.credentials, turnstileAad(companyId, sealId));
  const newsletter = await storeNewsletter(companyId, { seal_id: sealId, turnstile_secret_enc: turnstile });
  const first_name_enc = await seal("Noor", keys.variables, subscriberAad("first_name_enc", companyId, sealId));
  const email_enc = await seal("noor@example.com", keys.variables, subscriberAad("email_enc", companyId, sealId));
  await storeSubscriber(newsletter, "noor@example.com", { seal_id: sealId, email_enc, first_name_enc });
  return { companyId, rule, waiting, attachments };
}

/**
 * Number of rows with encrypted values that `startSealed` creates: two messages, an event, its delivery, a provider, a
 * client, a webhook, a rule, attachments, a broadcast and its recipient, a newsletter and its subscriber.
 */
const ROWS = 13;

/** Returns every encrypted value in the database that the previous keys encrypted. */
async function oldTexts(): Promise<string[]> {
  const keys = await keysOf(newKeysOnly.bindings);
  const newestPrefixes = [keys.variables, keys.credentials, keys.webhooks].map(({ current }) => sealedBy(current));
  const rows = (await Promise.all(TABLES.map((table) => readRows(table, undefined)))).flat();
  const texts = rows
    .flatMap((row) => Object.values(row).filter((value) => String(value).startsWith("v1.")))
    .map(String);
  return texts.filter((text) => !newestPrefixes.some((prefix) => text.startsWith(prefix)));
}

/** Decrypts the company's values with only the newest keys. */
async function readAlone({ companyId, rule, waiting, attachments }: Awaited<ReturnType<typeof startSealed>>) {
  const keys = await keysOf(newKeysOnly.bindings);
  const network = createNetwork();
  await attempt(newKeysOnly, companyId);
  const [post] = network.received;
  const header = (name: string) => post?.headers.get(name) ?? "";
  const signed = { id: header("webhook-id"), timestamp: Number(header("webhook-timestamp")), body: post?.body ?? "" };
  const [provider] = await readRows(company_providers, eq(company_providers.company_id, companyId));
  const [client] = await readRows(service_clients, undefined);
  const [emailRule] = await readRows(rules, undefined);
  const [broadcast] = await readRows(broadcasts, eq(broadcasts.company_id, companyId));
  const [recipient] = await readRows(broadcast_recipients, eq(broadcast_recipients.broadcast_id, broadcast?.id ?? 0));
  const [newsletter] = await readRows(newsletters, eq(newsletters.company_id, companyId));
  const [subscriber] = await readRows(subscribers, eq(subscribers.company_id, companyId));
  const recipientKey = { broadcastId: broadcast?.id ?? 0, emailHmac: recipient?.email_hmac ?? "" };
  const [set] = await readRows(message_attachments, eq(message_attachments.id, attachments ?? ""));
  const files = set === undefined ? null : await openAttachments(startServices(), keys, set);
  const place = { companyId, sealId: provider?.seal_id ?? "" };
  const openProvider = (text: string | null | undefined, aad: string) => open(text ?? "", keys.credentials, aad);
  return {
    address: await openAddress(await readMessage(waiting), keys),
    recipients: emailRule === undefined ? null : await openRecipients(emailRule, keys),
    files: files?.map(({ filename }) => filename),
    bearer: broadcast === undefined ? null : await openBearer(broadcast, keys),
    picked: broadcast === undefined ? null : (await openAudience(broadcast, keys)).emails,
    contact: (await openContact(recipient?.contact_enc ?? "", recipientKey, keys))?.email,
    turnstile: newsletter === undefined ? null : await openTurnstileSecret(newsletter, keys),
    subscriber: subscriber === undefined ? null : await openSubscriber(subscriber, keys),
    isSigned: header("webhook-signature") === (await sign([rule.secret, "whsec_b2xk"], signed)),
    authorization: header("authorization"),
    credentials: await openProvider(provider?.credentials_enc, credentialsAad(companyId, place.sealId)),
    secrets: await Promise.all([
      openProvider(provider?.webhook_secret_enc, webhookAad("webhook_secret_enc", place)),
      openProvider(provider?.webhook_previous_enc, webhookAad("webhook_previous_enc", place)),
      open(client?.callback_secret_enc ?? "", keys.credentials, callbackAad(client?.seal_id ?? "")),
    ]),
  };
}

const everything = {
  address: "waits@example.com",
  recipients: ["office@example.com"],
  files: ["plan.pdf"],
  bearer: "token-of-caller",
  picked: ["mina@example.com"],
  contact: "nadia@example.com",
  turnstile: "turnstile-secret",
  subscriber: { email: "noor@example.com", firstName: "Noor" },
  isSigned: true,
  authorization: "Bearer of-rule",
  credentials: JSON.stringify(apiProvider.credentials),
  secrets: ["second-secret", "first-secret", "whsec_Y2FsbA=="],
};

/**
 * The number of the database call that reads encrypted messages. The calls before it store the audit entry and run the
 * first count.
 */
const READ_OF_MESSAGES = 3;

const lineOf = (end: ManagementLine) => ("line" in end ? end.line : "");
const done = (rows: number) => `reencrypt: rows=${rows} remaining=0 unreadable=0 complete=true`;

it("reencrypts everything that needs the previous keys, and finds nothing in a second run", async () => {
  const sealed = await startSealed();
  const [before] = await readRows(messages, eq(messages.id, sealed.waiting));
  expect(lineOf(await command(rotated, "reencrypt", { dry_run: true }))).toBe(
    `reencrypt: would re-encrypt rows=${ROWS} complete=true`,
  );
  expect(await readMessage(sealed.waiting)).toEqual(before);
  expect(lineOf(await command(rotated, "reencrypt", {}))).toBe(done(ROWS));
  expect(await oldTexts()).toEqual([]);
  expect(await readAlone(sealed)).toEqual(everything);
  expect(lineOf(await command(rotated, "reencrypt", {}))).toBe(done(0));
});

it("continues after a kill before or after any database call and loses nothing", async () => {
  const sealed = await startSealed();
  let call = 0;
  for (let isComplete = false; !isComplete; ) {
    call += 1;
    let calls = 0;
    const die = async (n: number) => {
      calls = n;
      if (n === call) throw new Error("the isolate ended");
    };
    const watch = call % 2 === 0 ? { before: die } : { after: die };
    const bindings = { DB: watchCalls(testEnv.DB, watch) };
    const init = { bearer: OPERATOR_KEY, json: { flags: { batch_size: 1 } }, bindings };
    await rotated.call("/api/v1/management/reencrypt", init);
    isComplete = calls < call;
  }
  expect(call).toBeGreaterThan(10);
  expect(await oldTexts()).toEqual([]);
  expect(await readAlone(sealed)).toEqual(everything);
});

it("continues after the rows of the first query, even in tables with two-column keys", async () => {
  const company = await startCompany(old);
  await Promise.all(Array.from({ length: 60 }, () => storeMessage(company.companyId)));
  await startSealed();
  await startSealed();
  expect(lineOf(await command(rotated, "reencrypt", { batch_size: 1 }))).toBe(done(60 + 2 * ROWS));
  expect(await oldTexts()).toEqual([]);
});

it("never overwrites an encrypted value that changed after it was read", async () => {
  const { companyId, waiting } = await startSealed();
  const isOfCompany = eq(company_providers.company_id, companyId);
  const before = (await keysOf(testEnv)).credentials;
  const rotatedKeys = (await keysOf(rotated.bindings)).credentials;
  const provider = async () => {
    const [row] = await readRows(company_providers, isOfCompany);
    const aad = credentialsAad(companyId, row?.seal_id ?? "");
    return { aad, opened: await open(row?.credentials_enc ?? "", rotatedKeys, aad) };
  };
  // An instance with the previous keys changes the provider after every database call, and therefore also between the
  // command's read and write.
  let last = (await provider()).opened;
  const unchangedValues: boolean[] = [];
  const after = async (call: number) => {
    const { aad, opened } = await provider();
    unchangedValues.push(opened === last);
    last = `{"api_key":"${call}"}`;
    await updateRows(company_providers, { credentials_enc: await seal(last, before, aad) }, isOfCompany);
    if (call === READ_OF_MESSAGES) await updateRows(messages, { variables_enc: null }, eq(messages.id, waiting));
  };
  const bindings = { DB: watchCalls(testEnv.DB, { after }) };
  await rotated.call("/api/v1/management/reencrypt", { bearer: OPERATOR_KEY, json: {}, bindings });
  expect(unchangedValues.length).toBeGreaterThan(12);
  expect(unchangedValues).not.toContain(false);
  expect((await readMessage(waiting)).variables_enc).toBeNull();
  expect(await oldTexts()).toHaveLength(1);
  expect(lineOf(await command(rotated, "reencrypt", {}))).toBe(done(1));
  expect((await provider()).opened).toBe(last);
});

it("advances the provider's updated_at, so that an update that read the old ciphertexts starts again", async () => {
  const { companyId } = await startSealed();
  const updatedAt = async () =>
    (await readRows(company_providers, eq(company_providers.company_id, companyId)))[0]?.updated_at ?? 0;
  const before = await updatedAt();
  await command(rotated, "reencrypt", {});
  expect(await updatedAt()).toBeGreaterThan(before);
});

it("counts but does not change values that cannot be decrypted, and does not change an erased body", async () => {
  const { companyId, waiting } = await startSealed();
  const { to_enc } = await readMessage(await storeMessage(companyId));
  // A value that was encrypted for another row cannot be decrypted in this row.
  await updateRows(messages, { to_enc }, eq(messages.id, waiting));
  const [delivery] = await deliveriesOf(companyId);
  await updateRows(action_deliveries, { body: "{}" }, eq(action_deliveries.seq, delivery?.seq ?? 0));
  const end = await command(rotated, "reencrypt", {});
  expect(lineOf(end)).toBe(`reencrypt: rows=${ROWS} remaining=1 unreadable=1 complete=true`);
  const unreadable = await readMessage(waiting);
  expect(unreadable.to_enc).toBe(to_enc);
  expect((await deliveriesOf(companyId))[0]?.body).toBe("{}");
  expect(await eventsOfCompany(companyId).catch(() => "does not open")).toBe("does not open");
});

it("stops re-encrypting at its time limit and reports that rows remain", async () => {
  await startSealed();
  let now = Date.now();
  // The clock advances by one second at each read.
  clock.now = () => (now += 1000);
  const flags = { batch_size: 1, max_seconds: 1 };
  const first = await command(rotated, "reencrypt", flags);
  expect(first).toMatchObject({ counts: { complete: false, rows: 1 }, next: expect.any(String) });
  expect(lineOf(first)).toMatch(/ complete=false next=[A-Za-z0-9_-]+$/);
  const cursors = new Set<string>();
  let end = first;
  let rows = 1;
  while ("next" in end && end.next !== undefined) {
    // Each run must return a new cursor, so that the loop ends.
    expect(cursors).not.toContain(end.next);
    cursors.add(end.next);
    end = await command(rotated, "reencrypt", { ...flags, after: end.next });
    rows += "counts" in end ? Number(end.counts.rows) : 0;
  }
  expect([rows, await oldTexts()]).toEqual([ROWS, []]);
});

it("returns the cursor for the next run, even when it had nothing to do", async () => {
  const company = await startCompany(rotated);
  await Promise.all(Array.from({ length: 60 }, () => storeMessage(company.companyId)));
  await command(rotated, "reencrypt", {});
  await startSealed();
  let now = Date.now();
  clock.now = () => (now += 1000);
  const flags = { batch_size: 1, max_seconds: 1 };
  // The first query returns fifty messages, all encrypted with the newest key.
  const first = await command(rotated, "reencrypt", flags);
  expect(first).toMatchObject({ counts: { complete: false, rows: 0 }, next: expect.any(String) });
  const again = await command(rotated, "reencrypt", { ...flags, after: "next" in first ? first.next : "" });
  expect(again).toMatchObject({ counts: { rows: 1 } });
});

it.each(["x", "WyJtZXNzYWdlcyJd", "WyJtZXNzYWdlcyIsMV0", "WyJ1c2VycyIsMV0"])(
  "rejects the re-encryption cursor %s",
  async (after) => {
    const init = { bearer: OPERATOR_KEY, json: { flags: { after } } };
    const rejected = await rotated.call("/api/v1/management/reencrypt", init);
    expect([rejected.status, await rejected.json()]).toMatchObject([
      400,
      { field_errors: { "flags.after": ["invalid"] } },
    ]);
  },
);

it("rejects re-encryption flags out of range", async () => {
  const init = { bearer: OPERATOR_KEY, json: { flags: { batch_size: 501 } } };
  expect((await rotated.call("/api/v1/management/reencrypt", init)).status).toBe(400);
});
