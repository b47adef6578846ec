import { describe, expect, it } from "vitest";
import { identityErrors } from "../../../schemas/identity/errors";

/** The error codes of each status. */
const statuses: Record<number, string> = {
  400: `validation_failed magic_link_invalid sign_in_code_invalid redirect_not_allowed auth_code_invalid
    code_verifier_required code_verifier_invalid unsupported_grant_type company_id_not_allowed company_owner_required
    admin_only_field self_not_allowed invalid_oauth_state provider_disabled oauth_client_unavailable oauth_provider_denied
    missing_code token_exchange_failed oauth_identity_failed oauth_id_token_invalid oauth_email_missing
    oauth_email_unverified`,
  401: "unauthorized token_invalid refresh_token_reused",
  403: `forbidden company_mismatch magic_link_disabled access_pending access_denied csrf_failed pat_read_only
    recent_login_required`,
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict limit_reached last_company_owner oauth_client_duplicate_provider user_shared",
  413: "payload_too_large",
  415: "unsupported_media_type",
  429: "rate_limited",
  500: "internal_error",
  503: "service_unavailable",
};

describe("error codes of identity", () => {
  it.each(Object.entries(statuses))("are in the table with a message: status %s", (status, codes) => {
    for (const code of codes.split(/\s+/)) {
      expect(identityErrors).toHaveProperty(code);
      const entry = identityErrors[code as keyof typeof identityErrors];
      expect([code, entry.status]).toEqual([code, Number(status)]);
      expect(entry.message).toMatch(/^[\w`].* .*\.$/);
    }
  });
});
