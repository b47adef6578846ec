import { type ServiceError, serviceError, toServiceError } from "../service-error.ts";

/** What a project calls its refusals, as the codes of the shell. */
const codes: Record<string, string> = {
  otp_expired: "magic_link_invalid",
  otp_disabled: "magic_link_disabled",
  email_provider_disabled: "magic_link_disabled",
  bad_oauth_state: "invalid_oauth_state",
  bad_oauth_callback: "invalid_oauth_state",
  flow_state_expired: "invalid_oauth_state",
  flow_state_not_found: "invalid_oauth_state",
  bad_code_verifier: "auth_code_invalid",
  provider_email_needs_verification: "oauth_email_unverified",
  email_address_not_provided: "oauth_email_missing",
  oauth_provider_not_supported: "provider_disabled",
  web3_provider_disabled: "provider_disabled",
  web3_unsupported_chain: "provider_disabled",
  signup_disabled: "access_denied",
  user_banned: "access_denied",
  over_email_send_rate_limit: "rate_limited",
  over_request_rate_limit: "rate_limited",
  server_error: "service_unavailable",
  temporarily_unavailable: "service_unavailable",
  unexpected_failure: "service_unavailable",
  request_timeout: "service_unavailable",
};

/** A refused access token, which another one may replace. */
const ofAccessTokens = new Set(["bad_jwt", "no_authorization", "session_not_found", "user_not_found"]);
/** A refresh token that no repetition brings back. Older servers say all of it with `invalid_grant`. */
const ofRefreshTokens = new Set([
  "refresh_token_not_found",
  "refresh_token_already_used",
  "session_not_found",
  "session_expired",
  "user_not_found",
  "user_banned",
  "invalid_grant",
  "validation_failed",
]);

/** The code of the shell for one of a project; one that has none stays. */
export const projectCode = (code: string): string => codes[code] ?? code;

const ended = ({ requestId }: ServiceError) => serviceError("token_invalid", { status: 401, requestId });

/** A refused call of a project, as the shell tells it. */
export function toProjectError(error: unknown): ServiceError {
  const failure = toServiceError(error);
  if (ofAccessTokens.has(failure.code)) return ended(failure);
  return serviceError(projectCode(failure.code), failure);
}

/** A refused refresh. A key that the project does not know, which is a matter of its administrators, ends no session. */
export function toRefreshError(error: unknown): ServiceError {
  const failure = toServiceError(error);
  if (ofRefreshTokens.has(failure.code)) return ended(failure);
  return failure.status === 401 ? serviceError("service_unavailable", { status: 503 }) : toProjectError(failure);
}
