import { and, eq, inArray } from "drizzle-orm";
import { hosting_deployments as deployments } from "../../../db/hosting/schema";
import { queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Selects a deployment if it is or was live, which keeps its files from the clean-up. */
export const findServedDeployment = statement({ id: deployments.id, companyId: deployments.company_id }, (p) =>
  queryBuilder
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.id, p.id),
        eq(deployments.company_id, p.companyId),
        inArray(deployments.status, ["active", "superseded"]),
      ),
    ),
);
