import type * as z from "zod";
import type { NewsletterRow } from "../../../../db/email/rows";
import type { newsletterDetailSchema, newsletterSchema } from "../../../../schemas/email/audience/newsletters";
import { iso } from "../../../kit/time";
import type { SenderChoice } from "../../delivery/sender/sender";

/** Returns a newsletter as a list item. The Turnstile secret is never returned. */
export function presentNewsletter(
  row: NewsletterRow,
  { publicBaseUrl }: { publicBaseUrl: string },
): z.output<typeof newsletterSchema> {
  const { id, name, description, public_key, default_language, allowed_origins, confirmed_redirect_url } = row;
  const { turnstile_site_key, confirmation_template_id, pending, confirmed, unsubscribed } = row;
  return {
    ...{ id, name, description, public_key, default_language, allowed_origins, confirmed_redirect_url },
    turnstile_site_key,
    turnstile_configured: row.turnstile_secret_enc !== null,
    confirmation_template_id,
    subscribe_url: `${publicBaseUrl}/api/v1/public/newsletters/${public_key}/subscribe`,
    counts: { pending, confirmed, unsubscribed },
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Returns a newsletter with the sender of its confirmation mails. */
export function presentNewsletterDetail(
  row: NewsletterRow,
  choice: SenderChoice,
  settings: { publicBaseUrl: string },
): z.output<typeof newsletterDetailSchema> {
  const sender = choice.ok
    ? { from_email: choice.sender.from.address, error_code: "" }
    : { from_email: "", error_code: choice.code };
  return { ...presentNewsletter(row, settings), sender };
}
