import * as z from "zod";
import { emailErrors } from "../../../schemas/email/errors";
import {
  rotateKeySchema,
  serviceClientInputSchema,
  serviceClientKeySchema,
  serviceClientListSchema,
  serviceClientSchema,
} from "../../../schemas/email/service-clients";
import { limitMutation, requireAdmin } from "../../kit/auth/caller";
import { requireStaffScope } from "../../kit/auth/role";
import { uuid } from "../../kit/crypto/random";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { readPage, splitPage } from "../../kit/http/paging/cursor-page";
import { readJson } from "../../kit/http/request/body";
import { parse } from "../../kit/http/request/parse";
import { readRowId } from "../../kit/http/request/path-id";
import { invalid, Problem } from "../../kit/problem";
import type { EmailContext, EmailService } from "../http";
import type { EmailServices } from "../services";
import { createServiceKey } from "./key";
import { presentServiceClient, presentServiceClientKey } from "./service-client.present";
import {
  findServiceClient,
  insertServiceClient,
  listServiceClients,
  revokeServiceClient,
  rotateServiceClient,
  type ServiceClientRow,
} from "./service-client.store";

const PAGE_SIZE = 200;
const HOUR = 3_600_000;

const security = [{ bearerAuth: [] }];
const tags = ["Service clients"];
const readErrors = ["validation_failed", "unauthorized", "company_mismatch", "forbidden", "service_unavailable"];
const writeErrors = [...readErrors, "pat_read_only", "rate_limited", "payload_too_large", "unsupported_media_type"];
const idParams = z.object({ id: z.string() });
const companyQuery = z.object({ company_id: z.string().optional() });
const positionSchema = z.tuple([z.string(), z.int()]);

/** `/api/v1/service-clients`: the keys of sibling services, for staff (Document 2, email details 12.1). */
export function mountServiceClients(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/service-clients",
      tags,
      security,
      summary: "Service clients by service and id, without their keys",
      request: { query: companyQuery.extend({ limit: z.string().optional(), cursor: z.string().optional() }) },
      responses: {
        200: jsonResponse(serviceClientListSchema, "One page of clients"),
        ...problemResponses(emailErrors, readErrors),
      },
    },
    listClients,
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/service-clients",
      tags,
      security,
      summary: "Create a client; the key is in this answer only",
      request: { query: companyQuery, body: jsonBody(serviceClientInputSchema) },
      responses: {
        201: jsonResponse(serviceClientKeySchema, "The client and its key"),
        ...problemResponses(emailErrors, [...writeErrors, "limit_reached"]),
      },
    },
    createClient,
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/service-clients/{id}/revoke",
      tags,
      security,
      summary: "End the keys of a client at once",
      request: { params: idParams, query: companyQuery },
      responses: {
        200: jsonResponse(serviceClientSchema, "The revoked client"),
        ...problemResponses(emailErrors, [...writeErrors, "not_found"]),
      },
    },
    revokeClient,
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/service-clients/{id}/rotate",
      tags,
      security,
      summary: "Give a client a new key; the old one stays valid for `overlap_hours`",
      request: { params: idParams, query: companyQuery, body: { ...jsonBody(rotateKeySchema), required: false } },
      responses: {
        200: jsonResponse(serviceClientKeySchema, "The client and its new key"),
        ...problemResponses(emailErrors, [...writeErrors, "not_found", "conflict"]),
      },
    },
    rotateClient,
  );
}

async function listClients(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  requireStaffScope(await requireAdmin(c.req.raw, services), { query: c.req.query("company_id") });
  const page = readPage(c.req.query(), positionSchema, { defaultLimit: PAGE_SIZE });
  const found = await listServiceClients(services.db, page.after ?? ["", 0], page.limit);
  const { rows, next_cursor } = splitPage(found, page.limit, (row) => [row.service, row.id]);
  return c.json({ clients: rows.map(presentServiceClient), next_cursor });
}

async function createClient(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  requireStaffScope(caller, { query: c.req.query("company_id") });
  await limitMutation(services, caller);
  const body = await readJson(c.req.raw);
  // Callbacks are set by the operator (Document 2 "Service key").
  if (body.callback_url !== undefined) throw invalid({ callback_url: ["not_allowed"] });
  const input = parse(serviceClientInputSchema, body);
  const key = await createServiceKey();
  const row = await insertServiceClient(services.db, {
    service: input.service,
    name: input.name,
    key_prefix: key.prefix,
    key_hash: key.hash,
    allowed_lanes: JSON.stringify(input.allowed_lanes),
    allowed_template_prefixes: JSON.stringify(input.allowed_template_prefixes),
    allowed_company_ids: input.allowed_company_ids === null ? null : JSON.stringify(input.allowed_company_ids),
    seal_id: uuid(),
    created_at: services.clock.now(),
  });
  if (row === null) throw new Problem("limit_reached");
  return c.json(presentServiceClientKey(row, key.key), 201);
}

async function revokeClient(c: EmailContext): Promise<Response> {
  const { services, client } = await openClient(c);
  const row = await revokeServiceClient(services.db, client.id);
  if (row === null) throw new Problem("not_found");
  return c.json(presentServiceClient(row));
}

async function rotateClient(c: EmailContext): Promise<Response> {
  const { services, client } = await openClient(c);
  const body = await readJson(c.req.raw, { optional: true });
  const { overlap_hours } = parse(rotateKeySchema, body);
  const key = await createServiceKey();
  const previousExpiresAt = overlap_hours === 0 ? null : services.clock.now() + overlap_hours * HOUR;
  const row = await rotateServiceClient(services.db, client.id, key, previousExpiresAt);
  // A revoked client has no key that could be replaced.
  if (row === null) throw new Problem("conflict");
  return c.json(presentServiceClientKey(row, key.key));
}

/** Steps 1 to 6 of email details 1.2 for a client named in the path. */
async function openClient(c: EmailContext): Promise<{ services: EmailServices; client: ServiceClientRow }> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  requireStaffScope(caller, { query: c.req.query("company_id") });
  const client = await findServiceClient(services.db, readRowId(c.req.param("id")));
  if (client === null) throw new Problem("not_found");
  await limitMutation(services, caller);
  return { services, client };
}
