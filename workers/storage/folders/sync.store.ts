import { sql } from "drizzle-orm";
import { storage_objects } from "../../../db/storage/schema";
import { integer, json, nullable, text } from "../../kit/db/kind";
import { jsonEach, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const o = storage_objects;

/** An item of a manifest: its full path, its size, and its ETag, which is null if only the size is compared. */
export type ManifestItem = { name: string; size: number; etag: string | null };

const integerOrNull = nullable(o.size);
const items = json<readonly ManifestItem[]>();

/**
 * Selects the differences between a chunk of a manifest and the stored objects. Returns each missing or changed item with its
 * `index` in the list and the stored object. Also returns the stored names in the range that the chunk lacks, with a null
 * `index` and at most `maxDeleted` of them.
 */
export const findDifferences = statement(
  { items, bucketId: o.bucket_id, start: text, end: text, maxDeleted: integer },
  (p) => {
    const { from, item } = jsonEach(p.items);
    return selectRows(
      {
        index: sql`differences.item_index`.mapWith(integerOrNull),
        name: sql`differences.name`.mapWith(nullable(o.name)),
        size: sql`differences.size`.mapWith(nullable(o.size)),
        owner_id: sql`differences.owner_id`.mapWith(nullable(o.owner_id)),
      },
      (columns) => sql`select ${columns} from (
        select r.key as item_index, ${o.name} as name, ${o.size} as size, ${o.owner_id} as owner_id
          from ${from} left join ${o} on ${o.bucket_id} = ${p.bucketId} and ${o.name} = ${item.name}
          where ${o.name} is null or ${o.size} <> ${item.size} or ${o.etag} <> ${item.etag}
        union all
        select * from (select null, ${o.name}, ${o.size}, ${o.owner_id} from ${o}
          where ${o.bucket_id} = ${p.bucketId} and ${o.name} >= ${p.start} and ${o.name} < ${p.end}
            and ${o.name} not in (select ${item.name} from ${from})
          order by ${o.name} limit ${p.maxDeleted})) differences`,
    );
  },
);
