import { and, eq } from "drizzle-orm";
import { storage_objects } from "../../../db/storage/schema";
import { json } from "../../kit/db/kind";
import { inList, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const o = storage_objects;

/** Those of a list of paths at which there are objects. */
export const listPresent = statement({ bucketId: o.bucket_id, names: json<readonly string[]>() }, (p) =>
  q
    .select({ name: o.name })
    .from(o)
    .where(and(eq(o.bucket_id, p.bucketId), inList(o.name, p.names))),
);
