import * as z from "zod";
import { emailErrors } from "../../../schemas/email/errors";
import { unsubscribeListSchema } from "../../../schemas/email/unsubscribes";
import { limitMutation, requireAdmin } from "../../kit/auth/caller";
import { requireOwner, requireRowScope } from "../../kit/auth/role";
import { jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { readPage, splitPage } from "../../kit/http/paging/cursor-page";
import { readRowId } from "../../kit/http/request/path-id";
import { Problem } from "../../kit/problem";
import type { EmailContext, EmailService } from "../http";
import { readAddressFilter } from "../recipients/address-filter";
import { presentUnsubscribe } from "./unsubscribe.present";
import { deleteUnsubscribe, findUnsubscribe, listUnsubscribes } from "./unsubscribe.store";

const security = [{ bearerAuth: [] }];
const tags = ["Unsubscribe"];
const readErrors = ["validation_failed", "unauthorized", "company_mismatch", "forbidden", "service_unavailable"];
const companyQuery = z.object({ company_id: z.string().optional() });
const positionSchema = z.tuple([z.int().min(1)]);

/** `/api/v1/unsubscribes`: who left which mail of a company, for staff and owners (email details 8.2). */
export function mountUnsubscribes(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/unsubscribes",
      tags,
      security,
      summary: "Unsubscribes of a company, newest first",
      request: {
        query: companyQuery.extend({
          email: z.string().optional(),
          limit: z.string().optional(),
          cursor: z.string().optional(),
        }),
      },
      responses: {
        200: jsonResponse(unsubscribeListSchema, "One page of unsubscribes"),
        ...problemResponses(emailErrors, readErrors),
      },
    },
    list,
  );
  service.route(
    {
      method: "delete",
      path: "/api/v1/unsubscribes/{id}",
      tags,
      security,
      summary: "Undo an unsubscribe; the address gets that mail again",
      request: { query: companyQuery, params: z.object({ id: z.string() }) },
      responses: {
        204: { description: "Undone" },
        ...problemResponses(emailErrors, [...readErrors, "pat_read_only", "rate_limited", "not_found"]),
      },
    },
    undo,
  );
}

async function list(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const companyId = requireOwner(caller, { query: c.req.query("company_id") });
  const { limit, after } = readPage(c.req.query(), positionSchema);
  const found = await listUnsubscribes(services.db, companyId, {
    beforeId: after?.[0] ?? Number.MAX_SAFE_INTEGER,
    limit,
    hashes: await readAddressFilter(services, c.req.query("email")),
  });
  const { rows, next_cursor } = splitPage(found, limit, (row) => [row.id]);
  return c.json({ unsubscribes: rows.map(presentUnsubscribe), next_cursor });
}

async function undo(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const scope = requireRowScope(caller, c.req.query("company_id"));
  const row = await findUnsubscribe(services.db, readRowId(c.req.param("id")));
  if (row === null || (scope !== null && scope !== row.company_id)) throw new Problem("not_found");
  await limitMutation(services, caller);
  const { kind, userId } = caller;
  if (!(await deleteUnsubscribe(services.db, row, { kind, userId }, services.clock.now()))) {
    throw new Problem("not_found");
  }
  return c.body(null, 204);
}
