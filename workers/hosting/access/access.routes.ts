import { accessDecisionBody, accessRequestBody, accessSchema } from "../../../schemas/hosting/access";
import { companyQuery } from "../../../schemas/query";
import { bodyOf } from "../../kit/http/call";
import { jsonResponse } from "../../kit/http/openapi/responses";
import type { HostingService } from "../http";
import { askForAccess, decide } from "./access";
import { presentAccess } from "./access.present";
import { findAccess } from "./access.store";
import { limitBy } from "./limit";

const PATH = "/hosting/v1/access";
const tags = ["Access"];

/** Mounts the permission of a company to host apps: docs/specification/hosting.md#access */
export function mountAccess({ call }: HostingService): void {
  const response = jsonResponse(accessSchema, "Whether the company may host apps");
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "Get whether the company may host apps",
      role: "owner",
      query: companyQuery,
      reads: ({ companyId }) => ({ access: findAccess({ companyId }) }),
      responses: { 200: response },
    },
    ({ c, scope, results }) => c.json(presentAccess(scope, results.access.first)),
  );
  call(
    {
      method: "post",
      path: `${PATH}/request`,
      tags,
      summary: "Ask staff for permission to host apps",
      description: "Changes nothing while a request is pending and after an approval.",
      role: "member",
      limit: limitBy("access"),
      body: bodyOf(accessRequestBody, { optional: true }),
      responses: { 201: response },
    },
    async ({ c, services, scope, caller }) =>
      c.json(presentAccess(scope, await askForAccess(services, scope, caller)), 201),
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary: "Approve or deny hosting for a company",
      role: "staff",
      body: bodyOf(accessDecisionBody),
      responses: { 200: response },
    },
    async ({ c, services, caller, body: { company_id: companyId, status, notes = "" } }) =>
      c.json(presentAccess(companyId, await decide(services, { companyId, status, notes }, caller))),
  );
}
