import { and, eq } from "drizzle-orm";
import { storage_objects } from "../../../db/storage/schema";
import { json } from "../../kit/db/kind";
import { isInList, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Selects the names of the list that exist as objects in the bucket. */
export const listExistingNames = statement(
  { bucketId: storage_objects.bucket_id, names: json<readonly string[]>() },
  (p) =>
    queryBuilder
      .select({ name: storage_objects.name })
      .from(storage_objects)
      .where(and(eq(storage_objects.bucket_id, p.bucketId), isInList(storage_objects.name, p.names))),
);
