import { expect, it } from "vitest";
import type { OutgoingMail } from "../../../../workers/email/delivery/providers/types";
import { sendByBinding } from "../../../../workers/email/delivery/transports/cloudflare";

const MAIL: OutgoingMail = {
  messageId: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77",
  from: { name: "Aster", address: "hello@aster.example" },
  to: "mina@bücher.example",
  subject: "Hello",
  html: "<p>Hello</p>",
  text: "Hello",
  acceptedAt: 0,
  lane: "transactional",
  companyId: 1,
  requestId: "r",
};

/** Sends a mail through a double of the binding. Returns the outcome and the message that the binding got. */
async function sendWith(respond: () => Promise<EmailSendResult>, mail: Partial<OutgoingMail> = {}) {
  const sent: EmailMessageBuilder[] = [];
  const binding = {
    send: (message: EmailMessage | EmailMessageBuilder) => {
      sent.push(message as EmailMessageBuilder);
      return respond();
    },
  };
  const outcome = await sendByBinding({ ...MAIL, ...mail }, binding, 5000);
  return { outcome, sent };
}

const accept = async () => ({ messageId: "0101018f7d0c4d9a-msg-1" });

it("sends the fields of a mail, with the domain in ASCII", async () => {
  const { outcome, sent } = await sendWith(accept, { replyTo: "help@aster.example", headers: { "X-Thing": "1" } });
  expect(outcome).toEqual({ kind: "accepted", providerMessageId: "0101018f7d0c4d9a-msg-1" });
  expect(sent).toEqual([
    {
      from: { email: "hello@aster.example", name: "Aster" },
      to: "mina@xn--bcher-kva.example",
      replyTo: "help@aster.example",
      subject: "Hello",
      html: "<p>Hello</p>",
      text: "Hello",
      headers: { "X-Thing": "1" },
    },
  ]);
});

it("sends no empty name", async () => {
  const { sent } = await sendWith(accept, { from: { name: "", address: "hello@aster.example" } });
  expect(sent[0]?.from).toBe("hello@aster.example");
});

it("sends the bytes of attachments, and shows files with a content id in the mail", async () => {
  const bytes = new Uint8Array([1, 2, 255]);
  const file = { contentType: "image/png", size: 3, open: async () => new Blob([bytes]).stream() };
  const { sent } = await sendWith(accept, {
    attachments: [
      { ...file, filename: "logo.png", contentId: "logo" },
      { ...file, filename: "chart.png", contentId: null },
    ],
  });
  const attachments = sent[0]?.attachments ?? [];
  expect(attachments.map(({ disposition, contentId, filename }) => [disposition, contentId, filename])).toEqual([
    ["inline", "logo", "logo.png"],
    ["attachment", undefined, "chart.png"],
  ]);
  expect(new Uint8Array(attachments[0]?.content as ArrayBuffer)).toEqual(bytes);
});

it("throws the error of an attachment that cannot be read", async () => {
  const open = () => Promise.reject(new Error("gone"));
  const attachments = [{ filename: "a", contentType: "text/plain", contentId: null, size: 1, open }];
  await expect(sendWith(accept, { attachments })).rejects.toThrow("gone");
});

it.each([
  [new Error("internal error"), "internal error"],
  [Object.assign(new Error("new"), { code: "E_NEW" }), "new"],
  ["no error object", "no error object"],
])("retries after an error without a known code: %s", async (error, detail) => {
  const { outcome } = await sendWith(() => Promise.reject(error));
  expect(outcome).toEqual({ kind: "retry", code: "provider_unavailable", detail });
});

it("fails a mail that a header would break, without calling the binding", async () => {
  const { outcome, sent } = await sendWith(accept, { subject: "a\r\nBcc: b@example.com" });
  expect(outcome).toMatchObject({ kind: "final", code: "provider_error" });
  expect(sent).toEqual([]);
});

it("stores the message id when the service returns no usable one", async () => {
  const { outcome } = await sendWith(async () => ({ messageId: "" }));
  expect(outcome).toEqual({ kind: "accepted", providerMessageId: MAIL.messageId });
});
