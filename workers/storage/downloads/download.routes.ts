import { storageErrors } from "../../../schemas/storage/errors";
import { objectParams } from "../../../schemas/storage/objects";
import { asMember } from "../../kit/auth/member";
import { builtSchema, problemResponses } from "../../kit/http/openapi/responses";
import type { StorageService } from "../http";
import { readObject } from "../objects/object";
import { readUrlPath } from "../objects/path";
import { Problem } from "../problem";
import { serveObject } from "./download";
import { downloadResponses } from "./download-responses";

/** Mounts the downloads for members. Must be mounted last, because their pattern also matches the paths of other routes. */
export function mountDownloads(service: StorageService): void {
  service.route(
    {
      method: "get",
      path: "/storage/v1/object/public/{bucket}/{path...}",
      tags: ["Objects"],
      summary: "Not supported: public objects",
      describe: () => ({
        request: { params: builtSchema(objectParams) },
        responses: problemResponses(storageErrors, ["public_download_disabled", "not_found"]),
      }),
    },
    () => {
      throw new Problem("public_download_disabled");
    },
  );
  for (const [prefix, segments] of [
    ["/storage/v1/object/authenticated", 5],
    ["/storage/v1/object", 4],
  ] as const) {
    service.route(
      {
        method: "get",
        path: `${prefix}/{bucket}/{path...}`,
        tags: ["Objects"],
        security: [{ bearerAuth: [] }],
        summary: "Download an object",
        description:
          "`download` returns an attachment with this file name, or the object's own when empty. `Range`, `If-Range` and conditional headers are supported.",
        describe: () => ({
          request: { params: builtSchema(objectParams) },
          responses: {
            ...downloadResponses,
            ...problemResponses(storageErrors, [
              "validation_failed",
              "unauthorized",
              "forbidden",
              "bucket_not_found",
              "object_not_found",
              "range_not_satisfiable",
              "storage_error",
              "service_unavailable",
            ]),
          },
        }),
      },
      (c) => {
        const services = c.get("services");
        const request = c.req.raw;
        return asMember(services, request, async ({ companyId }) => {
          const address = { companyId, bucket: c.req.param("bucket") ?? "", path: readUrlPath(request, segments) };
          return serveObject(services, request, await readObject(services, address), c.req.query("download") ?? null);
        });
      },
    );
  }
}
