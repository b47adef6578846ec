// Until the staff API of jobs and the webhooks of the kit have moved to `call`.
import type { LateBody } from "../../kit/http/request/body";
import type { IdentityServices } from "../services";
import { authorizeCaller, type CallerScopes } from "./authorize";

type Reads = (companyId: number, userId: number) => unknown[];
const asArray = (results: object) =>
  Object.values(results).map((result) => ({ ...result, results: result.rows })) as never;

export async function requireCallerWith<T = never>(services: IdentityServices, request: Request, reads: Reads) {
  const { caller, results } = await authorizeCaller(services, request, {
    role: "self",
    named: {},
    reads: ({ userId, companyId }) => ({ ...reads(companyId ?? 0, userId) }) as never,
  });
  return { caller, results: asArray(results) as T };
}

export async function admit<T = never>(
  services: IdentityServices,
  request: Request,
  role: Exclude<keyof CallerScopes, "self">,
  options: { body?: LateBody; reads?: Reads } = {},
) {
  const named = {
    query: new URL(request.url).searchParams.get("company_id") ?? undefined,
    body: options.body?.companyId,
  };
  const { caller, scope, results } = await authorizeCaller(services, request, {
    role,
    named,
    reads: ({ userId, companyId }) => ({ ...options.reads?.(companyId ?? 0, userId) }) as never,
  });
  return { caller, company: scope, results: asArray(results) as T };
}
