import { type PayloadField, ruleFailing, ruleFailingFields, staffOnly, webhook } from "../event-entry";

/** Every event type of storage, in display order. */
export const storageEvents = [
  webhook(
    "storage.bucket.created",
    "Bucket created",
    "A bucket of the company was created. The bucket `company` is created on its first use.",
  ),
  webhook("storage.object.uploaded", "Object uploaded", "An object was created or replaced."),
  webhook("storage.object.deleted", "Object deleted", "An object was deleted."),
  webhook("storage.object.moved", "Object moved", "An object was moved to another path."),
  webhook("storage.prefix.renamed", "Folder renamed", "All objects below a prefix were moved to another prefix."),
  webhook(
    "storage.quota.threshold_reached",
    "Quota threshold reached",
    "Usage has reached 80 or 100 percent of a quota, or an upload was rejected because of the quota.",
  ),
  webhook("storage.quota.changed", "Quota changed", "The quota of the company or of a user was changed."),
  webhook("storage.action_rule.failing", ...ruleFailing),
  staffOnly("storage.scheduled_job.succeeded", "Job succeeded", "A run of a scheduled job succeeded."),
  staffOnly("storage.scheduled_job.failed", "Job failed", "A run of a scheduled job failed."),
];

/** Events that are also sent to the email service, which applies the email rules of the company. */
export const mailedEvents: readonly StorageEventType[] = [
  "storage.bucket.created",
  "storage.object.deleted",
  "storage.object.uploaded",
];

type StorageEventType = (typeof storageEvents)[number]["type"];

const bucketName: PayloadField = { name: "bucket_name", description: "Name of the bucket", example: "company" };
const bucketKind: PayloadField = {
  name: "bucket_kind",
  description: "`company`, or `custom` for any other bucket",
  example: "company",
};
const path: PayloadField = { name: "path", description: "Path in the bucket", example: "reports/2026/résumé.pdf" };
const objectId: PayloadField = {
  name: "object_id",
  description: "Id of the object",
  example: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
};
const sizeField: PayloadField = { name: "size", description: "Size in bytes", example: 48_213 };
const mimeType: PayloadField = { name: "mime_type", description: "Media type", example: "application/pdf" };

const movedFields = (from: string, to: string): readonly PayloadField[] => [
  { name: "from", description: "Previous path", example: from },
  { name: "to", description: "New path", example: to },
];

const quotaScope: readonly PayloadField[] = [
  { name: "scope", description: "Owner of the quota: `company` or `user`", example: "company" },
  { name: "user_id", description: "Id of the user, null for the company", example: 7 },
];
const maxBytes: PayloadField = { name: "max_bytes", description: "The quota in bytes", example: 10_737_418_240 };

const fields: Readonly<Record<string, readonly PayloadField[]>> = {
  "storage.action_rule.failing": ruleFailingFields("storage"),
  "storage.bucket.created": [
    { name: "bucket_id", description: "Id of the bucket", example: "0b1d6f0c-52a5-4f04-8c11-2f7f4ce1f0a7" },
    bucketName,
    bucketKind,
  ],
  "storage.object.uploaded": [
    objectId,
    bucketName,
    bucketKind,
    path,
    sizeField,
    mimeType,
    { name: "version", description: "Version number, starting at 1", example: 1 },
    { name: "created", description: "false when an existing object was replaced", example: true },
  ],
  "storage.object.deleted": [bucketName, path, sizeField, mimeType],
  "storage.object.moved": [
    objectId,
    bucketName,
    { name: "to_bucket_name", description: "Name of the new bucket", example: "company" },
    ...movedFields("drafts/plan.pdf", "reports/plan.pdf"),
  ],
  "storage.prefix.renamed": [
    bucketName,
    ...movedFields("drafts", "reports"),
    { name: "object_count", description: "Number of moved objects", example: 12 },
  ],
  "storage.quota.threshold_reached": [
    ...quotaScope,
    { name: "threshold", description: "Reached percentage: 80 or 100", example: 80 },
    { name: "used_bytes", description: "Bytes in use", example: 8_589_934_592 },
    maxBytes,
  ],
  "storage.quota.changed": [
    ...quotaScope,
    { ...maxBytes, description: "The quota in bytes, null for no limit" },
    {
      name: "max_bytes_per_user",
      description: "The company's quota per user, null for no limit",
      example: 1_073_741_824,
    },
  ],
};

/** Returns the data fields of an event that webhooks can subscribe to, or an empty list for other events. */
export function storageEventFields(type: string): readonly PayloadField[] {
  return fields[type] ?? [];
}
