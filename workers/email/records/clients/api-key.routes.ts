import * as z from "zod";
import { apiKeyInputSchema, apiKeyListSchema, newApiKeySchema } from "../../../../schemas/email/intake/api-keys";
import { rotateKeySchema } from "../../../../schemas/email/intake/service-clients";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { actorOf, changeEntry, runAudited } from "../../../kit/audit/audit";
import { followedBy } from "../../../kit/db/statement";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentResourcePage, readPage, splitPage } from "../../../kit/http/paging/page";
import { rowByNumber } from "../../../kit/http/resource";
import { HOUR_MS } from "../../../kit/time";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { createApiKey } from "./api-key";
import { presentApiKey } from "./api-key.present";
import { deleteApiKey, findApiKey, listApiKeys } from "./api-key.store";
import { createServiceKey } from "./service-client";
import { rotateServiceClient } from "./service-client.store";

const PATH = "/api/v1/api-keys";
const tags = ["API keys"];
const positionSchema = lazySchema(() => z.tuple([z.int()]));

/** `/api/v1/api-keys`: the keys with which the applications of a company send mail. */
export function mountApiKeys({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "List the API keys of a company by id, without their plain text",
      role: "owner",
      query: lazySchema(() =>
        companyQuery.unwrap().extend({ limit: z.string().optional(), cursor: z.string().optional() }),
      ),
      input: ({ query }) => readPage(query, positionSchema),
      reads: ({ companyId, input: { after, limit } }) => ({
        keys: listApiKeys({ companyId, id: after?.[0] ?? 0, limit: limit + 1 }),
      }),
      responses: { 200: jsonResponse(apiKeyListSchema, "One page of API keys") },
    },
    ({ c, services: { clock }, input, results }) => {
      const page = splitPage(results.keys.rows, input.limit, (row) => [row.id]);
      return c.json(presentResourcePage("api_keys", page, (row) => presentApiKey(row, clock.now())));
    },
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary: "Create an API key; only this response contains its plain text",
      role: "owner",
      query: companyQuery,
      body: bodyOf(apiKeyInputSchema),
      responses: { 201: jsonResponse(newApiKeySchema, "The API key and its plain text") },
      errorCodes: ["nothing_to_send", "limit_reached"],
    },
    async ({ c, services, caller, scope, body }) => {
      const created = await createApiKey(services, scope, body, actorOf(caller));
      if (created === null) throw new Problem("limit_reached");
      return c.json({ ...presentApiKey(created.row, services.clock.now()), key: created.key }, 201);
    },
  );

  const rowRoute = { tags, role: "row", ...rowByNumber(findApiKey) } as const;
  call(
    {
      ...rowRoute,
      method: "post",
      path: `${PATH}/{id}/rotate`,
      summary: "Rotate an API key; the old one stays valid for `overlap_hours`",
      body: bodyOf(rotateKeySchema, { optional: true }),
      responses: { 200: jsonResponse(newApiKeySchema, "The API key and its new plain text") },
    },
    async ({ c, services, caller, row, body: { overlap_hours } }) => {
      const { id, company_id: companyId } = row;
      const { key, ...stored } = await createServiceKey();
      const now = services.clock.now();
      const previousExpiresAt = overlap_hours === 0 ? null : now + overlap_hours * HOUR_MS;
      const audit = { action: "api_key.rotated", target: `api_key:${id}`, changes: { overlap_hours } };
      const entry = changeEntry({ ...audit, actor: actorOf(caller), companyId, now });
      const rotate = rotateServiceClient({ id, ...stored, previousExpiresAt });
      const rotated = await services.platformDb.first(followedBy(rotate, entry));
      if (rotated === null) throw new Problem("not_found");
      return c.json({ ...presentApiKey({ ...rotated, company_id: companyId }, now), key });
    },
  );
  call(
    {
      ...rowRoute,
      method: "delete",
      path: `${PATH}/{id}`,
      summary: "Revoke an API key immediately",
      responses: { 204: { description: "Revoked" } },
    },
    async ({ c, services, caller, row: { id, company_id: companyId } }) => {
      const entry = { companyId, action: "api_key.revoked", target: `api_key:${id}` };
      const isDeleted = await runAudited(services, caller, deleteApiKey({ id, companyId }), entry);
      if (!isDeleted) throw new Problem("not_found");
      return c.body(null, 204);
    },
  );
}
