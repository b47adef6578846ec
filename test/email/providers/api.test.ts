import { describe, expect, inject, it } from "vitest";
import type { OutgoingMail, ProviderOutcome } from "../../../workers/email/delivery/providers/types";
import { parseRetryAfter, sendByApi } from "../../../workers/email/delivery/transports/api";
import { base64ToBytes } from "../../../workers/kit/crypto/encoding";
import { createAttachment } from "../../support/email/attachments";
import { createMail, readRecord } from "../../support/email/provider-fixtures";

type ApiCall = { method: string; path: string; headers: Record<string, string>; body: string };

const { control } = inject("mailServers");
const API_KEY = "key_live_51f0c2a9d4";

function send(scenario: string, mail: OutgoingMail = createMail(), timeoutMs = 3000): Promise<ProviderOutcome> {
  return sendByApi(mail, { baseUrl: `${control}/${scenario}`, apiKey: API_KEY, timeoutMs }, fetch);
}

describe("requests to the mail API", () => {
  it("have the documented body and headers, and return the provider's message id", async () => {
    const mail = createMail({
      from: { name: 'The "Big" \\ Zoé', address: "news@sender.example.test" },
      replyTo: "answers@sender.example.test",
      headers: { "List-Unsubscribe": "<https://mail.example.test/u/abc>" },
    });
    expect(await send("ok", mail)).toEqual({ kind: "accepted", providerMessageId: "provider-id-1" });
    const calls = (await readRecord<ApiCall[]>(`api:${mail.messageId}`)) ?? [];
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      method: "POST",
      path: "/ok/emails",
      headers: {
        authorization: `Bearer ${API_KEY}`,
        "content-type": "application/json",
        "idempotency-key": mail.messageId,
        "user-agent": "platform-email/1.0",
        "x-request-id": "req-1",
      },
    });
    expect(JSON.parse(calls[0]?.body ?? "")).toEqual({
      from: '"The \\"Big\\" \\\\ Zoé" <news@sender.example.test>',
      to: [mail.to],
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      reply_to: "answers@sender.example.test",
      headers: { "List-Unsubscribe": "<https://mail.example.test/u/abc>" },
      tags: [
        { name: "message_id", value: mail.messageId },
        { name: "lane", value: "transactional" },
        { name: "company_id", value: "7" },
      ],
    });
  });

  it("omit reply_to and headers when there are none", async () => {
    const mail = createMail();
    await send("ok", mail);
    const calls = await readRecord<ApiCall[]>(`api:${mail.messageId}`);
    expect(Object.keys(JSON.parse(calls?.[0]?.body ?? ""))).toEqual(["from", "to", "subject", "html", "text", "tags"]);
  });

  it("contain the attachments, and their length instead of chunks", async () => {
    const bytes = Uint8Array.from({ length: 100_001 }, (_, index) => index % 256);
    const attachments = [
      createAttachment({ bytes, chunks: [1, 70_000, 30_000] }),
      createAttachment({ filename: "Zoé.png", contentType: "image/png", contentId: "logo" }),
    ];
    const mail = createMail({ attachments });
    expect((await send("ok", mail)).kind).toBe("accepted");
    const [call] = (await readRecord<ApiCall[]>(`api:${mail.messageId}`)) ?? [];
    expect(call?.headers["content-length"]).toBe(String(new TextEncoder().encode(call?.body).length));
    const sent = JSON.parse(call?.body ?? "").attachments;
    expect(sent).toEqual([
      { filename: "invoice.pdf", content_type: "application/pdf", content: expect.any(String) },
      { filename: "Zoé.png", content_type: "image/png", content_id: "logo", content: btoa("%PDF-1.7") },
    ]);
    expect(base64ToBytes(sent[0].content)).toEqual(bytes);
  });

  it("end with the error of an attachment that cannot be read", async () => {
    const open = () => Promise.reject(new Error("no such object"));
    const mail = createMail({ attachments: [createAttachment({ open })] });
    await expect(send("ok", mail)).rejects.toThrow("no such object");
    expect(await readRecord(`api:${mail.messageId}`)).toBeNull();
  });

  it("are not sent for a value with a line break", async () => {
    const mail = createMail({ subject: "a\r\nBcc: x@example.test" });
    expect(await send("ok", mail)).toMatchObject({ kind: "final", code: "provider_error" });
    expect(await readRecord(`api:${mail.messageId}`)).toBeNull();
  });
});

