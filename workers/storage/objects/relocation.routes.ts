import type { ObjectRow } from "../../../db/storage/schema";
import { copiedSchema, movedSchema, relocationBody } from "../../../schemas/storage/relocation";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { parse } from "../../kit/http/request/parse";
import type { StorageService } from "../http";
import { copyObject } from "./copy";
import { moveObject } from "./move";
import { type Relocation, readRelocation } from "./relocation";

/** Mounts the routes that copy and move an object. */
export function mountRelocations({ call }: StorageService): void {
  const shared = {
    method: "post",
    tags: ["Objects"],
    role: "member",
    isCounted: false,
    description: "Replaces an object only with `x-upsert: true`.",
    body: {
      schema: relocationBody,
      read: (raw: Record<string, unknown>) => readRelocation(parse(relocationBody, raw)),
    },
  } as const;
  const errorCodes = [
    ...(["bucket_not_found", "object_not_found", "resource_already_exists"] as const),
    ...(["invalid_mime_type", "payload_too_large", "concurrent_modification", "not_found"] as const),
  ];
  const isUpsert = (request: Request) => request.headers.get("x-upsert")?.toLowerCase() === "true";
  const responseOf = (message: string, { id, name }: ObjectRow, { destination }: Relocation) => ({
    message,
    Id: id,
    Key: `${destination.bucket}/${name}`,
  });
  call(
    {
      ...shared,
      path: "/storage/v1/object/copy",
      summary: "Copy an object",
      responses: { 200: jsonResponse(copiedSchema, "The copy, with its `ETag` and `X-Object-Version`") },
      errorCodes: [...errorCodes, "company_quota_exceeded", "user_quota_exceeded"],
    },
    async ({ c, services, request, scope, caller, body }) => {
      const copy = await copyObject(services, scope, caller, body, isUpsert(request));
      const headers = { etag: `"${copy.etag}"`, "x-object-version": String(copy.version) };
      return c.json(responseOf("Successfully copied", copy, body), 200, headers);
    },
  );
  call(
    {
      ...shared,
      path: "/storage/v1/object/move",
      summary: "Move an object",
      responses: { 200: jsonResponse(movedSchema, "The new path") },
      errorCodes,
    },
    async ({ c, services, request, scope, caller, body }) => {
      const moved = await moveObject(services, scope, caller, body, isUpsert(request));
      return c.json(responseOf("Successfully moved", moved, body));
    },
  );
}
