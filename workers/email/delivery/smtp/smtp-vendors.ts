import type { SmtpVendor } from "../../../../schemas/email/delivery/transports";

/**
 * Vendors whose relays replace the Message-ID. With a vendor header, the vendor's webhooks contain the message id of this
 * service. The vendor removes the header from the mail. Any other relay would forward the header to the recipient.
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

/** Returns the headers for the vendor of a relay. With `auto`, the host decides which vendor it is. */
export function vendorHeaders(
  { vendor = "auto", host }: { vendor?: SmtpVendor | "none" | "auto"; host: string },
  messageId: string,
): Readonly<Record<string, string>> {
  if (vendor === "none") return {};
  const vendorEntry =
    vendor === "auto" ? Object.values(VENDORS).find((entry) => entry.host.test(host)) : VENDORS[vendor];
  return vendorEntry?.headers(messageId) ?? {};
}
