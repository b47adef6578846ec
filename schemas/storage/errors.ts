import { commonErrors, type ErrorTable } from "../errors";
import { fileErrors } from "../file-errors";
import { webhookErrors } from "../webhooks/errors";

/** Error codes of storage. */
export const storageErrors = {
  ...commonErrors,
  ...webhookErrors,
  ...fileErrors,
  bucket_not_found: { status: 404, message: "The company has no bucket with this name." },
  bucket_name_taken: { status: 409, message: "The company already has a bucket with this name." },
  bucket_limit_reached: { status: 409, message: "The company has the maximum number of buckets. Delete one first." },
  bucket_immutable: { status: 403, message: "The bucket `company` cannot be changed or deleted." },
  bucket_not_empty: { status: 409, message: "The bucket is not empty. Empty it before you delete it." },
  object_not_found: { status: 404, message: "The bucket has no object with this path." },
  resource_already_exists: {
    status: 400,
    message: "An object with this path already exists. Send `x-upsert: true` to replace it.",
  },
  invalid_mime_type: {
    status: 415,
    message: "The bucket does not allow this media type; see its `allowed_mime_types`.",
  },
  company_quota_exceeded: { status: 413, message: "Company quota exceeded." },
  user_quota_exceeded: { status: 413, message: "User quota exceeded." },
  concurrent_modification: { status: 409, message: "Other requests keep changing the object. Try again." },
  upload_not_found: { status: 404, message: "The upload does not exist or has expired. Start a new one." },
  upload_incomplete: { status: 409, message: "Parts of the upload are missing; see `missing`." },
  size_mismatch: {
    status: 400,
    message: "The size of the body or of all parts does not match the declared size of the upload.",
  },
  upload_locked: { status: 423, message: "Another request is adding to the upload. Try again." },
  upload_offset_mismatch: {
    status: 409,
    message: "Upload-Offset does not match the upload. Read the offset with HEAD.",
  },
  upload_checksum_mismatch: {
    status: 460,
    code: "checksum_mismatch",
    message: "Upload-Checksum does not match the bytes; they were discarded.",
  },
  tus_version_not_supported: { status: 412, message: "Only TUS version 1.0.0 is supported." },
  folder_not_found: { status: 404, message: "There are no objects below this prefix." },
  prefix_too_large: {
    status: 409,
    message: "There are too many objects below the prefix for one request. Use a longer prefix.",
  },
  invalid_prefix: { status: 400, message: "The prefix must name a folder, not the top of the bucket." },
  invalid_destination: { status: 400, message: "A folder cannot be moved into itself." },
  public_download_disabled: {
    status: 403,
    message: "Public objects are not supported. Sign a URL or create a share link.",
  },
  signed_upload_disabled: {
    status: 403,
    message: "Signed upload URLs are not supported. Upload with an access token.",
  },
  signed_url_invalid: { status: 403, message: "The signature of the URL is not valid for this object." },
  signed_url_expired: { status: 403, message: "The signed URL has expired. Create a new one." },
  share_limit_required: { status: 400, message: "A share link needs `expires_at`, `max_downloads` or both." },
  share_not_found: { status: 404, message: "The share link does not exist." },
  share_inactive: { status: 410, message: "The share link was revoked, has expired or has no downloads left." },
  company_id_not_allowed: {
    status: 400,
    message: "`company_id` is not allowed here. The token determines the company.",
  },
  internal_error: { status: 500, message: "Unexpected error. It was logged with the request id." },
} satisfies ErrorTable;
