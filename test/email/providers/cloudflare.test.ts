import { describe, expect, it } from "vitest";
import type { OutgoingMail } from "../../../workers/email/delivery/providers/types";
import { sendByBinding } from "../../../workers/email/delivery/transports/cloudflare";
import { createAttachment } from "../../support/email/attachments";
import { createMail } from "../../support/email/provider-fixtures";

type Send = (mail: EmailMessageBuilder) => Promise<EmailSendResult>;

/** Sends by a double of the binding. Returns the outcome and the messages that the binding got. */
async function send(mail: OutgoingMail = createMail(), respond: Send = async () => ({ messageId: "cf-1" })) {
  const messages: EmailMessageBuilder[] = [];
  const double: Pick<SendEmail, "send"> = {
    send: async (message: EmailMessage | EmailMessageBuilder) => {
      messages.push(message as EmailMessageBuilder);
      return respond(message as EmailMessageBuilder);
    },
  };
  return { outcome: await sendByBinding(mail, double, 50), messages };
}

const failure = (code: string) => async () => {
  throw Object.assign(new Error("refused mina@example.test"), { code });
};

describe("messages to Cloudflare's Email Service", () => {
  it("have the documented fields, and the id of the response is the provider's id", async () => {
    const mail = createMail({
      from: { name: "", address: "news@sender.example.test" },
      replyTo: "answers@sender.example.test",
      headers: { "In-Reply-To": "<a@b.example>", "X-Order": "7" },
      attachments: [createAttachment(), createAttachment({ contentId: "logo" })],
    });
    const { outcome, messages } = await send(mail);
    expect(outcome).toEqual({ kind: "accepted", providerMessageId: "cf-1" });
    expect(messages).toMatchObject([
      {
        from: "news@sender.example.test",
        to: mail.to,
        replyTo: "answers@sender.example.test",
        subject: mail.subject,
        html: mail.html,
        text: mail.text,
        headers: { "In-Reply-To": "<a@b.example>", "X-Order": "7" },
        attachments: [{ disposition: "attachment" }, { disposition: "inline", contentId: "logo" }],
      },
    ]);
    expect(messages[0]?.attachments?.[0]?.content).toBeInstanceOf(ArrayBuffer);
  });

  it("omit headers that the service sets itself, and empty ones, which it rejects", async () => {
    const headers = { "Feedback-ID": "a:b:c", "X-Empty": "", Comments: " ", "X-Order": "7" };
    const { messages } = await send(createMail({ headers }));
    expect(messages[0]?.headers).toEqual({ "X-Order": "7" });
  });
});

describe("errors of Cloudflare's Email Service", () => {
  it.each([
    ["E_SENDER_NOT_VERIFIED", { kind: "retry", code: "provider_unauthorized", pause: true }],
    ["E_SENDER_DOMAIN_NOT_AVAILABLE", { kind: "retry", code: "provider_unauthorized", pause: true }],
    ["E_RATE_LIMIT_EXCEEDED", { kind: "retry", code: "provider_rate_limited" }],
    ["E_DAILY_LIMIT_EXCEEDED", { kind: "retry", code: "provider_rate_limited", retryAfterSeconds: 3600 }],
    ["E_INTERNAL_SERVER_ERROR", { kind: "retry", code: "provider_unavailable" }],
    ["E_DELIVERY_FAILED", { kind: "retry", code: "provider_unavailable" }],
    ["E_VALIDATION_ERROR", { kind: "final", code: "provider_rejected" }],
    ["E_FIELD_MISSING", { kind: "final", code: "provider_rejected" }],
    ["E_TOO_MANY_RECIPIENTS", { kind: "final", code: "provider_rejected" }],
    ["E_RECIPIENT_NOT_ALLOWED", { kind: "final", code: "provider_rejected" }],
    ["E_RECIPIENT_SUPPRESSED", { kind: "final", code: "provider_rejected" }],
    ["E_CONTENT_TOO_LARGE", { kind: "final", code: "provider_rejected" }],
    ["E_HEADER_NOT_ALLOWED", { kind: "final", code: "provider_rejected" }],
    ["E_HEADER_USE_API_FIELD", { kind: "final", code: "provider_rejected" }],
    ["E_HEADER_VALUE_INVALID", { kind: "final", code: "provider_rejected" }],
    ["E_HEADER_VALUE_TOO_LONG", { kind: "final", code: "provider_rejected" }],
    ["E_HEADER_NAME_INVALID", { kind: "final", code: "provider_rejected" }],
    ["E_HEADERS_TOO_LARGE", { kind: "final", code: "provider_rejected" }],
    ["E_HEADERS_TOO_MANY", { kind: "final", code: "provider_rejected" }],
  ])("%s is %j", async (code, expected) => {
    const { outcome } = await send(createMail(), failure(code));
    expect(outcome).toEqual({ ...expected, detail: `${code} refused [Filtered]` });
  });

  it("that have no known code are retried", async () => {
    const { outcome } = await send(createMail(), failure("E_NEW"));
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_unavailable", detail: "refused [Filtered]" });
  });

  it("do not wait for a response longer than the timeout", async () => {
    const { outcome } = await send(createMail(), () => new Promise(() => undefined));
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_timeout" });
  });

  it("are not caused by a mail that cannot be composed, which is never sent", async () => {
    const { outcome, messages } = await send(createMail({ subject: "a\r\nBcc: x@example.test" }));
    expect([outcome, messages]).toMatchObject([{ kind: "final", code: "provider_error" }, []]);
  });
});
