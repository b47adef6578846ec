import type { AccessRow, AppRow } from "../../../db/hosting/schema";
import { appParams } from "../../../schemas/hosting/app";
import type { Result } from "../../kit/db/db";
import { findAccess, requireAccess } from "../access/access";
import type { HostingServices } from "../services";
import { requireDomain } from "./address";
import { findApp } from "./app.store";

// Parts of the declarations of calls about apps, to be spread into a `call`.

type Gate = { services: HostingServices; results: { access: Result<AccessRow> } };

/** Returns the value. Throws 403 `hosting_access_denied` unless the company may host apps. */
export function gated<T>({ services, results }: Gate, value: T): T {
  requireAccess(services, results.access.first);
  return value;
}

/** Declares a call of a member about apps. */
export const appCall = { role: "member", permit: requireDomain } as const;

type AppInput = { companyId: number; input: string };

/** Declares a call that reads one app of the company. */
export const readsApp = {
  ...appCall,
  params: appParams,
  input: ({ params }: { params: Record<string, string> }) => params.app ?? "",
  reads: ({ companyId, input: app }: AppInput) => ({ app: findApp({ companyId, app }) }),
  row: ({ results }: { results: { app: Result<AppRow> } }) => results.app.first,
} as const;

/** Declares a call that changes one app of the company. The company needs access. */
export const changesApp = {
  ...readsApp,
  reads: ({ companyId, input: app }: AppInput) => ({
    app: findApp({ companyId, app }),
    access: findAccess({ companyId }),
  }),
  row: (call: Gate & { results: { app: Result<AppRow> } }) => gated(call, call.results.app.first),
  errorCodes: ["hosting_access_denied", "hosting_not_configured"],
} as const;
