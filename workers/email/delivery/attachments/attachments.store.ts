import { asc, lte, type SQL, sql } from "drizzle-orm";
import type { AttachmentsRow } from "../../../../db/email/rows";
import { message_attachments, messages } from "../../../../db/email/schema";
import { boolean, integer, json } from "../../../kit/db/kind";
import { isInList, jsonEach, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, company_id, file_count, check_at } = message_attachments;

/** The columns that name the bytes of a set. */
export type AttachmentSet = Pick<AttachmentsRow, "id" | "company_id" | "file_count">;

const ids = json<readonly string[]>();

// An open message still needs its attachments.
const isUsed: SQL = sql`exists (select 1 from ${messages} where ${messages.attachments_id} = ${id} and ${messages.next_attempt_at} is not null)`;

/** Statement: insert the row of a set before its bytes are stored. */
export const insertSet = statement(
  {
    id,
    companyId: company_id,
    filesEnc: message_attachments.files_enc,
    fileCount: file_count,
    checkAt: check_at,
  },
  (p) =>
    queryBuilder.insert(message_attachments).values({
      id: p.id,
      company_id: p.companyId,
      files_enc: p.filesEnc,
      file_count: p.fileCount,
      check_at: p.checkAt,
    }),
);

/** Statement: the listed sets of a company that no open message uses. */
export const findUnused = statement({ companyId: company_id, ids }, (p) => {
  const idList = jsonEach(p.ids);
  return selectRows(
    { id, company_id, file_count },
    (columns) => sql`select ${columns} from ${idList.from} cross join ${message_attachments} on ${id} = ${idList.value}
      where ${company_id} = ${p.companyId} and not ${isUsed}`,
  );
});

/** Statement: up to `size` sets that are due for a check at `now` (unix ms), with whether an open message uses them. */
export const findDueSets = statement({ now: integer, size: integer }, (p) =>
  queryBuilder
    .select({ id, company_id, file_count, isUsed: isUsed.mapWith(boolean) as SQL<boolean> })
    .from(message_attachments)
    .where(lte(check_at, p.now))
    .orderBy(asc(check_at))
    .limit(p.size),
);

/** Statement: check the listed sets again at `checkAt` (unix ms). */
export const postponeCheck = statement({ ids, checkAt: check_at }, (p) =>
  queryBuilder.update(message_attachments).set({ check_at: p.checkAt }).where(isInList(id, p.ids)),
);

/** Statement: delete the rows of sets whose bytes are removed. */
export const deleteSets = statement({ ids }, (p) =>
  queryBuilder.delete(message_attachments).where(sql`${isInList(id, p.ids)} and not ${isUsed}`),
);
