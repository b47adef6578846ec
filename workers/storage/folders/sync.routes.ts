import { syncBody, syncSchema } from "../../../schemas/storage/folders";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { parse } from "../../kit/http/request/parse";
import { openBucket } from "../buckets/bucket";
import type { StorageService } from "../http";
import { bucketOperation } from "./folder-call";
import { compareManifestChunk, readManifestChunk } from "./sync";

/** Room for 5,000 items with paths of 1,024 bytes, all of which may be escaped. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Mounts the route that compares a manifest with the stored objects. */
export function mountSync({ call }: StorageService): void {
  call(
    {
      ...bucketOperation,
      method: "post",
      path: "/storage/v1/sync/{bucket}",
      summary: "Compare a manifest with a folder",
      description:
        "Returns which files to upload and delete so that the folder matches the manifest, and whether they fit the quota; " +
        "changes nothing. Send a manifest of more than 5,000 items in chunks.",
      body: {
        schema: syncBody,
        limit: MAX_BODY_BYTES,
        read: (raw) => readManifestChunk(parse(syncBody, raw)),
      },
      responses: { 200: jsonResponse(syncSchema, "The differences") },
    },
    async ({ c, services, scope, caller, row, body }) => {
      const bucket = await openBucket(services, scope, caller, row);
      return c.json(await compareManifestChunk(services, bucket, caller.userId, body));
    },
  );
}
