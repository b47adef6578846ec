import type { SmtpVendor } from "../../../../schemas/email/delivery/transports";

/**
 * Relays that replace the Message-ID: a header of their own carries the id of the message, by which their webhooks name it.
 * They remove the header; any other relay would hand it on to the recipient.
 */
const VENDORS: Readonly<
  Record<SmtpVendor, { host: RegExp; headers: (messageId: string) => Readonly<Record<string, string>> }>
> = {
  ses: {
    host: /^email-smtp[a-z0-9.-]*\.amazonaws\.com(?:\.cn)?$/i,
    headers: (messageId) => ({ "X-SES-MESSAGE-TAGS": `message_id=${messageId}` }),
  },
  postmark: {
    host: /^smtp[a-z0-9-]*\.postmarkapp\.com$/i,
    headers: (messageId) => ({ "X-PM-Metadata-message_id": messageId }),
  },
};

/** The headers of the vendor behind a relay, by what its configuration declares, else by its host. */
export function vendorHeaders(
  { vendor = "auto", host }: { vendor?: SmtpVendor | "none" | "auto"; host: string },
  messageId: string,
): Readonly<Record<string, string>> {
  if (vendor === "none") return {};
  const vendorEntry = vendor === "auto" ? Object.values(VENDORS).find((one) => one.host.test(host)) : VENDORS[vendor];
  return vendorEntry?.headers(messageId) ?? {};
}
