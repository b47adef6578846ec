import { sql } from "drizzle-orm";
import { hosting_cleanups } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { columnName, insertSelect } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const { company_id, due_at, position } = hosting_cleanups;

/**
 * Statement for the batch of a change after which files of a company may become unused: requests a clean-up at `dueAt` (unix ms),
 * or an earlier one if it is already requested. A clean-up that is running is repeated, because it may have passed those files.
 */
export const requestCleanup = statement({ companyId: integer, dueAt: integer, now: integer }, (p) =>
  insertSelect(
    hosting_cleanups,
    { company_id: p.companyId, due_at: p.dueAt, position: "", lease_token: sql`null`, lease_until: sql`null` },
    sql`where true on conflict (${columnName(company_id)}) do update set ${columnName(due_at)} = case
      when ${position} = '' then min(${due_at}, ${p.dueAt}) else max(${p.now}, ${due_at} + 1) end`,
  ),
);
