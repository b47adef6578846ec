import * as z from "zod";
import { catalogSchema } from "../../../../schemas/email/content/catalog-wire";
import { emailErrors } from "../../../../schemas/email/errors";
import { readBearer, requireAdmin } from "../../../kit/auth/caller";
import { etagOf, isUnchanged, revalidated } from "../../../kit/http/etag";
import { jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { companyScope } from "../../../kit/http/request/company-scope";
import type { EmailContext, EmailService } from "../../http";
import { Problem } from "../../problem";
import { requireServiceKey } from "../../records/clients/caller";
import { isServiceKey } from "../../records/clients/service-client";
import { ownEvent, selectAllOwnTypes } from "../event-types/own-event";
import { presentCatalog } from "./catalog";

/** `GET /api/v1/catalog`: list the event types, for service keys, staff and owners. */
export function mountCatalog(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/catalog",
      tags: ["Catalog"],
      security: [{ bearerAuth: [] }],
      summary: "List the events that can send mail: those of the platform, and those that the company defined",
      describe: () => ({
        request: { query: z.object({ company_id: z.string().optional() }) },
        responses: {
          200: jsonResponse(catalogSchema, "The catalog, with a strong ETag"),
          304: { description: "Unchanged since the ETag of If-None-Match" },
          ...problemResponses(emailErrors, [
            "validation_failed",
            "unauthorized",
            "forbidden",
            "company_mismatch",
            "rate_limited",
            "service_unavailable",
          ]),
        },
      }),
    },
    show,
  );
}

async function show(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const companyId = await requireReader(c);
  const ownTypes = companyId === null ? [] : await services.dbOf(companyId).all(selectAllOwnTypes(companyId));
  const body = JSON.stringify(presentCatalog(services.settings.authLinkHosts, ownTypes.map(ownEvent)));
  const etag = await etagOf(body);
  const headers = revalidated(etag);
  if (isUnchanged(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
  return c.body(body, 200, { ...headers, "content-type": "application/json; charset=UTF-8" });
}

/**
 * Checks the caller. Returns the company whose events the catalog contains: the only company of a service key, the company in the
 * query of staff, or the company of the token. Null: none.
 */
async function requireReader(c: EmailContext): Promise<number | null> {
  const services = c.get("services");
  if (isServiceKey(readBearer(c.req.raw))) {
    const { companyIds } = await requireServiceKey(c.req.raw, services);
    return companyIds?.length === 1 ? (companyIds[0] ?? null) : null;
  }
  const { isStaff, isOwner, companyId } = await requireAdmin(c.req.raw, services);
  const query = c.req.query("company_id");
  const requested = query === undefined ? companyId : companyScope({ query, token: companyId, isStaff });
  if (!isStaff && !isOwner) throw new Problem("forbidden");
  return requested;
}
