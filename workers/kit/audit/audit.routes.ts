import * as z from "zod";
import { auditListSchema } from "../../../schemas/audit";
import type { ErrorTable } from "../../../schemas/errors";
import { lazySchema } from "../../../schemas/lazy-schema";
import { type AdminScopes, adminErrorCodes, authorizeAdmin } from "../auth/authorize";
import type { AdminCaller, CallerServices } from "../auth/caller";
import type { Databases } from "../db/db";
import { createCalls } from "../http/call";
import { jsonResponse } from "../http/openapi/responses";
import { presentResourcePage, readPage, splitPage } from "../http/paging/page";
import type { Service } from "../http/service";
import { presentEntry } from "./audit.present";
import { listEntries, listEntriesOf } from "./audit-list.store";

const positionSchema = lazySchema(() => z.tuple([z.int().min(1)]));

/** Mounts `GET /api/v1/audit`, the list of audit entries; see docs/specification/service-audit.md. */
export function mountAudit<
  S extends CallerServices & Databases,
  E extends { Bindings: object; Variables: { services: S } },
>(service: Service<E>, errors: ErrorTable): void {
  const call = createCalls<S, AdminScopes, AdminCaller, E>(service, {
    errors,
    authorize: authorizeAdmin,
    impliedErrorCodes: adminErrorCodes,
  });
  call(
    {
      method: "get",
      path: "/api/v1/audit",
      tags: ["Audit"],
      summary: "List administrative changes, newest first; staff without a company get those of all companies",
      role: "row",
      query: lazySchema(() =>
        z.object({ company_id: z.string().optional(), limit: z.string().optional(), cursor: z.string().optional() }),
      ),
      input: ({ query }) => readPage(query, positionSchema),
      reads: ({ companyId, input: { after, limit } }) => {
        const page = { beforeId: after?.[0] ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
        return { entries: companyId === null ? listEntries(page) : listEntriesOf({ ...page, companyId }) };
      },
      responses: { 200: jsonResponse(auditListSchema, "One page of entries") },
    },
    ({ c, input: { limit }, results }) => {
      const page = splitPage(results.entries.rows, limit, ({ id }) => [id]);
      return c.json(presentResourcePage("entries", page, presentEntry));
    },
  );
}
