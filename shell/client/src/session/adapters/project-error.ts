import { type ServiceError, serviceError, toServiceError } from "../service-error.ts";

/** Maps error codes of a Supabase project to codes of the shell. */
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

/** Codes for a rejected access token. A refresh may return a valid access token. */
const accessTokenCodes = new Set(["bad_jwt", "no_authorization", "session_not_found", "user_not_found"]);
/** Codes for a refresh token that will never work again. Older servers return `invalid_grant` for all these cases. */
const refreshTokenCodes = new Set([
  "refresh_token_not_found",
  "refresh_token_already_used",
  "session_not_found",
  "session_expired",
  "user_not_found",
  "user_banned",
  "invalid_grant",
  "validation_failed",
]);

/** Returns the shell's code for a project's code. Returns an unknown code unchanged. */
export const projectCode = (code: string): string => codes[code] ?? code;

const ended = ({ requestId }: ServiceError) => serviceError("token_invalid", { status: 401, requestId });

/** Maps an error of a project to an error of the shell. */
export function toProjectError(error: unknown): ServiceError {
  const failure = toServiceError(error);
  if (accessTokenCodes.has(failure.code)) return ended(failure);
  return serviceError(projectCode(failure.code), failure);
}

/** Maps an error of a refresh. An unknown API key is a configuration error and does not end the session. */
export function toRefreshError(error: unknown): ServiceError {
  const failure = toServiceError(error);
  if (refreshTokenCodes.has(failure.code)) return ended(failure);
  return failure.status === 401 ? serviceError("service_unavailable", { status: 503 }) : toProjectError(failure);
}
