import { commonErrors, type ErrorTable } from "../errors";
import { fileErrors } from "../file-errors";
import { webhookErrors } from "../webhooks/errors";

/** Error codes of hosting. */
export const hostingErrors = {
  ...commonErrors,
  ...webhookErrors,
  incomplete_body: fileErrors.incomplete_body,
  storage_error: fileErrors.storage_error,
  company_id_not_allowed: {
    status: 400,
    message: "`company_id` is not allowed here. The token determines the company.",
  },
  artifact_missing: { status: 400, message: "The deployment has no files yet. Upload them, then finalize." },
  blob_size_mismatch: { status: 400, message: "Content-Length differs from the size in the manifest." },
  blob_hash_mismatch: {
    status: 400,
    message: "The SHA-256 of the body differs from the one in the path. Nothing was stored.",
  },
  hosting_access_denied: {
    status: 403,
    message: "The company may not host apps yet. Request access, and wait for the approval of staff.",
  },
  app_quota_exceeded: {
    status: 403,
    message: "The company has the maximum number of apps. Delete one, or wait until a preview expires.",
  },
  deployment_quota_exceeded: {
    status: 403,
    message: "Every deployment of the app is pinned or live. Delete one before you add another.",
  },
  preview_forbidden: { status: 403, message: "The preview belongs to another user." },
  preview_not_found: { status: 404, message: "The company has no preview with this slug." },
  blob_not_declared: {
    status: 404,
    message: "No manifest of the company names this SHA-256. Create the deployment first.",
  },
  app_name_taken: { status: 409, message: "The company has an app with this name." },
  domain_exists: { status: 409, message: "The app has this domain already." },
  domain_limit_reached: { status: 409, message: "The app has the maximum number of domains. Remove one first." },
  not_preview: { status: 409, message: "The app is not a preview, so it does not expire." },
  preview_expired: { status: 409, message: "The preview has expired. Create another one." },
  invalid_deployment_status: { status: 409, message: "The state of the deployment does not allow this." },
  blobs_missing: {
    status: 409,
    message: "Files of the manifest were not uploaded; see `missing`. Upload them, then finalize again.",
  },
  upload_too_large: { status: 413, message: "The archive is larger than HOSTING_MAX_UPLOAD_BYTES allows." },
  length_required: { status: 411, message: "Content-Length is required." },
  hosting_not_configured: {
    status: 503,
    message: "This deployment of the platform hosts no apps: HOSTING_APP_DOMAIN is not set.",
  },
  internal_error: { status: 500, message: "Unexpected error. It was logged under the request id." },
} satisfies ErrorTable;
