import { sql } from "drizzle-orm";
import { storage_objects } from "../../../db/storage/schema";
import { integer, json, nullable, text } from "../../kit/db/kind";
import { jsonEach, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** An item of a manifest: its full path, its size, and its ETag, which is null if only the size is compared. */
export type ManifestItem = { name: string; size: number; etag: string | null };

const integerOrNull = nullable(storage_objects.size);
const items = json<readonly ManifestItem[]>();

/**
 * Selects the differences between a chunk of a manifest and the stored objects. Returns each missing or changed item with its
 * `index` in the list and the stored object. Also returns the stored names in the range that the chunk lacks, with a null
 * `index` and at most `maxDeleted` of them.
 */
export const findDifferences = statement(
  { items, bucketId: storage_objects.bucket_id, start: text, end: text, maxDeleted: integer },
  (p) => {
    const { from, item } = jsonEach(p.items);
    return selectRows(
      {
        index: sql`differences.item_index`.mapWith(integerOrNull),
        name: sql`differences.name`.mapWith(nullable(storage_objects.name)),
        size: sql`differences.size`.mapWith(nullable(storage_objects.size)),
        owner_id: sql`differences.owner_id`.mapWith(nullable(storage_objects.owner_id)),
      },
      (columns) => sql`select ${columns} from (
        select r.key as item_index, ${storage_objects.name} as name, ${storage_objects.size} as size, ${storage_objects.owner_id} as owner_id
          from ${from} left join ${storage_objects} on ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} = ${item.name}
          where ${storage_objects.name} is null or ${storage_objects.size} <> ${item.size} or ${storage_objects.etag} <> ${item.etag}
        union all
        select * from (select null, ${storage_objects.name}, ${storage_objects.size}, ${storage_objects.owner_id} from ${storage_objects}
          where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} >= ${p.start} and ${storage_objects.name} < ${p.end}
            and ${storage_objects.name} not in (select ${item.name} from ${from})
          order by ${storage_objects.name} limit ${p.maxDeleted})) differences`,
    );
  },
);
