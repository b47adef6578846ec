import type { CompanyRow } from "../../../../db/identity/schema";
import type { BatchResults } from "../../../kit/db/db";
import type { Reads } from "../../../kit/http/call";
import { readJson } from "../../../kit/http/request/body";
import type { JsonObject } from "../../../kit/json";
import type { IdentityContext, IdentityService } from "../../http";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { type Directory, identifyDirectory, readAsDirectory } from "../clients/client";
import { type Requested, recordRejection } from "../records/provisioning";
import { describeEndpoint, type EndpointDocument } from "./document";
import { badRequest, conflictOf, SCIM_TYPE } from "./scim-problem";

/** The path of the SCIM endpoints of a company. */
export const SCIM_BASE = "/api/v1/companies/{company}/scim/v2";
/** Maximum size of a request body in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

/** Runs statements for the directory and returns their results. */
export type Reader = <R extends Reads>(reads: (companyId: number) => R) => Promise<BatchResults<R>>;

/** A request of a directory. `id` is the resource in the path, or null. `read` verifies the token in the same round trip. */
export type ScimCall = {
  c: IdentityContext;
  services: IdentityServices;
  request: Request;
  query: Record<string, string>;
  id: string | null;
  read: Reader;
  /** the company, after the first read */
  company: () => CompanyRow;
};

type Endpoint = EndpointDocument & {
  method: "get" | "post" | "put" | "patch" | "delete";
  path: string;
  tags: string[];
  summary: string;
};

/** Mounts a SCIM endpoint. `path` is below the base. */
export function mountEndpoint(
  service: IdentityService,
  { method, path, tags, summary, ...document }: Endpoint,
  handler: (call: ScimCall) => Promise<Response>,
): void {
  const definition = {
    method,
    path: SCIM_BASE + path,
    tags,
    security: [{ bearerAuth: [] }],
    summary,
    describe: () => describeEndpoint(document),
  };
  const handle = async (c: IdentityContext) => {
    const services = c.get("services");
    const directory = await identifyDirectory(services, c.req.raw, c.req.param("company") ?? "");
    return handler(callOf(c, services, directory));
  };
  service.route(definition, handle, { isProtocol: true });
}

function callOf(c: IdentityContext, services: IdentityServices, directory: Directory): ScimCall {
  const request = c.req.raw;
  let verified: CompanyRow | null = null;
  return {
    c,
    services,
    request,
    query: c.req.query(),
    id: c.req.param("id") ?? null,
    async read(reads) {
      const { company, results } = await readAsDirectory(services, request, directory, reads);
      verified = company;
      return results;
    },
    company() {
      if (verified === null) throw new Error("the company was not read");
      return verified;
    },
  };
}

/** Mounts an endpoint that changes a resource. A rejected change is recorded. */
export function mountMutation(
  service: IdentityService,
  endpoint: Endpoint & Requested,
  handler: (call: ScimCall, body: JsonObject) => Promise<Response>,
): void {
  const { operation, type, method } = endpoint;
  mountEndpoint(service, endpoint, async (call) => {
    try {
      return await handler(call, method === "delete" ? {} : await readScimBody(call.request));
    } catch (error) {
      if (error instanceof Problem) await record(call, { operation, type }, error);
      throw error;
    }
  });
}

// These errors say nothing about the data of the directory.
const UNRECORDED = ["unauthorized", "token_invalid", "access_denied", "rate_limited", "service_unavailable"];

async function record(call: ScimCall, requested: Requested, problem: Problem): Promise<void> {
  if (UNRECORDED.includes(problem.code)) return;
  await call.read(() => ({}));
  const { id: companyId } = call.company();
  await recordRejection(
    call.services,
    { ...requested, companyId, resourceId: call.id?.slice(0, 36) ?? null },
    problem,
    conflictOf(problem),
  );
}

/** Reads the JSON object of a request of at most 1 MiB. Throws 400 `invalidSyntax`, 413 or 415. */
async function readScimBody(request: Request): Promise<JsonObject> {
  try {
    return await readJson(request, { limit: MAX_BODY_BYTES, maxDepth: 32 });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "validation_failed") throw error;
    throw badRequest("invalidSyntax", "The body must be a JSON object.");
  }
}

/** Returns the URL of the SCIM endpoints of a company, without a slash at the end. */
export function baseUrl({ settings }: Pick<IdentityServices, "settings">, company: { id: number }): string {
  return settings.issuer + SCIM_BASE.replace("{company}", String(company.id));
}

/** Returns a SCIM response. */
export function scimResponse(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...headers, "content-type": SCIM_TYPE } });
}
