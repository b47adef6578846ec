import {
  scimGroupInputSchema,
  scimGroupListQuery,
  scimGroupListSchema,
  scimGroupPatchSchema,
  scimGroupPath,
  scimGroupSchema,
} from "../../../../schemas/identity/scim/group";
import { projectionQuery } from "../../../../schemas/identity/scim/messages";
import type { Bound } from "../../../kit/db/statement";
import type { IdentityService } from "../../http";
import { Problem } from "../../problem";
import { createdBody, scimBody } from "../protocol/document";
import { baseUrl, mountEndpoint, mountMutation, type ScimCall, scimResponse } from "../protocol/endpoint";
import { parseFilter, requireFittingValues } from "../protocol/filter";
import { type Part, presentList, project, readPart } from "../protocol/list";
import { applyPlan } from "./group";
import { presentGroup, type ShownGroup } from "./group.present";
import {
  countGroups,
  filterable,
  findGroup,
  findGroupContent,
  type GroupContent,
  type GroupRow,
  selectGroups,
} from "./group.store";
import { type GroupRequest, planGroupRequest } from "./group-request";

const PATH = "/Groups";
const tags = ["Groups"];
const groupRoute = { tags, path: `${PATH}/{id}`, params: scimGroupPath };

/** Mounts the SCIM endpoints of groups: docs/specification/scim.md#groups */
export function mountScimGroups(service: IdentityService): void {
  mountEndpoint(
    service,
    {
      tags,
      method: "get",
      path: PATH,
      summary: "List groups by name, or those that match a filter",
      query: scimGroupListQuery,
      responses: { 200: scimBody(scimGroupListSchema, "A part of the groups") },
      errorCodes: ["validation_failed"],
    },
    async (call) => {
      const part = readPart(call.query);
      const { total, rows } = await listGroups(call, part);
      const groups = rows.map((row) => groupBody(call, row));
      return scimResponse(presentList(total, part, groups));
    },
  );
  const groupResponse = { 200: scimBody(scimGroupSchema, "The group") };
  mountEndpoint(
    service,
    {
      ...groupRoute,
      method: "get",
      summary: "Get a group with its members",
      query: projectionQuery,
      responses: groupResponse,
    },
    async (call) => {
      const { group } = await call.read((companyId) => ({ group: selectShownGroup(call, companyId) }));
      return scimResponse(
        groupBodyOrNotFound(call, group.first && { user_ids: null, group_ids: null, ...group.first }),
      );
    },
  );
  const change = { type: "Group" } as const;
  mountMutation(
    service,
    {
      ...change,
      tags,
      operation: "create",
      method: "post",
      path: PATH,
      summary: "Create a group",
      query: projectionQuery,
      body: scimGroupInputSchema,
      responses: { 201: createdBody(scimGroupSchema, "The group") },
      errorCodes: ["conflict", "limit_reached"],
    },
    async (call, body) => {
      const group = await store(call, { method: "POST", id: null, body });
      const location = `${baseUrl(call.services, call.company())}${PATH}/${group?.id}`;
      return scimResponse(groupBodyOrNotFound(call, group), 201, { location });
    },
  );
  mountMutation(
    service,
    {
      ...change,
      ...groupRoute,
      operation: "replace",
      method: "put",
      summary: "Replace the attributes of a group",
      query: projectionQuery,
      body: scimGroupInputSchema,
      responses: groupResponse,
      errorCodes: ["conflict"],
    },
    async (call, body) =>
      scimResponse(groupBodyOrNotFound(call, await store(call, { method: "PUT", id: call.id, body }))),
  );
  mountMutation(
    service,
    {
      ...change,
      ...groupRoute,
      operation: "update",
      method: "patch",
      summary: "Change attributes or members of a group",
      query: projectionQuery,
      body: scimGroupPatchSchema,
      responses: { ...groupResponse, 204: { description: "Changed; the request has no `attributes`" } },
      errorCodes: ["conflict"],
    },
    async (call, body) => {
      const group = await store(call, { method: "PATCH", id: call.id, body });
      // A group may have many members, so the response has no body unless the directory selects attributes.
      if (call.query.attributes === undefined) return new Response(null, { status: 204 });
      return scimResponse(groupBodyOrNotFound(call, group));
    },
  );
  mountMutation(
    service,
    {
      ...change,
      ...groupRoute,
      operation: "delete",
      method: "delete",
      summary: "Delete a group",
      responses: { 204: { description: "The group is deleted" } },
      errorCodes: ["conflict"],
    },
    async (call) => {
      await store(call, { method: "DELETE", id: call.id, body: {} });
      return new Response(null, { status: 204 });
    },
  );
}

/** Returns the statement that selects the group in the path, with its members if the response shows them. */
function selectShownGroup({ query, id }: ScimCall, companyId: number): Bound<GroupRow & Partial<GroupContent>> {
  const find = showsMembers(query) ? findGroupContent : findGroup;
  return find({ companyId, id: id?.toLowerCase() ?? "" });
}

async function store(call: ScimCall, request: GroupRequest) {
  const plan = await planGroupRequest(request, call.read);
  const target = { services: call.services, company: call.company() };
  return applyPlan(target, plan, () => planGroupRequest(request, call.read));
}

async function listGroups(call: ScimCall, { start, count }: Part) {
  const text = call.query.filter ?? "";
  const filter = text.trim() === "" ? null : parseFilter(text);
  if (filter !== null) requireFittingValues(filter, filterable);
  const hasMembers = showsMembers(call.query);
  const page = { offset: start - 1, limit: Math.max(1, count) };
  const { rows, stored } = await call.read((companyId) => ({
    rows: selectGroups(companyId, filter, page, hasMembers),
    stored: countGroups({ companyId }),
  }));
  const [first] = rows.rows;
  if (filter === null) return { total: stored.first?.total ?? 0, rows: count === 0 ? [] : rows.rows };
  if (first !== undefined || start === 1) return { total: first?.total ?? 0, rows: count === 0 ? [] : rows.rows };
  // Only a row has the total, so a page without rows needs the first one.
  const before = await call.read((companyId) => ({
    rows: selectGroups(companyId, filter, { offset: 0, limit: 1 }, false),
  }));
  return { total: before.rows.first?.total ?? 0, rows: [] };
}

/** Returns whether the response shows members, so that they are read only then. */
function showsMembers({ attributes = "", excludedAttributes = "" }: Record<string, string>): boolean {
  const names = (list: string) =>
    list
      .toLowerCase()
      .split(",")
      .map((name) => name.trim().replace(/^.*:/, ""));
  if (attributes.trim() !== "")
    return names(attributes).some((name) => name === "members" || name.startsWith("members."));
  return !names(excludedAttributes).includes("members");
}

const groupBody = (call: ScimCall, group: ShownGroup): object =>
  project(presentGroup(baseUrl(call.services, call.company()), group), call.query);

function groupBodyOrNotFound(call: ScimCall, group: ShownGroup | null): object {
  if (group === null) throw new Problem("not_found", { message: "There is no group with this id." });
  return groupBody(call, group);
}
