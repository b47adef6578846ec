import * as z from "zod";
import { addressPattern } from "../../../../schemas/address";
import { unsubscribeListSchema } from "../../../../schemas/email/unsubscribes";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { rowIdPath } from "../../../../schemas/query";
import { actorOf, changeEntry } from "../../../kit/audit/audit";
import { inScope } from "../../../kit/auth/role";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentNamedPage, readPage, splitPage } from "../../../kit/http/paging/page";
import { rowIdOf } from "../../../kit/http/request/path-id";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { readAddressFilter } from "../../records/seal/address";
import { presentUnsubscribe } from "./unsubscribe.present";
import { deleteUnsubscribe, findUnsubscribe, listUnsubscribes, listUnsubscribesOf } from "./unsubscribe.store";

const PATH = "/api/v1/unsubscribes";
const tags = ["Unsubscribe"];
const companyQuery = lazySchema(() => z.object({ company_id: z.string().optional() }));
const listQuery = lazySchema(() =>
  companyQuery.unwrap().extend({
    email: z.string().optional().meta({ pattern: addressPattern }),
    limit: z.string().optional(),
    cursor: z.string().optional(),
  }),
);
const positionSchema = lazySchema(() => z.tuple([z.int().min(1)]));

/** `/api/v1/unsubscribes`: who left which mail of a company, for staff and owners. */
export function mountUnsubscribes({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "Unsubscribes of a company, newest first",
      role: "owner",
      query: listQuery,
      input: async ({ query, services }) => ({
        ...readPage(query, positionSchema),
        hashes: await readAddressFilter(services, query.email),
      }),
      answers: { 200: jsonResponse(unsubscribeListSchema, "One page of unsubscribes") },
    },
    async ({ c, services: { dbOf }, scope: companyId, input: { after, limit, hashes } }) => {
      const page = { companyId, beforeId: after?.[0] ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
      const list = hashes === null ? listUnsubscribes(page) : listUnsubscribesOf({ ...page, hashes });
      const found = await dbOf(companyId).all(list);
      const shown = splitPage(found, limit, (row) => [row.id]);
      return c.json(presentNamedPage("unsubscribes", shown, presentUnsubscribe));
    },
  );
  call(
    {
      method: "delete",
      path: `${PATH}/{id}`,
      tags,
      summary: "Undo an unsubscribe; the address gets that mail again",
      role: "row",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => rowIdOf(params.id),
      reads: ({ input: id }) => ({ found: id === null ? null : findUnsubscribe({ id }) }),
      row: ({ scope, results }) => inScope(results.found?.first, scope),
      answers: { 204: { description: "Undone" } },
    },
    async ({ c, services: { dbOf, clock }, caller, row }) => {
      const { id, company_id: companyId, category, source } = row;
      const undone = { action: "unsubscribe.deleted", target: `unsubscribe:${id}`, changes: { category, source } };
      const entry = changeEntry({ ...undone, actor: actorOf(caller), companyId, now: clock.now() });
      if (!(await deleteUnsubscribe(dbOf(companyId), row, entry))) throw new Problem("not_found");
      return c.body(null, 204);
    },
  );
}
