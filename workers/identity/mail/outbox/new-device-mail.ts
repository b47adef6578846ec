import { describeCountry, describeDevice, describeTime } from "../../caller/client/device";
import { mailedNameOf } from "../../company/company/company";
import type { IdentityServices } from "../../services";
import { greetedName } from "../../users/profiles/company-user";
import { selectSessionToEnd, sessionEndUrl } from "../session-end/session-end-link";

/** Returns the mail about a session on a new device as JSON; null when the session no longer exists. */
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
    // A company's own provider or template never sees a link of staff.
    ...(row.is_staff ? { use_platform_sender: true } : {}),
  });
}
