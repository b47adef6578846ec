import * as z from "zod";
import {
  rotateKeySchema,
  serviceClientInputSchema,
  serviceClientKeySchema,
  serviceClientListSchema,
  serviceClientSchema,
} from "../../../../schemas/email/intake/service-clients";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { actorOf, changeEntry } from "../../../kit/audit/audit";
import type { AdminCaller } from "../../../kit/auth/caller";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentResourcePage, readPage, splitPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { anyRowByNumber } from "../../../kit/http/resource";
import { invalid } from "../../../kit/problem";
import { HOUR_MS } from "../../../kit/time";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { createServiceClient, createServiceKey } from "./service-client";
import { presentServiceClient, presentServiceClientKey } from "./service-client.present";
import {
  findServiceClient,
  listServiceClients,
  revokeServiceClient,
  rotateServiceClient,
} from "./service-client.store";

const PATH = "/api/v1/service-clients";
const PAGE_SIZE = 200;

const common = { role: "staff", tags: ["Service clients"] } as const;
const positionSchema = lazySchema(() => z.tuple([z.string(), z.int()]));

/** `/api/v1/service-clients`: the keys of sibling services, for staff. */
export function mountServiceClients({ call }: EmailService): void {
  call(
    {
      ...common,
      method: "get",
      path: PATH,
      summary: "List service clients by service and id, without their keys",
      query: lazySchema(() =>
        companyQuery.unwrap().extend({ limit: z.string().optional(), cursor: z.string().optional() }),
      ),
      input: ({ query }) => readPage(query, positionSchema, { defaultLimit: PAGE_SIZE }),
      reads: ({ input: { after, limit } }) => {
        const [service, id] = after ?? ["", 0];
        return { clients: listServiceClients({ service, id, limit: limit + 1 }) };
      },
      responses: { 200: jsonResponse(serviceClientListSchema, "One page of clients") },
    },
    ({ c, input, results }) => {
      const clientPage = splitPage(results.clients.rows, input.limit, (row) => [row.service, row.id]);
      return c.json(presentResourcePage("clients", clientPage, presentServiceClient));
    },
  );
  call(
    {
      ...common,
      method: "post",
      path: PATH,
      summary: "Create a client; only this response contains the key",
      query: companyQuery,
      body: {
        ...bodyOf(serviceClientInputSchema),
        read: (raw) => {
          // Only the operator may set callbacks.
          if (raw.callback_url !== undefined) throw invalid({ callback_url: ["not_allowed"] });
          return parse(serviceClientInputSchema, raw);
        },
      },
      responses: { 201: jsonResponse(serviceClientKeySchema, "The client and its key") },
      errorCodes: ["limit_reached"],
    },
    async ({ c, services, caller, body }) => {
      const created = await createServiceClient(services, body, actorOf(caller));
      if (created === null) throw new Problem("limit_reached");
      return c.json(presentServiceClientKey(created.row, created.key), 201);
    },
  );

  const rowRoute = { ...common, ...anyRowByNumber(findServiceClient) } as const;
  call(
    {
      ...rowRoute,
      method: "post",
      path: `${PATH}/{id}/revoke`,
      summary: "Revoke the keys of a client immediately",
      responses: { 200: jsonResponse(serviceClientSchema, "The revoked client") },
    },
    async ({ c, services, caller, row: { id } }) => {
      const entry = entryOf(services, caller, "revoked", id);
      const { first } = services.platformDb;
      // A repeated call changes nothing and writes no audit entry.
      const revoked =
        (await first(followedBy(revokeServiceClient({ id }), entry))) ?? (await first(findServiceClient({ id })));
      if (revoked === null) throw new Problem("not_found");
      return c.json(presentServiceClient(revoked));
    },
  );
  call(
    {
      ...rowRoute,
      method: "post",
      path: `${PATH}/{id}/rotate`,
      summary: "Rotate the key of a client; the old one stays valid for `overlap_hours`",
      body: bodyOf(rotateKeySchema, { optional: true }),
      responses: { 200: jsonResponse(serviceClientKeySchema, "The client and its new key") },
      errorCodes: ["conflict"],
    },
    async ({ c, services, caller, row: { id }, body: { overlap_hours } }) => {
      const { key, ...stored } = await createServiceKey();
      const previousExpiresAt = overlap_hours === 0 ? null : services.clock.now() + overlap_hours * HOUR_MS;
      const entry = entryOf(services, caller, "rotated", id, { overlap_hours });
      const rotated = await services.platformDb.first(
        followedBy(rotateServiceClient({ id, ...stored, previousExpiresAt }), entry),
      );
      // A revoked client has no key to rotate.
      if (rotated === null) throw new Problem("conflict");
      return c.json(presentServiceClientKey(rotated, key));
    },
  );
}

function entryOf(
  { clock }: EmailServices,
  caller: AdminCaller,
  verb: "revoked" | "rotated",
  id: number,
  changes: Record<string, unknown> = {},
): Bound {
  const audit = { action: `service_client.${verb}`, target: `service_client:${id}`, changes };
  return changeEntry({ ...audit, actor: actorOf(caller), companyId: null, now: clock.now() });
}
