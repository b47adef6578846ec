import * as z from "zod";
import { addressPattern, maskAddress } from "../../../../schemas/address";
import {
  suppressionCreatedSchema,
  suppressionInputSchema,
  suppressionListSchema,
} from "../../../../schemas/email/suppressions";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { rowIdPath } from "../../../../schemas/query";
import { actorOf, changeEntry } from "../../../kit/audit/audit";
import { inScope } from "../../../kit/auth/role";
import { DatabaseError } from "../../../kit/db/db";
import { followedBy } from "../../../kit/db/statement";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentNamedPage, readPage, splitPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { rowIdOf } from "../../../kit/http/request/path-id";
import { invalid } from "../../../kit/problem";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { hashAddress, readAddress, readAddressFilter } from "../../records/seal/address";
import { presentCreatedSuppression, presentSuppression } from "./suppression.present";
import {
  deleteSuppression,
  findSuppressionRow,
  listSuppressions,
  listSuppressionsOf,
  putSuppression,
} from "./suppression.store";

const PATH = "/api/v1/suppressions";
const tags = ["Suppressions"];
const companyQuery = lazySchema(() => z.object({ company_id: z.string().optional() }));
const listQuery = lazySchema(() =>
  companyQuery.unwrap().extend({
    email: z.string().optional().meta({ pattern: addressPattern }),
    limit: z.string().optional(),
    cursor: z.string().optional(),
  }),
);
const positionSchema = lazySchema(() => z.tuple([z.int().min(1)]));

/** `/api/v1/suppressions`: addresses that get no mail of a company. */
export function mountSuppressions({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "Suppressions of a company, newest first",
      role: "owner",
      query: listQuery,
      input: async ({ query, services }) => ({
        ...readPage(query, positionSchema),
        hashes: await readAddressFilter(services, query.email),
      }),
      answers: { 200: jsonResponse(suppressionListSchema, "One page of suppressions") },
    },
    async ({ c, services: { dbOf }, scope: companyId, input: { after, limit, hashes } }) => {
      const page = { companyId, beforeId: after?.[0] ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
      const list = hashes === null ? listSuppressions(page) : listSuppressionsOf({ ...page, hashes });
      const found = await dbOf(companyId).all(list);
      const shown = splitPage(found, limit, (row) => [row.id]);
      return c.json(presentNamedPage("suppressions", shown, presentSuppression));
    },
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary: "Suppress an address; a repeat with the same reason changes the row",
      role: "owner",
      query: companyQuery,
      body: {
        schema: suppressionInputSchema,
        read: (raw) => {
          const input = parse(suppressionInputSchema, raw);
          const address = readAddress(input.email);
          if (address === null) throw invalid({ email: ["invalid_format"] });
          return { ...input, address };
        },
      },
      answers: { 201: jsonResponse(suppressionCreatedSchema, "The suppression") },
    },
    async ({ c, services, caller, scope, body: { address, reason, lanes, expires_at } }) => {
      const { dbOf, settings, clock } = services;
      const row = await putSuppression(
        dbOf(scope),
        {
          ...{ company_id: scope, reason, lanes, expires_at, created_at: clock.now() },
          email_hmac: await hashAddress(settings.rawKeys.pepper, address),
          email_masked: maskAddress(address),
        },
        actorOf(caller),
      );
      if (row === null) throw new DatabaseError("an upsert answered no row");
      return c.json(presentCreatedSuppression(row), 201);
    },
  );
  call(
    {
      method: "delete",
      path: `${PATH}/{id}`,
      tags,
      summary: "Delete a suppression",
      role: "row",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => rowIdOf(params.id),
      reads: ({ input: id }) => ({ found: id === null ? null : findSuppressionRow({ id }) }),
      row: ({ scope, results }) => inScope(results.found?.first, scope),
      answers: { 204: { description: "Deleted" } },
    },
    async ({ c, services: { dbOf, clock }, caller, row: { id, company_id: companyId, reason } }) => {
      const deleted = { action: "suppression.deleted", target: `suppression:${id}`, changes: { reason } };
      const entry = changeEntry({ ...deleted, actor: actorOf(caller), companyId, now: clock.now() });
      const { changes } = await dbOf(companyId).run(followedBy(deleteSuppression({ id, companyId }), entry));
      if (changes === 0) throw new Problem("not_found");
      return c.body(null, 204);
    },
  );
}
