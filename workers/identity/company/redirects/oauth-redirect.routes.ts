import * as z from "zod";
import {
  oauthRedirectBody,
  oauthRedirectChange,
  oauthRedirectPage,
  oauthRedirectSchema,
} from "../../../../schemas/identity/company/oauth-redirect";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { numberedList, rowByUuid } from "../../../kit/http/resource";
import type { IdentityService } from "../../http";
import { addRedirect, editRedirect, removeRedirect } from "./oauth-redirect";
import { presentOauthRedirect } from "./oauth-redirect.present";
import { countRedirects, findRedirect, listRedirects } from "./oauth-redirect.store";

const PATH = "/api/v1/oauth-redirects";
const position = lazySchema(() => z.tuple([z.int(), z.string()]));
const common = { tags: ["OAuth redirects"], role: "owner" } as const;

/** Mounts the endpoints of a company's redirect allowlist, for staff and owners: docs/specification/redirects.md#allowlist */
export function mountOauthRedirects({ call }: IdentityService): void {
  const response = jsonResponse(oauthRedirectSchema, "The row");
  const redirectOperation = { ...common, ...rowByUuid(findRedirect), path: `${PATH}/{id}` };
  const list = numberedList({
    position,
    rows: (companyId, { after: cursor, limit, offset }) => {
      const [time, after] = cursor ?? [0, ""];
      return listRedirects({ companyId, time, after, limit, offset });
    },
    count: countRedirects,
    sortValues: (row) => [row.created_at, row.id],
    present: presentOauthRedirect,
  });
  call(
    {
      ...common,
      ...list.declared,
      method: "get",
      path: PATH,
      summary: "List the redirect allowlist, oldest first",
      responses: { 200: jsonResponse(oauthRedirectPage, "A page") },
    },
    list.handler,
  );
  call(
    {
      ...common,
      method: "post",
      path: PATH,
      summary: "Add an origin to the redirect allowlist",
      query: companyQuery,
      body: bodyOf(oauthRedirectBody),
      responses: { 201: response },
      errorCodes: ["conflict", "limit_reached"],
    },
    async ({ c, services, request, caller, scope: company, body }) => {
      const row = await addRedirect({ services, request, caller, companyId: company.id }, body);
      return c.json(presentOauthRedirect(row), 201);
    },
  );
  call(
    {
      ...redirectOperation,
      method: "get",
      summary: "Get an entry of the redirect allowlist",
      responses: { 200: response },
    },
    ({ c, row }) => c.json(presentOauthRedirect(row)),
  );
  call(
    {
      ...redirectOperation,
      method: "patch",
      summary: "Change an entry of the redirect allowlist",
      body: bodyOf(oauthRedirectChange),
      responses: { 200: response },
      errorCodes: ["conflict"],
    },
    async ({ c, services, request, caller, scope: company, row, body }) =>
      c.json(presentOauthRedirect(await editRedirect({ services, request, caller, companyId: company.id }, row, body))),
  );
  call(
    {
      ...redirectOperation,
      method: "delete",
      summary: "Remove an origin from the redirect allowlist",
      responses: { 204: { description: "Deleted" } },
    },
    async ({ c, services, request, caller, scope: company, row }) => {
      await removeRedirect({ services, request, caller, companyId: company.id }, row);
      return c.body(null, 204);
    },
  );
}
