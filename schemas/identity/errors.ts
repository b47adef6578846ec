import { commonErrors, type ErrorTable } from "../errors";
import { webhookErrors } from "../webhooks/errors";

/** Error codes of identity. */
export const identityErrors = {
  ...commonErrors,
  ...webhookErrors,
  magic_link_invalid: { status: 400, message: "The link has expired or was already used. Request a new one." },
  sign_in_code_invalid: {
    status: 400,
    message: "The sign-in code is wrong, expired or already used. Request a new one.",
  },
  redirect_not_allowed: {
    status: 400,
    message: "`redirect_to` is not on the company's redirect allowlist. Add its origin under Sign-in, Redirects.",
  },
  auth_code_invalid: {
    status: 400,
    message: "`auth_code` is unknown, already used, expired or belongs to another `redirect_to`.",
  },
  code_verifier_required: {
    status: 400,
    message: "`code_verifier` is required, because the sign-in was started with a `code_challenge`.",
  },
  code_verifier_invalid: { status: 400, message: "`code_verifier` does not match the `code_challenge`." },
  invitation_invalid: {
    status: 400,
    message: "The invitation has expired, was accepted or revoked. Ask for a new one.",
  },
  unsupported_grant_type: { status: 400, message: "`grant_type` must be `refresh_token`." },
  admin_only_field: { status: 400, message: "Only administrators can set this field." },
  company_id_not_allowed: {
    status: 400,
    message: "`company_id` is not allowed here. The token determines the company.",
  },
  company_owner_required: { status: 400, message: "A company must have at least one owner." },
  self_not_allowed: { status: 400, message: "You cannot do this to your own account." },
  invalid_oauth_state: {
    status: 400,
    message: "The sign-in is unknown, already used, expired or was started elsewhere. Start again.",
  },
  provider_disabled: { status: 400, message: "Sign-in with this provider is disabled." },
  oauth_client_unavailable: {
    status: 400,
    message: "The company's client of this provider is incomplete or was deleted.",
  },
  oauth_provider_denied: { status: 400, message: "The provider did not sign the user in." },
  missing_code: { status: 400, message: "The provider returned no authorization code." },
  token_exchange_failed: { status: 400, message: "The provider rejected the exchange of the authorization code." },
  oauth_identity_failed: { status: 400, message: "The provider did not return the identity of the user." },
  oauth_id_token_invalid: { status: 400, message: "The ID token of the provider is invalid." },
  oauth_email_missing: { status: 400, message: "The provider returned no email address." },
  oauth_email_unverified: { status: 400, message: "The provider has not verified the email address." },
  token_invalid: { status: 401, message: "The credential is invalid, expired or revoked." },
  refresh_token_reused: {
    status: 401,
    message: "The refresh token was already used, so its session was revoked. Sign in again.",
  },
  magic_link_disabled: { status: 403, message: "Sign-in with magic links is disabled." },
  access_pending: { status: 403, message: "Access to this company is waiting for the approval of an administrator." },
  access_denied: { status: 403, message: "Access to this company was denied." },
  csrf_failed: {
    status: 403,
    message: "The CSRF token of the form is missing or invalid. Reload the page and try again.",
  },
  group_read_only: { status: 403, message: "The directory manages this group, so it can be changed only there." },
  recent_login_required: { status: 403, message: "This requires a recent sign-in. Sign in again." },
  last_company_owner: {
    status: 409,
    message: "The last owner of a company cannot be removed. Add another owner first.",
  },
  already_member: { status: 409, message: "The user with this address is already a member of the company." },
  already_invited: {
    status: 409,
    message: "The address already has an open invitation. Send that one again, or revoke it first.",
  },
  invitation_not_pending: { status: 409, message: "Only a pending invitation can be revoked or sent again." },
  invitation_not_revoked: { status: 409, message: "Only a revoked invitation can be lifted." },
  oauth_client_duplicate_provider: { status: 409, message: "The company already has a client of this provider." },
  user_shared: {
    status: 409,
    message: "The user also belongs to other companies, so this company cannot change the account.",
  },
  internal_error: { status: 500, message: "Unexpected error. It was logged with the request id." },
} satisfies ErrorTable;
