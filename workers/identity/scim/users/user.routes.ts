import { projectionQuery } from "../../../../schemas/identity/scim/messages";
import {
  scimUserInputSchema,
  scimUserListQuery,
  scimUserListSchema,
  scimUserPatchSchema,
  scimUserPath,
  scimUserReplacementSchema,
  scimUserSchema,
} from "../../../../schemas/identity/scim/user";
import type { JsonObject } from "../../../kit/json";
import type { IdentityService } from "../../http";
import { type ErrorCode, Problem } from "../../problem";
import { createdBody, scimBody } from "../protocol/document";
import { baseUrl, mountEndpoint, mountMutation, type ScimCall, scimResponse } from "../protocol/endpoint";
import { presentList, project, readPart } from "../protocol/list";
import { applyPlan } from "./user";
import { presentUser, shownUserOf } from "./user.present";
import { findUser, type ListedUser, type StoredUser } from "./user.store";
import { listDirectory } from "./user-list";
import { planUserRequest, type UserRequest } from "./user-request";

const PATH = "/Users";
const tags = ["Users"];
const userRoute = { tags, path: `${PATH}/{id}`, params: scimUserPath };

/** Mounts the SCIM endpoints of users: docs/specification/scim.md#users */
export function mountScimUsers(service: IdentityService): void {
  mountEndpoint(
    service,
    {
      tags,
      method: "get",
      path: PATH,
      summary: "List users by id, or those that match a filter",
      query: scimUserListQuery,
      responses: { 200: scimBody(scimUserListSchema, "A part of the users") },
      errorCodes: ["validation_failed"],
    },
    async (call) => {
      const part = readPart(call.query);
      const { total, rows } = await listDirectory(call, part, call.query.filter ?? "");
      return scimResponse(
        presentList(
          total,
          part,
          rows.map((row) => userBody(call, row)),
        ),
      );
    },
  );
  const userResponse = { 200: scimBody(scimUserSchema, "The user") };
  const get = {
    ...userRoute,
    method: "get",
    summary: "Get a user",
    query: projectionQuery,
    responses: userResponse,
  } as const;
  mountEndpoint(service, get, async (call) => {
    const userId = /^[1-9]\d{0,14}$/.test(call.id ?? "") ? Number(call.id) : 0;
    const { user } = await call.read((companyId) => ({ user: findUser({ companyId, userId }) }));
    if (user.first === null) throw new Problem("not_found", { message: "There is no user with this id." });
    return scimResponse(userBody(call, user.first));
  });
  const change = { type: "User" } as const;
  const conflicts: ErrorCode[] = ["conflict", "user_shared", "last_company_owner"];
  mountMutation(
    service,
    {
      ...change,
      tags,
      operation: "create",
      method: "post",
      path: PATH,
      summary: "Create a user, or give one access again",
      query: projectionQuery,
      body: scimUserInputSchema,
      responses: { 201: createdBody(scimUserSchema, "The user") },
      errorCodes: conflicts,
    },
    async (call, body) => {
      const row = await storedAfter(call, "POST", body);
      const user = userBody(call, row) as { meta?: { location: string } };
      const location = `${baseUrl(call.services, call.company())}${PATH}/${row.id}`;
      return scimResponse(user, 201, { location });
    },
  );
  mountMutation(
    service,
    {
      ...change,
      ...userRoute,
      operation: "replace",
      method: "put",
      summary: "Replace the attributes of a user",
      query: projectionQuery,
      body: scimUserReplacementSchema,
      responses: userResponse,
      errorCodes: conflicts,
    },
    async (call, body) => scimResponse(userBody(call, await storedAfter(call, "PUT", body))),
  );
  mountMutation(
    service,
    {
      ...change,
      ...userRoute,
      operation: "update",
      method: "patch",
      summary: "Change attributes of a user",
      query: projectionQuery,
      body: scimUserPatchSchema,
      responses: userResponse,
      errorCodes: conflicts,
    },
    async (call, body) => scimResponse(userBody(call, await storedAfter(call, "PATCH", body))),
  );
  mountMutation(
    service,
    {
      ...change,
      ...userRoute,
      operation: "delete",
      method: "delete",
      summary: "End the access of a user",
      responses: { 204: { description: "The access has ended" } },
      errorCodes: ["conflict", "last_company_owner"],
    },
    async (call) => {
      await store(call, { method: "DELETE", id: call.id, body: {} });
      return new Response(null, { status: 204 });
    },
  );
}

/** Carries out a change of a user and returns the stored user. Throws the errors of `planUserRequest`. */
async function storedAfter(call: ScimCall, method: UserRequest["method"], body: JsonObject): Promise<StoredUser> {
  const { row } = await store(call, { method, id: call.id, body });
  if (row === null) throw new Problem("not_found", { message: "There is no user with this id." });
  return row;
}

async function store(call: ScimCall, request: UserRequest) {
  const plan = await planUserRequest(request, call.read);
  const target = { services: call.services, company: call.company() };
  return applyPlan(target, plan, () => planUserRequest(request, call.read, true));
}

const userBody = (call: ScimCall, row: ListedUser): object =>
  project(presentUser(baseUrl(call.services, call.company()), shownUserOf(row)), call.query);
