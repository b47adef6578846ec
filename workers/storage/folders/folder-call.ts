import { bucketParams } from "../../../schemas/storage/objects";
import { findBucket, foundBucket } from "../buckets/bucket";

type Found = Parameters<typeof foundBucket>[1];

/** What calls of members about a bucket declare: the bucket of the path, which the first call of a company opens. */
export const ofBucket = {
  tags: ["Folders"],
  role: "member",
  isCounted: false,
  params: bucketParams,
  input: ({ params }: { params: Record<string, string> }) => params.bucket ?? "",
  reads: ({ companyId, input }: { companyId: number; input: string }) => ({
    bucket: findBucket({ companyId, name: input }),
  }),
  row: ({ input, results }: { input: string; results: { bucket: { first: Found } } }) =>
    foundBucket(input, results.bucket.first),
  missing: "bucket_not_found",
} as const;