describe("responses of the mail API", () => {
  it.each(["noid", "oddid", "text", "huge"])(
    "count as accepted with the message's own id when a 2xx has no usable id: %s",
    async (scenario) => {
      const mail = createMail();
      expect(await send(scenario, mail)).toEqual({ kind: "accepted", providerMessageId: mail.messageId });
    },
  );

  it("count as accepted for a 2xx whose body stalls, because a retry could send the mail twice", async () => {
    const mail = createMail();
    expect(await send("stalledbody", mail, 300)).toEqual({ kind: "accepted", providerMessageId: mail.messageId });
  });

  it.each([
    ["401", { kind: "retry", code: "provider_unauthorized", pause: true }],
    ["403", { kind: "retry", code: "provider_unauthorized", pause: true }],
    ["400", { kind: "final", code: "provider_rejected" }],
    ["404", { kind: "final", code: "provider_rejected" }],
    ["422", { kind: "final", code: "provider_rejected" }],
    ["408", { kind: "retry", code: "provider_unavailable" }],
    ["409", { kind: "retry", code: "provider_unavailable" }],
    ["425", { kind: "retry", code: "provider_unavailable" }],
    ["500", { kind: "retry", code: "provider_unavailable" }],
    ["503-after-17", { kind: "retry", code: "provider_unavailable", retryAfterSeconds: 17 }],
    ["429", { kind: "retry", code: "provider_rate_limited" }],
    ["429-after-120", { kind: "retry", code: "provider_rate_limited", retryAfterSeconds: 120 }],
    ["429-after-99999", { kind: "retry", code: "provider_rate_limited", retryAfterSeconds: 3600 }],
  ])("have the documented outcome with HTTP %s", async (scenario, outcome) => {
    const { detail, ...result } = { detail: "", ...(await send(scenario)) };
    expect(result).toEqual(outcome);
    expect(detail).toContain(`HTTP ${scenario.slice(0, 3)}`);
  });

  it("may contain a date in Retry-After", async () => {
    const date = new Date(Date.now() + 90_000).toUTCString();
    const outcome = await send(`429-after-${encodeURIComponent(date)}`);
    expect("retryAfterSeconds" in outcome && outcome.retryAfterSeconds).toBeGreaterThan(80);
    expect("retryAfterSeconds" in outcome && outcome.retryAfterSeconds).toBeLessThanOrEqual(90);
  });

  it("are not followed when they redirect", async () => {
    const mail = createMail();
    expect(await send("redirect", mail)).toMatchObject({ kind: "final", code: "provider_rejected" });
    expect(await readRecord<ApiCall[]>(`api:${mail.messageId}`)).toHaveLength(1);
  });

  it("are truncated to 200 characters in the detail", async () => {
    const outcome = await send("hugerefusal");
    expect(outcome).toMatchObject({ kind: "final", code: "provider_rejected" });
    expect("detail" in outcome && outcome.detail?.length).toBe(200);
  });

  it("appear in the detail without addresses and URLs", async () => {
    const outcome = await send("400");
    expect("detail" in outcome && outcome.detail).toBe('HTTP 400 {"message":"refused for [Filtered] by [Filtered]"}');
  });
});

describe("connection failures of the mail API", () => {
  it("time out after the limit for the whole request", async () => {
    expect(await send("silent", createMail(), 300)).toMatchObject({ kind: "retry", code: "provider_timeout" });
  });

  it("have the code for an unreachable provider when the connection breaks or is refused", async () => {
    expect(await send("reset")).toMatchObject({ kind: "retry", code: "provider_unreachable" });
    const baseUrl = `http://127.0.0.1:${inject("mailServers").closed}`;
    expect(await sendByApi(createMail(), { baseUrl, apiKey: API_KEY, timeoutMs: 3000 }, fetch)).toMatchObject({
      kind: "retry",
      code: "provider_unreachable",
    });
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  it.each([
    ["1", 1],
    ["0", 1],
    ["3600", 3600],
    ["3601", 3600],
    [" 30 ", 30],
    ["Sat, 21 Nov 2026 12:01:00 GMT", 60],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 1],
    ["Sat, 21 Nov 2026 18:00:00 GMT", 3600],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["Sat, nonsense", undefined],
    ["", undefined],
    [null, undefined],
  ])("reads %j as %j seconds", (header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds);
  });
});
