import * as z from "zod";
import {
  changedOauthClientSchema,
  oauthCatalogSchema,
  oauthClientBody,
  oauthClientChange,
  oauthClientPage,
  oauthClientSchema,
} from "../../../../schemas/identity/company/oauth-client";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { numberedList, rowByUuid } from "../../../kit/http/resource";
import type { IdentityService } from "../../http";
import { selectActiveClients } from "./oauth-client";
import { presentCatalog, presentOauthClient } from "./oauth-client.present";
import { countClients, findClient, listClients } from "./oauth-client.store";
import { addClient, editClient, removeClient } from "./oauth-client-admin";
import { signInWarnings } from "./sign-in-methods";

const PATH = "/api/v1/oauth-clients";
const position = lazySchema(() => z.tuple([z.string()]));
const common = { tags: ["OAuth clients"], role: "owner" } as const;

/** Mounts the endpoints of a company's OAuth clients, for staff and owners: docs/specification/oauth-clients.md */
export function mountOauthClients({ call }: IdentityService): void {
  const response = jsonResponse(oauthClientSchema, "The client, without its secret");
  const clientOperation = { ...common, ...rowByUuid(findClient), path: `${PATH}/{id}` };
  const list = numberedList({
    position,
    rows: (companyId, { after, limit, offset }) => listClients({ companyId, after: after?.[0] ?? "", limit, offset }),
    count: countClients,
    sortValues: (row) => [row.provider_id],
    present: presentOauthClient,
  });
  call(
    {
      ...common,
      ...list.declared,
      method: "get",
      path: PATH,
      summary: "List the OAuth clients of a company, by provider id",
      responses: { 200: jsonResponse(oauthClientPage, "A page") },
    },
    list.handler,
  );
  call(
    {
      ...common,
      method: "post",
      path: PATH,
      summary: "Add an OAuth client; the issuer of a generic client is discovered",
      query: companyQuery,
      body: bodyOf(oauthClientBody),
      responses: { 201: response },
      errorCodes: ["oauth_client_duplicate_provider", "limit_reached"],
    },
    async ({ c, services, request, caller, scope: company, body }) => {
      const row = await addClient({ services, request, caller, companyId: company.id }, body);
      return c.json(presentOauthClient(row), 201);
    },
  );
  call(
    {
      ...clientOperation,
      method: "get",
      summary: "Get an OAuth client",
      responses: { 200: response },
    },
    ({ c, row }) => c.json(presentOauthClient(row)),
  );
  for (const method of ["put", "patch"] as const) {
    call(
      {
        ...clientOperation,
        method,
        summary: "Change an OAuth client; omitted fields keep their values",
        reads: ({ companyId, input: id }) => ({
          client: findClient({ companyId, id }),
          active: selectActiveClients(companyId),
        }),
        row: ({ results }) => results.client.first,
        body: bodyOf(oauthClientChange),
        responses: { 200: jsonResponse(changedOauthClientSchema, "The client after the change, without its secret") },
      },
      async ({ c, services, request, caller, scope: company, row, results, body }) => {
        const after = await editClient({ services, request, caller, companyId: company.id }, row, body);
        const clients = [...results.active.rows.filter(({ id }) => id !== after.id), after];
        return c.json({ ...presentOauthClient(after), warnings: signInWarnings(services, { company, clients }) });
      },
    );
  }
  call(
    {
      ...clientOperation,
      method: "delete",
      summary: "Delete an OAuth client and its secret",
      responses: { 204: { description: "Deleted" } },
    },
    async ({ c, services, request, caller, scope: company, row }) => {
      await removeClient({ services, request, caller, companyId: company.id }, row);
      return c.body(null, 204);
    },
  );
  call(
    {
      ...common,
      method: "get",
      path: "/api/v1/oauth-provider-catalog",
      summary: "List the provider types, their fields, and the callback URL to register",
      query: companyQuery,
      responses: { 200: jsonResponse(oauthCatalogSchema, "The catalog") },
    },
    ({ c, services }) => c.json(presentCatalog(services)),
  );
}
