import type { AppRow, BlobRow } from "../../../db/hosting/schema";
import { blobParams, blobSchema } from "../../../schemas/hosting/deployment";
import type { Result } from "../../kit/db/db";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { findAccess } from "../access/access";
import { findApp } from "../apps/app";
import { appCall, gated } from "../apps/app-call";
import { findBlob, uploadBlob } from "../files/blob";
import type { HostingService } from "../http";
import { Problem } from "../problem";

/** Mounts the upload of the files of a deployment by manifest: docs/specification/hosting.md#upload-the-missing-files */
export function mountBlobs({ call }: HostingService): void {
  const response = (description: string) => jsonResponse(blobSchema, description);
  call(
    {
      ...appCall,
      method: "put",
      path: "/hosting/v1/apps/{app}/blobs/{sha256}",
      tags: ["Deployments"],
      summary: "Upload a file of a manifest",
      description:
        "The body is the file as it is, with `Content-Length`. A file belongs to the company, so that every deployment of its " +
        "apps can name it. Not counted as a write request.",
      params: blobParams,
      input: ({ params: { app = "", sha256 = "" } }) => ({ app, sha256 }),
      reads: ({ companyId, input: { app, sha256 } }) => ({
        app: findApp({ companyId, app }),
        access: findAccess({ companyId }),
        blob: findBlob({ companyId, sha256 }),
      }),
      row: (call) => gated(call, rowOf(call.results)),
      isCounted: false,
      file: { types: ["application/octet-stream"] },
      responses: { 200: response("The company had the file already"), 201: response("The file is stored") },
      errorCodes: [
        "hosting_access_denied",
        "hosting_not_configured",
        "incomplete_body",
        "blob_size_mismatch",
        "blob_hash_mismatch",
        "blob_not_declared",
        "length_required",
        "storage_error",
      ],
    },
    async ({ c, services, request, row }) => {
      const isNew = await uploadBlob(services, request, row);
      return c.json({ sha256: row.sha256, size: row.size }, isNew ? 201 : 200);
    },
  );
}

function rowOf({ app, blob }: { app: Result<AppRow>; blob: Result<BlobRow> }): BlobRow | null {
  if (app.first !== null && blob.first === null) throw new Problem("blob_not_declared");
  return app.first === null ? null : blob.first;
}
