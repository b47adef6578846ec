import * as z from "zod";
import { auditListSchema } from "../../../../schemas/email/audit";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { readPage, splitPage } from "../../../kit/http/paging/page";
import { iso } from "../../../kit/time";
import type { EmailService } from "../../http";
import { listEntries, listEntriesOf } from "./audit-list.store";

const positionSchema = lazySchema(() => z.tuple([z.int().min(1)]));

/** `GET /api/v1/audit`: who changed what; docs/specification/email-audit.md. */
export function mountAudit({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: "/api/v1/audit",
      tags: ["Audit"],
      summary: "Administrative changes, newest first; staff without a company get those of all",
      role: "row",
      query: lazySchema(() =>
        z.object({ company_id: z.string().optional(), limit: z.string().optional(), cursor: z.string().optional() }),
      ),
      input: ({ query }) => readPage(query, positionSchema),
      reads: ({ companyId, input: { after, limit } }) => {
        const page = { beforeId: after?.[0] ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
        return { entries: companyId === null ? listEntries(page) : listEntriesOf({ ...page, companyId }) };
      },
      answers: { 200: jsonResponse(auditListSchema, "One page of entries") },
    },
    ({ c, input: { limit }, results }) => {
      const { rows, next_cursor } = splitPage(results.entries.rows, limit, ({ id }) => [id]);
      const entries = rows.map(({ id, at, actor_kind, actor_user_id, company_id, action, target, changes }) => ({
        ...{ id, at: iso(at), actor: { kind: actor_kind, user_id: actor_user_id } },
        ...{ company_id: company_id === 0 ? null : company_id, action, target },
        changes: JSON.parse(changes) as object,
      }));
      return c.json({ entries, next_cursor });
    },
  );
}
