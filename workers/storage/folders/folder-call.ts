import { bucketParams } from "../../../schemas/storage/objects";
import { findBucket, toBucketLookup } from "../buckets/bucket";

type BucketRowOrNull = Parameters<typeof toBucketLookup>[1];

/**
 * The declarations that the folder routes share: the bucket in the path. The bucket `company` is created on the company's
 * first use.
 */
export const bucketOperation = {
  tags: ["Folders"],
  role: "member",
  isCounted: false,
  params: bucketParams,
  input: ({ params }: { params: Record<string, string> }) => params.bucket ?? "",
  reads: ({ companyId, input }: { companyId: number; input: string }) => ({
    bucket: findBucket({ companyId, name: input }),
  }),
  row: ({ input, results }: { input: string; results: { bucket: { first: BucketRowOrNull } } }) =>
    toBucketLookup(input, results.bucket.first),
  missingCode: "bucket_not_found",
} as const;
