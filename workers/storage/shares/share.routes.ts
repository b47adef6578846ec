import { storageErrors } from "../../../schemas/storage/errors";
import { createdShareSchema, shareBody, shareParams, shareSchema, sharesSchema } from "../../../schemas/storage/links";
import { objectParams } from "../../../schemas/storage/objects";
import { isOwnerOf } from "../../kit/auth/role";
import { sha256Hex } from "../../kit/crypto/hash";
import { bodyOf } from "../../kit/http/call";
import { builtSchema, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { serveObject } from "../downloads/download";
import { downloadResponses } from "../downloads/download-responses";
import type { StorageService } from "../http";
import { findBucketAndObject, objectOf } from "../objects/object";
import { readUrlPath } from "../objects/path";
import { Problem } from "../problem";
import { absoluteUrl } from "../signing/signed-url";
import { findShareOfCompany, openShare, readShareOptions, revoke, shareObject, sharesOf } from "./share";
import { presentShare } from "./share.present";

const linkPath = "/storage/v1/share/link/{token}";

/** Number of URL segments before the path in the bucket. */
const SEGMENTS = 4;

/** Mounts the routes that create, list, revoke and open share links. */
export function mountShares(service: StorageService): void {
  const { call } = service;
  const tags = ["Share links"];
  service.route(
    {
      method: "get",
      path: linkPath,
      tags,
      summary: "Download an object with a share link",
      description:
        "Needs no bearer. Every response with bytes counts as a download, before its first byte; HEAD and 304 do not. " +
        "`download`, `Range`, `If-Range` and conditional headers work as in other downloads.",
      describe: () => ({
        request: { params: builtSchema(shareParams) },
        responses: {
          ...downloadResponses,
          ...problemResponses(storageErrors, [
            "share_not_found",
            "share_inactive",
            "range_not_satisfiable",
            "storage_error",
            "service_unavailable",
          ]),
        },
      }),
    },
    async (c) => {
      const services = c.get("services");
      const { object, count } = await openShare(services, c.req.param("token") ?? "");
      return serveObject(services, c.req.raw, object, c.req.query("download") ?? null, count);
    },
  );
  call(
    {
      method: "delete",
      path: linkPath,
      tags,
      summary: "Revoke a share link",
      description: "By its id or token. Allowed for the creator, owners and staff.",
      role: "member",
      isCounted: false,
      params: shareParams,
      input: async ({ params: { token = "" } }) => ({ id: token, tokenHash: await sha256Hex(token) }),
      reads: ({ companyId, input }) => ({ link: findShareOfCompany({ companyId, ...input }) }),
      row: ({ results }) => results.link.first,
      missingCode: "share_not_found",
      responses: { 200: jsonResponse(shareSchema, "The revoked link") },
    },
    async ({ c, services, caller, row }) => {
      if (row.created_by_id !== caller.userId && !isOwnerOf(caller, row.company_id)) throw new Problem("forbidden");
      return c.json(presentShare(await revoke(services, row), row, services.clock.now()));
    },
  );
  const objectOperation = {
    path: "/storage/v1/share/{bucket}/{path...}",
    tags,
    role: "member",
    params: objectParams,
    missingCode: "object_not_found",
  } as const;
  const input = ({ params, request }: { params: Record<string, string>; request: Request }) => ({
    bucket: params.bucket ?? "",
    path: readUrlPath(request, SEGMENTS),
  });
  const reads = ({
    companyId,
    input: { bucket, path: name },
  }: {
    companyId: number;
    input: { bucket: string; path: string };
  }) => ({
    bucketAndObject: findBucketAndObject({ companyId, bucket, name }),
  });
  call(
    {
      ...objectOperation,
      method: "post",
      summary: "Create a share link",
      description:
        "A link needs a limit: `expires_at`, `max_downloads` or both (`expiresAt`, `maxDownloads` are accepted too). `token`, " +
        "`path_url` and `url` are only in this response.",
      isCounted: false,
      input,
      reads,
      row: ({ input: address, results }) => objectOf(address.bucket, results.bucketAndObject.first),
      body: bodyOf(shareBody),
      responses: { 201: jsonResponse(createdShareSchema, "The link") },
      errorCodes: ["bucket_not_found", "share_limit_required", "limit_reached"],
    },
    async ({ c, services, request, input: address, caller, row, body }) => {
      const options = readShareOptions(services, body);
      const { link, token } = await shareObject(services, row, caller.userId, options);
      const url = `/share/link/${token}`;
      return c.json(
        {
          ...presentShare(link, address, services.clock.now()),
          token,
          path_url: `/storage/v1${url}`,
          url: absoluteUrl(services, new URL(request.url).origin, url),
        },
        201,
      );
    },
  );
  call(
    {
      ...objectOperation,
      method: "get",
      summary: "List the share links of an object",
      description: "Active links first, then by age, newest first; at most 200.",
      input,
      reads,
      row: ({ input: address, results }) => objectOf(address.bucket, results.bucketAndObject.first),
      responses: { 200: jsonResponse(sharesSchema, "The links, without their tokens") },
      errorCodes: ["bucket_not_found"],
    },
    async ({ c, services, input: address, row }) => {
      const now = services.clock.now();
      return c.json((await sharesOf(services, row)).map((link) => presentShare(link, address, now)));
    },
  );
}
