import { sql } from "drizzle-orm";
import type { DirectContentRow } from "../../../../db/email/rows";
import { direct_contents } from "../../../../db/email/schema";
import { json } from "../../../kit/db/kind";
import { insertSelect, jsonEach } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { type Bound, statement } from "../../../kit/db/statement";

/**
 * Maximum bytes of the contents in one statement. Content that cannot be compressed is half as large again when it is encrypted, so
 * that 1 MB of it still needs one statement.
 */
const MAX_CONTENT_BYTES = 1_800_000;

const insertSlice = statement({ contents: json<readonly DirectContentRow[]>() }, (p) => {
  const { from, item } = jsonEach(p.contents);
  const { company_id, id, content_enc, scheduled_at } = item;
  return insertSelect(direct_contents, { company_id, id, content_enc, scheduled_at }, sql`from ${from}`);
});

/** Returns the statements that store the contents of direct mails. */
export const insertDirectContents = (rows: readonly DirectContentRow[]): Bound[] =>
  toSlices(rows, MAX_CONTENT_BYTES).map((contents) => insertSlice({ contents }));
