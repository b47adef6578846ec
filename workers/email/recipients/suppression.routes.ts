import * as z from "zod";
import { maskAddress } from "../../../schemas/address";
import { emailErrors } from "../../../schemas/email/errors";
import {
  suppressionCreatedSchema,
  suppressionInputSchema,
  suppressionListSchema,
} from "../../../schemas/email/suppressions";
import { limitMutation, requireAdmin } from "../../kit/auth/caller";
import { requireOwner, requireRowScope } from "../../kit/auth/role";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { readPage, splitPage } from "../../kit/http/paging/cursor-page";
import { readLateBody } from "../../kit/http/request/body";
import { parse } from "../../kit/http/request/parse";
import { readRowId } from "../../kit/http/request/path-id";
import { invalid, Problem } from "../../kit/problem";
import type { EmailContext, EmailService } from "../http";
import { hashAddress, readAddress } from "./address";
import { readAddressFilter } from "./address-filter";
import { presentCreatedSuppression, presentSuppression } from "./suppression.present";
import { deleteSuppression, findSuppressionCompany, listSuppressions, putSuppression } from "./suppression.store";

const security = [{ bearerAuth: [] }];
const tags = ["Suppressions"];
const readErrors = ["validation_failed", "unauthorized", "company_mismatch", "forbidden", "service_unavailable"];
const writeErrors = [...readErrors, "pat_read_only", "rate_limited"];
const companyQuery = z.object({ company_id: z.string().optional() });
const positionSchema = z.tuple([z.int().min(1)]);

/** `/api/v1/suppressions`: addresses that get no mail of a company (Document 2, email details 8.1). */
export function mountSuppressions(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/suppressions",
      tags,
      security,
      summary: "Suppressions of a company, newest first",
      request: {
        query: companyQuery.extend({
          email: z.string().optional(),
          limit: z.string().optional(),
          cursor: z.string().optional(),
        }),
      },
      responses: {
        200: jsonResponse(suppressionListSchema, "One page of suppressions"),
        ...problemResponses(emailErrors, readErrors),
      },
    },
    list,
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/suppressions",
      tags,
      security,
      summary: "Suppress an address; a repeat with the same reason changes the row",
      request: { query: companyQuery, body: jsonBody(suppressionInputSchema) },
      responses: {
        201: jsonResponse(suppressionCreatedSchema, "The suppression"),
        ...problemResponses(emailErrors, [...writeErrors, "payload_too_large", "unsupported_media_type"]),
      },
    },
    create,
  );
  service.route(
    {
      method: "delete",
      path: "/api/v1/suppressions/{id}",
      tags,
      security,
      summary: "Delete a suppression",
      request: { query: companyQuery, params: z.object({ id: z.string() }) },
      responses: {
        204: { description: "Deleted" },
        ...problemResponses(emailErrors, [...writeErrors, "not_found"]),
      },
    },
    remove,
  );
}

async function list(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const companyId = requireOwner(caller, { query: c.req.query("company_id") });
  const { limit, after } = readPage(c.req.query(), positionSchema);
  const found = await listSuppressions(services.db, companyId, {
    beforeId: after?.[0] ?? Number.MAX_SAFE_INTEGER,
    limit,
    hashes: await readAddressFilter(services, c.req.query("email")),
  });
  const { rows, next_cursor } = splitPage(found, limit, (row) => [row.id]);
  return c.json({ suppressions: rows.map(presentSuppression), next_cursor });
}

async function create(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const body = await readLateBody(c.req.raw);
  const companyId = requireOwner(caller, { query: c.req.query("company_id"), body: body.companyId });
  await limitMutation(services, caller);
  const input = parse(suppressionInputSchema, body.take());
  const address = readAddress(input.email);
  if (address === null) throw invalid({ email: ["invalid_format"] });
  const row = await putSuppression(services.db, {
    company_id: companyId,
    email_hmac: await hashAddress(services.settings.rawKeys.pepper, address),
    email_masked: maskAddress(address),
    reason: input.reason,
    lanes: JSON.stringify(input.lanes),
    expires_at: input.expires_at,
    created_at: services.clock.now(),
  });
  return c.json(presentCreatedSuppression(row), 201);
}

async function remove(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const scope = requireRowScope(caller, c.req.query("company_id"));
  const id = readRowId(c.req.param("id"));
  const companyId = await findSuppressionCompany(services.db, id);
  if (companyId === null || (scope !== null && scope !== companyId)) throw new Problem("not_found");
  await limitMutation(services, caller);
  if (!(await deleteSuppression(services.db, companyId, id))) throw new Problem("not_found");
  return c.body(null, 204);
}
