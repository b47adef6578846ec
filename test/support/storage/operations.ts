import { storage_buckets } from "../../../db/storage/schema";
import type { Facts } from "../http/route-calls";
import type { Companies } from "../sibling/routes-suite";
import { insertRow } from "../webhooks/rows";
import { startFiles } from "./files";
import { folderFacts } from "./folder-operations";
import { objectFacts } from "./object-operations";
import { quotaFacts } from "./quota-operations";
import { uploadFacts } from "./upload-operations";

/** A company of the route check, with a bucket in which a member stores objects. */
export type Tenant = Awaited<ReturnType<typeof tenantOf>>;
export type Tenants = { tenant: Tenant; foreign: Tenant };

/** Returns the facts about buckets, objects, uploads and quotas for the route check. */
export async function storageFacts(companies: Companies): Promise<Record<string, Facts>> {
  const tenants = { tenant: await tenantOf(companies.company), foreign: await tenantOf(companies.foreignCompany) };
  return {
    ...folderFacts(companies),
    ...(await objectFacts(tenants)),
    ...uploadFacts(tenants),
    ...quotaFacts(companies),
  };
}

async function tenantOf(companyId: number) {
  // The tokens of the route check belong to these user ids.
  const files = await startFiles({}, { companyId, ownerId: companyId, memberId: companyId + 1_000_000_000 });
  /** Creates a bucket with a unique name and returns the name. */
  const makeBucket = async () => {
    const bucket = await insertRow(storage_buckets, {
      id: crypto.randomUUID(),
      company_id: companyId,
      name: `bucket-${crypto.randomUUID()}`,
      display_name: "Files",
      kind: "custom" as const,
      created_at: 1,
      updated_at: 1,
    });
    return bucket.name;
  };
  return { ...files, makeBucket, bucket: await makeBucket() };
}
