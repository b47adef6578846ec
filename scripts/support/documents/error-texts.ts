/** Text of docs/specification/errors.md before its tables of codes. */
export const head = `# Errors

Written by \`npm run errors\` from the code tables in \`schemas/errors.ts\`, \`schemas/webhooks/errors.ts\` and
\`schemas/<service>/errors.ts\`, and from the OpenAPI documents in \`openapi/\`. Do not edit this page by hand.

Handle errors by \`error_code\`, never by \`message\`. For example, a request without a credential:

\`\`\`sh
curl -i "https://identity.example.com/api/v1/users?company_id=42"
\`\`\`

\`\`\`http
HTTP/1.1 401 Unauthorized
Content-Type: application/json
WWW-Authenticate: Bearer realm="platform"

{
  "error_code": "unauthorized",
  "message": "A credential is required.",
  "request_id": "5f0c2a52-8d0e-4a3b-9c57-1d2e3f4a5b6c"
}
\`\`\`

## Error body

Every error body is \`application/json\`, on the metrics endpoints too.

| Key | Value |
|---|---|
| \`error_code\` | always present; a code of the tables below |
| \`message\` | an English sentence for developers. Identity, hosting, storage and the edge send it; email does not |
| \`field_errors\` | object from dotted field path to an array of [field error codes](#field-error-codes); \`body\` is the body as a whole |
| \`request_id\` | always present; equal to the \`X-Request-ID\` header |
| \`statusCode\`, \`error\` | storage under \`/storage/v1/\` only: the status as a string, and \`error_code\` again |

Some codes add keys:

| Code | Additional keys |
|---|---|
| \`last_company_owner\` of an account deletion | \`companies: [{id, name}]\` |
| \`webhook_test_failed\` | \`result\` ([send test](webhooks.md#send-test)) |
| \`recipient_rate_limited\`, \`company_rate_limited\` | \`rate: {limit, window_seconds}\` ([email rate limits](email-acceptance.md#rate-limits)) |
| \`company_quota_exceeded\`, \`user_quota_exceeded\` | \`quota\` ([quota errors](storage-quotas.md#quota-errors)) |
| \`payload_too_large\` of storage | \`use_multipart: true\` when an [upload in parts](storage-uploads.md#multipart-uploads) would succeed |
| \`upload_incomplete\` | \`missing\`: up to 100 part numbers |

Every 403 response has an error code. Where the caller may not learn whether something exists, unknown, used and expired values
return the same code.

## Field error codes

A response lists all invalid fields of a body at once.

| Field code | Meaning |
|---|---|
| \`required\` | the field is missing |
| \`blank\` | the field is empty after trimming |
| \`invalid\` | wrong type or value |
| \`invalid_format\` | a string that does not match its format |
| \`too_long\`, \`too_many\` | too many characters; too many entries |
| \`out_of_range\` | a number or \`page\` outside its limits |
| \`use_cursor\` | \`page\` is past the last page that can be read by number, or \`offset\` is above 10,000: continue with [\`cursor\`](http.md#pagination) |
| \`mismatch\` | contradicts another field, or the row that the field refers to |
| \`not_allowed\` | this field or value is not allowed here |
| \`staff_only\` | only staff may send the field |
| \`https_required\` | http is not allowed here |
| \`unknown\`, \`immutable\`, \`credentials\`, \`not_public\` | webhooks: unknown event type, field that cannot be changed, user info in a URL, target that is not public |
| \`immutable\`, \`not_supported\`, \`reserved\` | storage: field that cannot be changed, value that storage does not support, reserved bucket name |
| \`duplicate\`, \`unsorted\` | storage [synchronization](storage-folders.md#synchronization): a path that is listed twice, paths out of order |

## How to read the tables

*Returned by* lists the operations whose OpenAPI document declares the code. The cell is empty when no document declares it: the code
then appears [inside a redirect](#error-codes-inside-redirects), inside a 2xx response, or only under a condition that the notes
name. Most operations return common error codes; the OpenAPI documents declare them for each operation.
`;

/** Text of docs/specification/errors.md after its tables of codes. */
export const foot = `
Details: [storage errors](storage.md#errors), [email send errors](email-acceptance.md#error-codes).

## Error codes inside redirects

A sign-in that fails after its \`redirect_to\` was validated redirects the browser there with the query parameters
\`platform_oauth_error\` and \`platform_oauth_error_code\`: see [errors in redirects](redirects.md#errors-in-redirects).
`;

/** Texts that the table shows after the message of a code. */
export const notes: Record<string, string> = {
  unauthorized:
    "Hosting, storage and email also return it for an invalid credential; identity returns `token_invalid`.",
  pat_read_only: "The request used a read-only personal access token.",
  not_found: "Also for an unknown path and for a row of another company.",
  internal_error: "Email returns `request_failed` instead.",
  webhook_test_failed: "See [send test](webhooks.md#send-test).",
  rule_limit_reached: "The limit is 100.",
  magic_link_invalid: "Also for an unknown link and for a link of another company.",
  redirect_not_allowed: "See [redirect rules](redirects.md#redirect-rules).",
  auth_code_invalid: "Also for another company or origin.",
  code_verifier_required: "See [PKCE](redirects.md#pkce).",
  code_verifier_invalid: "See [PKCE](redirects.md#pkce).",
  admin_only_field: "The body of a user contains `is_staff`, `is_superuser` or `is_company_owner`.",
  company_owner_required: "`owner_ids` is empty.",
  invalid_oauth_state: "Also when it began in another browser.",
  provider_disabled: "The provider is off or unknown, or the company is unknown.",
  oauth_client_unavailable: "Also when the secret of the client cannot be decrypted.",
  token_exchange_failed: "The tokens of the provider cannot be used.",
  oauth_identity_failed: "The response of the provider cannot be used.",
  oauth_email_unverified: "Another account has the address, so it must be verified.",
  refresh_token_reused: "See [refresh](sessions.md#refresh).",
  magic_link_disabled: "Also when the company is unknown or inactive.",
  access_pending: "See [join rules](sign-in.md#join-rules).",
  access_denied: "See [join rules](sign-in.md#join-rules).",
  recent_login_required: "See [account deletion](account.md#deletion).",
};
