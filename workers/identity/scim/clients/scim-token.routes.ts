import * as z from "zod";
import {
  newScimTokenSchema,
  scimTokenBody,
  scimTokenPageSchema,
  scimTokenSchema,
} from "../../../../schemas/identity/people/scim";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { numberedList, rowByUuid } from "../../../kit/http/resource";
import type { IdentityService } from "../../http";
import { createToken, endToken } from "./scim-token";
import { presentToken } from "./scim-token.present";
import { countTokens, findToken, listTokens } from "./scim-token.store";

const PATH = "/api/v1/scim/tokens";
const common = { tags: ["SCIM"], role: "owner" } as const;
const position = lazySchema(() => z.tuple([z.string().max(36)]));
/** sorts after every id, so that the first page starts with the newest token */
const END = "~";

/** Mounts the endpoints of a company's SCIM tokens, for staff and owners: docs/specification/scim.md#tokens */
export function mountScimTokens({ call }: IdentityService): void {
  const list = numberedList({
    position,
    rows: (companyId, { after, limit, offset }) => listTokens({ companyId, before: after?.[0] ?? END, limit, offset }),
    count: countTokens,
    sortValues: (row) => [row.id],
    present: presentToken,
  });
  call(
    {
      ...common,
      ...list.declared,
      method: "get",
      path: PATH,
      summary: "List the SCIM tokens of a company, newest first",
      responses: { 200: jsonResponse(scimTokenPageSchema, "A page") },
    },
    list.handler,
  );
  call(
    {
      ...common,
      method: "post",
      path: PATH,
      summary: "Create a SCIM token",
      query: companyQuery,
      body: bodyOf(scimTokenBody, { optional: true }),
      responses: { 201: jsonResponse(newScimTokenSchema, "The token") },
      errorCodes: ["limit_reached"],
    },
    async ({ c, services, caller, scope: company, body }) => {
      const { row, token } = await createToken({ services, request: c.req.raw, caller, companyId: company.id }, body);
      return c.json({ ...presentToken(row), token }, 201);
    },
  );
  call(
    {
      ...common,
      ...rowByUuid(findToken),
      method: "post",
      path: `${PATH}/{id}/revoke`,
      summary: "Revoke a SCIM token, at once",
      responses: { 200: jsonResponse(scimTokenSchema, "The revoked token") },
    },
    async ({ c, services, caller, scope: company, row }) =>
      c.json(presentToken(await endToken({ services, request: c.req.raw, caller, companyId: company.id }, row))),
  );
}
