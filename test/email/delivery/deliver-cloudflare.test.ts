import { describe, expect, it } from "vitest";
import { deliverNow } from "../../support/email/deliver-now";
import { createCompany, pausesOfCompany, startDelivery } from "../../support/email/delivery";
import { testEnv } from "../../support/email/email";
import { attemptsOf, readMessage, storeMessage } from "../../support/email/messages";

type Send = (mail: EmailMessageBuilder, call: number) => Promise<EmailSendResult>;

/** The binding as miniflare emulates it. */
function emulation(): SendEmail {
  if (testEnv.SEND_EMAIL === undefined) throw new Error("the tests run without the binding SEND_EMAIL");
  return testEnv.SEND_EMAIL;
}

/** Returns an error as `send` of the binding throws it. */
const bindingError = (code: string) => Object.assign(new Error("refused mina@example.test"), { code });

/** Starts delivery by Cloudflare's Email Service. Records the mails that `send` gets, which is miniflare's emulation by default. */
function startCloudflare(send: Send = (mail) => emulation().send(mail), companies: number[] = []) {
  const mails: EmailMessageBuilder[] = [];
  const sendEmail: Pick<SendEmail, "send"> = {
    send: async (mail: EmailMessage | EmailMessageBuilder) => {
      mails.push(mail as EmailMessageBuilder);
      return send(mail as EmailMessageBuilder, mails.length);
    },
  };
  const settings = { platformTransport: "cloudflare" as const, sendEmail, platformCompanyIds: new Set(companies) };
  return { ...startDelivery({ settings: { ...settings, platformApi: { apiKey: "", baseUrl: null } } }), mails };
}

describe("delivery by Cloudflare's Email Service", () => {
  it("sends a mail and stores the id of the service", async () => {
    const harness = startCloudflare();
    const company = createCompany();
    const to = `reader-${company}@example.test`;
    const id = await storeMessage(company, { to });
    await deliverNow(harness.build(), [id], "auth");
    expect(harness.mails).toEqual([
      {
        from: { email: "no-reply@platform.example.com", name: expect.any(String) },
        to,
        subject: expect.stringMatching(/./),
        html: expect.stringContaining("<p>"),
        text: expect.stringMatching(/./),
        headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
      },
    ]);
    const { provider, status, provider_message_id: stored } = await readMessage(id);
    expect([provider, status]).toEqual(["cloudflare", "sent"]);
    expect(stored).toMatch(/^\S+@\S+$/);
    expect(await attemptsOf(id)).toMatchObject([{ outcome: "accepted", provider: "cloudflare", scope: "platform" }]);
  });

  it("pauses the lane of the company when the sender is not verified", async () => {
    const harness = startCloudflare(async () => {
      throw bindingError("E_SENDER_NOT_VERIFIED");
    });
    const company = createCompany();
    const id = await storeMessage(company, { to: `reader-${company}@example.test` });
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "retrying", last_error_code: "provider_unauthorized" });
    expect(await pausesOfCompany(company)).toMatchObject([{ lane: "auth", scope: "platform" }]);
    const [attempt] = await attemptsOf(id);
    expect(attempt).toMatchObject({ detail: "E_SENDER_NOT_VERIFIED refused [Filtered]" });
  });

  it("sends a mail again after a temporary error, and fails after a permanent one", async () => {
    const harness = startCloudflare(async (_mail, call) => {
      throw bindingError(call === 1 ? "E_INTERNAL_SERVER_ERROR" : "E_CONTENT_TOO_LARGE");
    });
    const company = createCompany();
    const id = await storeMessage(company, { to: `reader-${company}@example.test` });
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "retrying", last_error_code: "provider_unavailable" });
    harness.advance(2000);
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "failed", last_error_code: "provider_rejected" });
    expect(harness.mails).toHaveLength(2);
  });
});
