import type { CompanyRow } from "../../../../db/identity/schema";
import { iso } from "../../../kit/time";
import { mailedNameOf } from "../../company/company/company";
import type { IdentityServices } from "../../services";
import { describeLifetime } from "../../sign-in/link-requests/magic-link-mail";

/** Email drops an invitation that it could not deliver within this time. */
const MAIL_TTL_SECONDS = 300;

/** Returns the URL of the page of an invitation. The base URL is the issuer, never a request header. */
export function invitationUrl({ settings }: IdentityServices, token: string): string {
  return `${settings.issuer}/api/v1/invitations/open?token=${token}`;
}

/** Returns the mail of an invitation. Its variables: docs/specification/identity-mails.md#invitation */
export function invitationMail(
  services: IdentityServices,
  invited: {
    company: CompanyRow;
    key: string;
    email: string;
    language: "en" | "fr";
    inviterName: string;
    token: string;
  },
) {
  const { company, key, email, language, inviterName, token } = invited;
  return {
    company_id: company.id,
    template_key: "identity.user.invited",
    language,
    ttl_seconds: MAIL_TTL_SECONDS,
    idempotency_key: key,
    to: [{ email }],
    variables: {
      company_name: mailedNameOf(company),
      ...(inviterName ? { inviter_name: inviterName } : {}),
      recipient_email: email,
      invitation_url: invitationUrl(services, token),
      link_lifetime: describeLifetime(services.settings.invitationMs, language),
    },
  };
}

/** Returns the mail about a revoked invitation. */
export function revocationMail(revoked: {
  company: CompanyRow;
  id: string;
  email: string;
  language: "en" | "fr";
  actorName: string;
  now: number;
}) {
  const { company, id, email, language, actorName, now } = revoked;
  return {
    company_id: company.id,
    template_key: "identity.user.invitation_revoked",
    language,
    idempotency_key: `invitation-revoked-${id}`,
    to: [{ email }],
    variables: {
      company_name: mailedNameOf(company),
      recipient_email: email,
      actor_name: actorName,
      occurred_at: iso(now),
    },
  };
}
