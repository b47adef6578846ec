import { type PayloadField, ruleFailing, ruleFailingFields, staffOnly, webhook } from "../event-entry";

/** Every event type of storage, in the order in which they are listed. */
export const storageEvents = [
  webhook(
    "storage.bucket.created",
    "Bucket created",
    "A bucket of the company was made, the first one on its first use.",
  ),
  webhook("storage.object.uploaded", "Object uploaded", "An object was made or has a new version."),
  webhook("storage.object.deleted", "Object deleted", "An object was removed."),
  webhook("storage.object.moved", "Object moved", "An object has another path."),
  webhook("storage.prefix.renamed", "Folder renamed", "All objects below a prefix have another one."),
  webhook(
    "storage.quota.threshold_reached",
    "Quota threshold reached",
    "Use has passed 80 or 100 percent of a quota, or an upload was refused for it.",
  ),
  webhook("storage.quota.changed", "Quota changed", "The quota of the company or of a person is another."),
  webhook("storage.action_rule.failing", ...ruleFailing),
  staffOnly("storage.scheduled_job.succeeded", "Job succeeded", "A run of a scheduled job has succeeded."),
  staffOnly("storage.scheduled_job.failed", "Job failed", "A run of a scheduled job has failed."),
];

/** Events that are also posted to the email service, for the company's email rules. */
export const mailedEvents: readonly StorageEventType[] = [
  "storage.bucket.created",
  "storage.object.deleted",
  "storage.object.uploaded",
];

type StorageEventType = (typeof storageEvents)[number]["type"];

const bucketName: PayloadField = { name: "bucket_name", description: "Name of the bucket", example: "company" };
const bucketKind: PayloadField = {
  name: "bucket_kind",
  description: "`company`, or `custom` for a further bucket",
  example: "company",
};
const path: PayloadField = { name: "path", description: "Path in the bucket", example: "reports/2026/résumé.pdf" };
const objectId: PayloadField = {
  name: "object_id",
  description: "Id of the object",
  example: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
};
const sizeField: PayloadField = { name: "size", description: "Bytes", example: 48_213 };
const mimeType: PayloadField = { name: "mime_type", description: "Media type", example: "application/pdf" };

const movedFields = (from: string, to: string): readonly PayloadField[] => [
  { name: "from", description: "Path before", example: from },
  { name: "to", description: "Path now", example: to },
];

const quotaScope: readonly PayloadField[] = [
  { name: "scope", description: "Whose quota: `company` or `user`", example: "company" },
  { name: "user_id", description: "The person, null for the company", example: 7 },
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
    { name: "version", description: "Number of the version, from 1", example: 1 },
    { name: "created", description: "false: over an object that was there", example: true },
  ],
  "storage.object.deleted": [bucketName, path, sizeField, mimeType],
  "storage.object.moved": [
    objectId,
    bucketName,
    { name: "to_bucket_name", description: "Name of the bucket where it is now", example: "company" },
    ...movedFields("drafts/plan.pdf", "reports/plan.pdf"),
  ],
  "storage.prefix.renamed": [
    bucketName,
    ...movedFields("drafts", "reports"),
    { name: "object_count", description: "How many objects moved", example: 12 },
  ],
  "storage.quota.threshold_reached": [
    ...quotaScope,
    { name: "threshold", description: "Percent that were reached: 80 or 100", example: 80 },
    { name: "used_bytes", description: "Bytes in use", example: 8_589_934_592 },
    maxBytes,
  ],
  "storage.quota.changed": [
    ...quotaScope,
    { ...maxBytes, description: "The quota in bytes, null for none" },
    {
      name: "max_bytes_per_user",
      description: "The company's quota of each person, null for none",
      example: 1_073_741_824,
    },
  ],
};

/** Returns the data fields of an event that webhook subscriptions can use; none for other events. */
export function storageEventFields(type: string): readonly PayloadField[] {
  return fields[type] ?? [];
}
