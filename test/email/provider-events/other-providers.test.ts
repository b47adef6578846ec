import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { suppressions } from "../../../db/email/schema";
import { base64ToBytes, bytesToBase64, utf8ToBytes } from "../../../workers/kit/crypto/encoding";
import { createCompany, startEmail } from "../../support/email/email";
import { readMessage, storeMessage } from "../../support/email/messages";
import { PLATFORM_SECRET } from "../../support/email/provider-webhooks";
import postmark from "../../support/email/recorded/postmark.json";
import ses from "../../support/email/recorded/ses.json";
import { readRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";
import snsKey from "../../support/tls/sns.key?raw";
import snsCertificate from "../../support/tls/sns.pem?raw";

restoreAfterEach();

const email = await startEmail({ vars: { PROVIDER_WEBHOOK_SECRET: PLATFORM_SECRET } });
const RECORDED_ID = "0b8f6c1e4f574a559d2c0d1f3f1c9a77";
const CERTIFICATE_URL = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-route.pem";

const sent = (companyId: number) =>
  storeMessage(companyId, { status: "sent", rank: 10, sent_at: Date.now() - 3000, lane: "transactional" });

/** Returns a recorded body with its message id replaced by `id`. */
const about = (recorded: object, id: string) => JSON.stringify(recorded).replaceAll(RECORDED_ID, id);

const post = (provider: string, body: string, { password = PLATFORM_SECRET, type = "application/json" } = {}) =>
  email.call(`/api/v1/provider-webhooks/${provider}/outbound`, {
    method: "POST",
    headers: { "content-type": type, authorization: `Basic ${btoa(`hook:${password}`)}` },
    body,
  });

/** Returns a notification as SNS sends it, signed with the key of a test certificate. */
async function notify(message: string, hash: "SHA-1" | "SHA-256"): Promise<string> {
  const fields = {
    Message: message,
    MessageId: crypto.randomUUID(),
    Timestamp: "2026-11-02T00:54:06.655Z",
    TopicArn: "arn:aws:sns:eu-west-1:123456789012:mail",
    Type: "Notification",
  };
  const text = Object.entries(fields).map(([name, value]) => `${name}\n${value}\n`);
  const der = base64ToBytes(snsKey.replace(/-----[^-]+-----|\s/g, ""));
  const key = await crypto.subtle.importKey("pkcs8", der, { name: "RSASSA-PKCS1-v1_5", hash }, false, ["sign"]);
  const signature = await crypto.subtle.sign(key.algorithm.name, key, utf8ToBytes(text.join("")));
  const SignatureVersion = hash === "SHA-1" ? "1" : "2";
  const Signature = bytesToBase64(new Uint8Array(signature));
  return JSON.stringify({ ...fields, SignatureVersion, SigningCertURL: CERTIFICATE_URL, Signature });
}

/** Serves the certificate as SNS does, and returns the list of requested URLs. */
function serveCertificate(): string[] {
  const requestedUrls: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    requestedUrls.push(String(input instanceof Request ? input.url : input));
    return new Response(snsCertificate);
  });
  return requestedUrls;
}

const reasonsOf = async (companyId: number) =>
  (await readRows(suppressions, eq(suppressions.company_id, companyId))).map(({ reason }) => reason);

it.each(["SHA-1", "SHA-256"] as const)("applies a bounce of Amazon SES that SNS signed with %s", async (hash) => {
  const requestedUrls = serveCertificate();
  const company = createCompany();
  const id = await sent(company);
  const body = await notify(about(ses.bounce, id), hash);
  expect((await post("ses", body.replace("550", "551"), { type: "text/plain" })).status).toBe(401);
  expect((await post("ses", body, { password: "another" })).status).toBe(401);
  expect((await readMessage(id)).status).toBe("sent");
  for (let times = 0; times < 2; times += 1) {
    const response = await post("ses", body, { type: "text/plain; charset=UTF-8" });
    expect([response.status, email.acceptTripsOf(response)]).toEqual([200, times === 0 ? 2 : 1]);
  }
  const message = await readMessage(id);
  expect(message).toMatchObject({ status: "bounced", rank: 40, bounce: { type: "permanent" } });
  expect(message.events).toMatchObject([
    { type: "bounced", stream: "outbound", detail: expect.stringContaining("user unknown") },
  ]);
  expect(await reasonsOf(company)).toEqual(["hard_bounce"]);
  expect(requestedUrls.filter((url) => url !== CERTIFICATE_URL)).toEqual([]);
});

it("applies a complaint of Postmark after its delivery", async () => {
  const company = createCompany();
  const id = await sent(company);
  expect((await post("postmark", about(postmark.complaint, id), { password: "another" })).status).toBe(401);
  for (const recorded of [postmark.delivery, postmark.complaint, postmark.delivery, postmark.bounce]) {
    expect((await post("postmark", about(recorded, id))).status).toBe(200);
  }
  expect(await readMessage(id)).toMatchObject({ status: "complained", rank: 50 });
});

it.each(["constructor", "toString", "__proto__"])(
  "ignores an event type that is named like the object property %s",
  async (name) => {
    serveCertificate();
    const id = await sent(createCompany());
    expect((await post("postmark", about({ ...postmark.bounce, RecordType: name }, id))).status).toBe(200);
    const message = { ...ses.bounce, eventType: name, notificationType: name };
    expect((await post("ses", await notify(about(message, id), "SHA-256"))).status).toBe(200);
    expect(await readMessage(id)).toMatchObject({ status: "sent", events: [] });
  },
);

it("suppresses an address after a hard bounce, but not after a bounce for the content", async () => {
  const companyId = createCompany();
  const id = await sent(companyId);
  const suppressed = async () =>
    (await readRows(suppressions, eq(suppressions.company_id, companyId))).map(({ reason }) => reason);
  const bounce = (Type: string, BouncedAt: string) =>
    post("postmark", about({ ...postmark.bounce, Type, BouncedAt }, id));
  await bounce("Blocked", "2026-01-31T09:30:00Z");
  expect([(await readMessage(id)).status, await suppressed()]).toEqual(["bounced", []]);
  await bounce("HardBounce", "2026-01-31T09:31:00Z");
  expect(await suppressed()).toEqual(["hard_bounce"]);
});

it("returns 401 for a body of invalid UTF-8 without the webhook secret, and 400 with it", async () => {
  const request = (password: string) => ({
    method: "POST",
    body: new Uint8Array([0x7b, 0xff]),
    headers: { authorization: `Basic ${btoa(`hook:${password}`)}` },
  });
  for (const provider of ["api", "ses", "postmark"]) {
    const path = `/api/v1/provider-webhooks/${provider}/outbound`;
    expect((await email.call(path, request("another"))).status).toBe(401);
  }
  expect((await email.call("/api/v1/provider-webhooks/postmark/outbound", request(PLATFORM_SECRET))).status).toBe(400);
});
