import { storage_buckets } from "../../../db/storage/schema";
import type { Facts } from "../http/route-calls";
import type { Companies } from "../sibling/routes-suite";
import { insertRow } from "../webhooks/rows";
import { storeObjects } from "./stored-objects";

let last = 0;

/** Inserts a bucket row and returns it. */
const storeBucket = (company_id: number) =>
  insertRow(storage_buckets, {
    id: crypto.randomUUID(),
    company_id,
    name: `bucket-${++last}`,
    display_name: "Files",
    kind: "custom" as const,
    created_at: 1,
    updated_at: 1,
  });

/** Returns the facts for the route check about buckets, folders, copies and moves. */
export function folderFacts({ company, foreignCompany }: Companies): Record<string, Facts> {
  const storedName = async () => (await storeBucket(company)).name;
  const foreign = async () => (await storeBucket(foreignCompany)).name;
  /** A bucket with an object `a/b.txt`. */
  const filled = async () => {
    const bucket = await storeBucket(company);
    await storeObjects(bucket, ["a/b.txt"], { owner_id: company });
    return bucket;
  };
  const filledName = async () => (await filled()).name;
  const idIn = async (companyId: number) => {
    const id = crypto.randomUUID();
    await storeObjects(await storeBucket(companyId), ["a/b.txt"], { id });
    return id;
  };
  const relocation = async () => ({
    bucketId: await filledName(),
    sourceKey: "a/b.txt",
    destinationKey: `c/${crypto.randomUUID()}.txt`,
  });
  const bucket = { companyRow: storedName, foreign } as const;
  // Every member may make these requests, so the service accepts a revoked access token for them until it expires.
  const member = { role: "member", acceptsRevokedToken: true } as const;
  const folder = { ...member, ...bucket } as const;
  return {
    "get /storage/v1/bucket": { role: "member" },
    "post /storage/v1/bucket": { role: "owner", body: () => ({ name: `made-${++last}`, display_name: "Made" }) },
    "get /storage/v1/bucket/{name}": { role: "member", ...bucket },
    "put /storage/v1/bucket/{name}": { role: "owner", ...bucket, body: () => ({ display_name: "Others" }) },
    "delete /storage/v1/bucket/{name}": { role: "owner", ...bucket },
    "post /storage/v1/bucket/{name}/empty": { role: "owner", ...bucket },
    "post /storage/v1/object/list/{bucket}": { ...folder, body: () => ({ prefix: "a" }) },
    "post /storage/v1/object/list-v2/{bucket}": { ...folder, body: () => ({ prefix: "a" }) },
    "get /storage/v1/object/id/{id}": {
      role: "member",
      companyRow: () => idIn(company),
      foreign: () => idIn(foreignCompany),
    },
    "post /storage/v1/object/copy": { ...member, body: relocation },
    "post /storage/v1/object/move": { ...member, body: relocation },
    "get /storage/v1/object/prefix/{bucket}": folder,
    "post /storage/v1/object/prefix/{bucket}": {
      ...folder,
      companyRow: filledName,
      body: () => ({ from: "a", to: `b-${++last}` }),
    },
    "delete /storage/v1/object/prefix/{bucket}": {
      ...folder,
      body: () => ({ prefix: "a" }),
      onlyInThisResponse: ["prefix"],
    },
    "post /storage/v1/sync/{bucket}": {
      ...member,
      ...bucket,
      maxBytes: 16 * 1024 * 1024,
      body: () => ({ items: [{ path: "a.txt", size: 1 }] }),
    },
  };
}
