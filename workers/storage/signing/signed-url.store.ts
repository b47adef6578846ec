import { and, eq } from "drizzle-orm";
import { storage_objects } from "../../../db/storage/schema";
import { json } from "../../kit/db/kind";
import { isInList, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const o = storage_objects;

/** Selects the paths of a list that have an object. */
export const listExistingNames = statement({ bucketId: o.bucket_id, names: json<readonly string[]>() }, (p) =>
  queryBuilder
    .select({ name: o.name })
    .from(o)
    .where(and(eq(o.bucket_id, p.bucketId), isInList(o.name, p.names))),
);
