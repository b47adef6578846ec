import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { UnsendableMailError } from "../../../../workers/email/delivery/mime/mail-address";
import { buildMime } from "../../../../workers/email/delivery/mime/mime";
import { type GeneratedMail, generateMails } from "../../../support/email/generated-mails";
import recorded from "../../../support/email/recorded/mime.json" with { type: "json" };

/** Returns the start of the SHA-256 of a mail, or the reason why it is unsendable. */
function summarize({ mail, vendorHeaders }: GeneratedMail): string {
  try {
    const [mime, ...rest] = buildMime(mail, new Date(mail.acceptedAt), vendorHeaders);
    expect(rest).toEqual([]);
    return createHash("sha256").update(String(mime)).digest("hex").slice(0, 16);
  } catch (error) {
    if (error instanceof UnsendableMailError) return error.message;
    throw error;
  }
}

// The summaries were recorded before mimetext composed the mails. A mail must never change between its attempts, and a changed
// mail may fail checks of receivers, so a difference needs a reason.
it("composes mails without attachments byte for byte as they were recorded", () => {
  expect(generateMails(recorded.length).map(summarize)).toEqual(recorded);
});
