import type { AccessRow, AppRow, DeploymentRow } from "../../../db/hosting/schema";
import { deploymentParams } from "../../../schemas/hosting/app";
import type { Result } from "../../kit/db/db";
import { findAccess } from "../access/access";
import { findApp } from "../apps/app";
import { appCall, gated } from "../apps/app-call";
import type { HostingServices } from "../services";
import { findDeployment } from "./deployment.store";

// Parts of the declarations of calls about one deployment, to be spread into a `call`.

type Input = { companyId: number; input: { app: string; id: string } };
type Rows = { app: Result<AppRow>; deployment: Result<DeploymentRow> };

const rowsOf = ({ app, deployment }: Rows) =>
  app.first === null || deployment.first === null ? null : { app: app.first, deployment: deployment.first };

const reads = ({ companyId, input: { app, id } }: Input) => ({
  app: findApp({ companyId, app }),
  deployment: findDeployment({ companyId, app, id }),
});

/** Declares a call that reads one deployment of an app of the company. */
export const readsDeployment = {
  ...appCall,
  params: deploymentParams,
  input: ({ params: { app = "", id = "" } }: { params: Record<string, string> }) => ({ app, id }),
  reads,
  row: ({ results }: { results: Rows }) => rowsOf(results),
} as const;

/** Declares a call that changes one deployment of an app of the company. The company needs access. */
export const changesDeployment = {
  ...readsDeployment,
  reads: (input: Input) => ({ ...reads(input), access: findAccess({ companyId: input.companyId }) }),
  row: (call: { services: HostingServices; results: Rows & { access: Result<AccessRow> } }) =>
    gated(call, rowsOf(call.results)),
  errorCodes: ["hosting_access_denied", "hosting_not_configured"],
} as const;
