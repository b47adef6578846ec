import { describeCountry, describeDevice, describeTime } from "../../caller/client/device";
import { mailedNameOf } from "../../company/company/company";
import type { IdentityServices } from "../../services";
import { greetedName } from "../../users/profiles/company-user";
import { selectSessionToEnd, sessionEndUrl } from "../session-end/session-end-link";

/** Returns the mail about a sign-in on a new device as JSON, or null when the session no longer exists. */
export async function newDeviceMail(services: IdentityServices, sid: string): Promise<string | null> {
  const row = await services.db.first(selectSessionToEnd(sid));
  if (!row) return null;
  const language = row.language === "fr" ? "fr" : "en";
  const device = describeDevice(row.device ?? "", language);
  const country = describeCountry(row.country, language);
  const name = greetedName(row);
  return JSON.stringify({
    company_id: row.company_id,
    template_key: "identity.auth.login.new_device_detected",
    language,
    idempotency_key: `new-device-${sid}`,
    to: [{ email: row.email, user_id: row.user_id }],
    variables: {
      company_name: mailedNameOf({ name: row.company_name, slug: row.company_slug }),
      session_end_url: await sessionEndUrl(services, sid),
      signed_in_at: describeTime(row.auth_time, row.region ?? "", language),
      ...(name ? { recipient_name: name } : {}),
      ...(device ? { device } : {}),
      ...(country ? { country } : {}),
    },
    // Mails to staff use the platform's sender, so that a company's own mail provider or template never sees a staff link.
    ...(row.is_staff ? { use_platform_sender: true } : {}),
  });
}
