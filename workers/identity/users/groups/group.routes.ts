import * as z from "zod";
import {
  groupBody,
  groupChangeBody,
  groupDetailSchema,
  groupPageSchema,
} from "../../../../schemas/identity/people/groups";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { numberedList, rowByUuid } from "../../../kit/http/resource";
import type { IdentityService } from "../../http";
import {
  contentOf,
  createGroup,
  currentOf,
  editGroup,
  removeGroup,
  selectCurrentGroup,
  selectGroupContent,
} from "./group";
import { presentGroup, presentGroupDetail } from "./group.present";
import { countGroups, findGroup, listGroups } from "./group.store";

const PATH = "/api/v1/groups";
const position = lazySchema(() => z.tuple([z.string()]));
const common = { tags: ["Groups"], role: "owner" } as const;

/** Mounts the endpoints of a company's groups, for staff and owners: docs/specification/groups.md */
export function mountGroups({ call }: IdentityService): void {
  const detail = jsonResponse(groupDetailSchema, "The group with its direct members");
  const one = { ...common, ...rowByUuid(findGroup), path: `${PATH}/{id}` };
  const current = {
    reads: ({ companyId, input: id }: { companyId: number; input: string }) => selectCurrentGroup(companyId, id),
    row: ({ results }: { results: Parameters<typeof currentOf>[0] }) => currentOf(results),
  };
  const list = numberedList({
    position,
    rows: (companyId, { after: cursor, limit, offset }) =>
      listGroups({ companyId, after: cursor?.[0] ?? "", limit, offset }),
    count: countGroups,
    sortValues: (row) => [row.name_key],
    present: presentGroup,
  });
  call(
    {
      ...common,
      ...list.declared,
      method: "get",
      path: PATH,
      summary: "List the groups of a company by name",
      responses: { 200: jsonResponse(groupPageSchema, "A page") },
    },
    list.handler,
  );
  call(
    {
      ...common,
      method: "post",
      path: PATH,
      summary: "Create a group",
      query: companyQuery,
      body: bodyOf(groupBody),
      responses: { 201: detail },
      errorCodes: ["conflict", "limit_reached"],
    },
    async ({ c, services, caller, scope: company, body }) =>
      c.json(presentGroupDetail(await createGroup({ services, caller, companyId: company.id }, body)), 201),
  );
  call(
    {
      ...one,
      method: "get",
      summary: "Get a group with its direct members",
      reads: ({ companyId, input: id }) => selectGroupContent(companyId, id),
      row: ({ results }) => contentOf(results),
      responses: { 200: detail },
    },
    ({ c, row }) => c.json(presentGroupDetail(row)),
  );
  for (const method of ["put", "patch"] as const) {
    call(
      {
        ...one,
        method,
        summary: "Change name or members of a group",
        ...current,
        body: bodyOf(groupChangeBody),
        responses: { 200: detail },
        errorCodes: ["conflict", "group_read_only"],
      },
      async ({ c, services, caller, scope: company, row, body }) =>
        c.json(presentGroupDetail(await editGroup({ services, caller, companyId: company.id }, row, body))),
    );
  }
  call(
    {
      ...one,
      method: "delete",
      summary: "Delete a group; its users stay members of the company",
      ...current,
      responses: { 204: { description: "Deleted" } },
      errorCodes: ["conflict", "group_read_only"],
    },
    async ({ c, services, caller, scope: company, row }) => {
      await removeGroup({ services, caller, companyId: company.id }, row);
      return c.body(null, 204);
    },
  );
}
