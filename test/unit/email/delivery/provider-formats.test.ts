import { createSign } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { postmarkFormat } from "../../../../workers/email/delivery/provider-events/postmark-format";
import { sesFormat } from "../../../../workers/email/delivery/provider-events/ses-format";
import { isSnsAddress } from "../../../../workers/email/delivery/provider-events/sns-signature";
import type { JsonObject } from "../../../../workers/kit/json";
import postmark from "../../../support/email/recorded/postmark.json" with { type: "json" };
import ses from "../../../support/email/recorded/ses.json" with { type: "json" };

const tls = (name: string) => readFileSync(new URL(`../../../support/tls/${name}`, import.meta.url), "utf8");
const [key, certificate] = [tls("sns.key"), tls("sns.pem")];
const secrets = ["whsec_c2VjcmV0"];
const id = "0b8f6c1e4f574a559d2c0d1f3f1c9a77";
const URL_OF_CERTIFICATE = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-test.pem";

const basic = (password: string) =>
  new Request("https://mail.example.com/", {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`hook:${password}`).toString("base64")}` },
  });

const serve =
  (status = 200, text = certificate): typeof fetch =>
  async () =>
    new Response(text, { status });

/** Returns a notification in the format of SNS, signed with the test certificate. */
function notify(changes: Record<string, string> = {}, version: "1" | "2" = "2"): Record<string, string> {
  const body: Record<string, string> = {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: "arn:aws:sns:eu-west-1:123456789012:mail",
    Message: JSON.stringify(ses.bounce),
    Timestamp: "2026-11-02T00:54:06.655Z",
    SignatureVersion: version,
    SigningCertURL: URL_OF_CERTIFICATE,
    ...changes,
  };
  const names =
    body.Type === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  const text = names.flatMap((name) => (body[name] === undefined ? [] : [`${name}\n${body[name]}\n`])).join("");
  const Signature = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256")
    .update(text)
    .sign(key, "base64");
  return { ...body, Signature };
}

const verify = (body: JsonObject | null, { fetch = serve(), password = secrets[0] ?? "" } = {}) =>
  sesFormat.verify(basic(password), { raw: JSON.stringify(body), body, secrets, now: Date.now(), fetch });

describe("webhooks of Amazon SES", () => {
  it("are accepted with the secret in the URL and an SNS signature of either version", async () => {
    expect(await verify(notify())).toBe(true);
    expect(await verify(notify({}, "1"))).toBe(true);
    expect(await verify(notify({ Subject: "with a subject" }))).toBe(true);
    const confirmation = notify({
      Type: "SubscriptionConfirmation",
      Token: "t",
      Message: "You have chosen to subscribe",
      SubscribeURL: "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t",
    });
    expect(await verify(confirmation)).toBe(true);
    expect(sesFormat.read(confirmation, basic(""))).toEqual({ kind: "confirm", url: confirmation.SubscribeURL });
  });

  it("are rejected without the secret, and when a signed field was changed", async () => {
    expect(await verify(notify(), { password: "another" })).toBe(false);
    expect(await verify({ ...notify(), Message: "{}" })).toBe(false);
    expect(await verify({ ...notify(), MessageId: "another" })).toBe(false);
    expect(await verify({ ...notify(), Signature: "no base64!" })).toBe(false);
    expect(await verify({ ...notify(), SignatureVersion: "3" })).toBe(false);
    expect(await verify({ ...notify(), Type: "Other" })).toBe(false);
    expect(await verify({ Type: "Notification" })).toBe(false);
    const url = "https://sns.eu-west-1.amazonaws.com/another.pem";
    expect(await verify(notify({ SigningCertURL: url }), { fetch: serve(404) })).toBe(false);
    expect(await verify(notify({ SigningCertURL: url }), { fetch: serve(200, "no certificate") })).toBe(false);
    expect(await verify(null)).toBe(false);
  });

  it.each([
    ["http://sns.eu-west-1.amazonaws.com/a.pem", false],
    ["https://sns.eu-west-1.amazonaws.com.evil.example/a.pem", false],
    ["https://evil.example/sns.eu-west-1.amazonaws.com/a.pem", false],
    ["https://user@sns.eu-west-1.amazonaws.com/a.pem", false],
    ["https://sns.eu-west-1.amazonaws.com:8443/a.pem", false],
    ["https://s3.eu-west-1.amazonaws.com/a.pem", false],
    ["not a url", false],
    ["https://sns.cn-north-1.amazonaws.com.cn/a.pem", true],
    [URL_OF_CERTIFICATE, true],
  ])("accept a certificate from %s: %s", async (url, isAccepted) => {
    expect(isSnsAddress(url)).toBe(isAccepted);
    expect(await verify(notify({ SigningCertURL: url }))).toBe(isAccepted);
  });

  it.each([
    ["bounce", { type: "bounced", bounceType: "permanent", detail: "smtp; 550 5.1.1 user unknown" }],
    ["complaint", { type: "complained", bounceType: null }],
    ["delivery", { type: "delivered", detail: "250 2.6.0 Message received" }],
    ["delay", { type: "delivery_delayed", detail: "smtp; 450 4.4.7 timed out" }],
    ["reject", { type: "failed", detail: "Bad content" }],
  ] as const)("are parsed for a %s", (name, event) => {
    const read = sesFormat.read(notify({ Message: JSON.stringify(ses[name]) }), basic(""));
    const expected = {
      kind: "message",
      hookId: notify().MessageId,
      messageId: id,
      providerMessageId: ses[name].mail.messageId,
    };
    expect(read).toMatchObject({ ...expected, ...event });
  });

  it("lose fields whose values are not strings, and are rejected when such a field is signed", async () => {
    const notText = { toString: 1 };
    const bounce = { bounceType: notText, bouncedRecipients: [{ diagnosticCode: notText }] };
    const headers = [{ name: notText }, { name: "Message-ID", value: notText }];
    const Message = JSON.stringify({ ...ses.bounce, bounce, mail: { messageId: notText, tags: {}, headers } });
    expect(sesFormat.read(notify({ Message }), basic(""))).toMatchObject({
      type: "bounced",
      messageId: null,
      providerMessageId: null,
      bounceType: "undetermined",
      detail: "",
    });
    expect(await verify({ ...notify(), Type: notText })).toBe(false);
    expect(await verify({ ...notify(), SignatureVersion: notText })).toBe(false);
  });

  it("are ignored for types that are named like properties of Object.prototype", async () => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      const Message = JSON.stringify({ ...ses.bounce, bounce: { ...ses.bounce.bounce, bounceType: name } });
      expect(sesFormat.read(notify({ Message }), basic(""))).toMatchObject({ bounceType: "undetermined" });
      expect(await verify({ ...notify(), Type: name })).toBe(false);
      expect(await verify({ ...notify(), SignatureVersion: name })).toBe(false);
    }
  });

  it("are ignored for other message types", () => {
    for (const Message of [JSON.stringify(ses.open), "Successfully validated SNS topic", "[]", "{}"]) {
      expect(sesFormat.read(notify({ Message }), basic(""))).toEqual({ kind: "ignored" });
    }
    const foreignConfirmation = notify({ Type: "SubscriptionConfirmation", SubscribeURL: "https://evil.example/" });
    expect(sesFormat.read(foreignConfirmation, basic(""))).toEqual({ kind: "ignored" });
  });
});

describe("webhooks of Postmark", () => {
  const read = (body: object) => postmarkFormat.read({ ...body }, basic(""));

  it("are accepted with the secret in their URL", async () => {
    const context = { raw: "{}", body: {}, secrets, now: 0, fetch: serve() };
    expect(await postmarkFormat.verify(basic("whsec_c2VjcmV0"), context)).toBe(true);
    expect(await postmarkFormat.verify(basic("another"), context)).toBe(false);
    expect(await postmarkFormat.verify(basic(""), { ...context, secrets: [] })).toBe(false);
    for (const authorization of ["Basic !", "Bearer whsec_c2VjcmV0", "Basic /w=="]) {
      const request = new Request("https://mail.example.com/", { headers: { authorization } });
      expect(await postmarkFormat.verify(request, context)).toBe(false);
    }
  });

  it.each([
    ["delivery", { type: "delivered", bounceType: null }],
    ["bounce", { type: "bounced", bounceType: "permanent" }],
    ["complaint", { type: "complained", bounceType: null }],
  ] as const)("are parsed for a %s, with the provider's event id", (name, event) => {
    const record = read(postmark[name]);
    expect(record).toMatchObject({
      kind: "message",
      messageId: id,
      providerMessageId: postmark[name].MessageID,
      ...event,
    });
    expect(read(postmark[name])).toEqual(record);
  });

  it.each([
    ["SoftBounce", { type: "bounced", bounceType: "transient" }],
    ["Blocked", { type: "bounced", bounceType: "undetermined" }],
    ["AddressChange", { type: "bounced", bounceType: "undetermined" }],
    ["Unknown", { type: "bounced", bounceType: "undetermined" }],
    ["Transient", { type: "delivery_delayed", bounceType: null }],
    ["DnsError", { type: "delivery_delayed", bounceType: null }],
    ["AutoResponder", { kind: "ignored" }],
  ])("are parsed for a bounce of the type %s", (Type, event) => {
    expect(read({ ...postmark.bounce, Type })).toMatchObject(event);
  });

  it("are parsed for an unsubscribe at the provider, and ignored for other records", () => {
    expect(read(postmark.subscription)).toMatchObject({ kind: "unsubscribed", email: "bounced-address@example.com" });
    for (const body of [
      { ...postmark.subscription, SuppressSending: false },
      { ...postmark.subscription, SuppressionReason: "HardBounce" },
      postmark.open,
      { RecordType: 5 },
      { ...postmark.bounce, MessageID: "" },
    ]) {
      expect(read(body)).toEqual({ kind: "ignored" });
    }
  });
});
