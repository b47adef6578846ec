import { commonErrors, type ErrorTable } from "../errors";

/** Error codes of identity (identity details 17); later parts add theirs. */
export const identityErrors = {
  ...commonErrors,
  magic_link_invalid: { status: 400, message: "The link has expired or was already used." },
  sign_in_code_invalid: { status: 400, message: "The sign-in code is wrong, expired or used up." },
  redirect_not_allowed: { status: 400, message: "redirect_to is not on the company's redirect allowlist." },
  auth_code_invalid: { status: 400, message: "The code is unknown, used, expired or belongs to another redirect." },
  code_verifier_required: { status: 400, message: "code_verifier is required, because a code_challenge was given." },
  code_verifier_invalid: { status: 400, message: "code_verifier does not match the code_challenge." },
  unsupported_grant_type: { status: 400, message: "grant_type must be refresh_token." },
  admin_only_field: { status: 400, message: "The field is set by administrators only." },
  token_invalid: { status: 401, message: "The credential is invalid, expired or revoked." },
  refresh_token_reused: { status: 401, message: "The refresh token was used before; the session has ended." },
  magic_link_disabled: { status: 403, message: "Sign-in by magic link is off." },
  access_pending: { status: 403, message: "Access to this company awaits an administrator." },
  access_denied: { status: 403, message: "Access to this company is not granted." },
  csrf_failed: { status: 403, message: "The form was not sent by this site's page." },
  internal_error: { status: 500, message: "An unexpected fault; it was logged under the request id." },
} satisfies ErrorTable;
