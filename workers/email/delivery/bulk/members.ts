import type { MessageRow } from "../../../../db/email/rows";
import { MAX_MEMBERSHIPS } from "../../../../schemas/rpc";
import { errorName } from "../../../kit/log";
import { chunk } from "../../../kit/outbox/queue-message";
import { SECOND_MS } from "../../../kit/time";
import { withTimeout } from "../../../kit/timeout";
import type { EmailServices } from "../../services";

const TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Returns the ids of the messages whose user is no active member of the company any more, or null when identity does not
 * respond. Messages without a user are not checked.
 */
export async function findRemovedRecipients(
  { identity, log }: Pick<EmailServices, "identity" | "log">,
  rows: readonly Pick<MessageRow, "id" | "company_id" | "to_user_id">[],
): Promise<Set<string> | null> {
  const companies = new Map<number, Set<number>>();
  for (const { company_id, to_user_id } of rows) {
    if (to_user_id !== null) companies.set(company_id, (companies.get(company_id) ?? new Set()).add(to_user_id));
  }
  const calls = [...companies].flatMap(([company_id, users]) =>
    chunk([...users], MAX_MEMBERSHIPS).map(async (user_ids) => {
      const { active_user_ids } = await withTimeout(identity.rpc.memberships({ company_id, user_ids }), TIMEOUT_MS);
      return active_user_ids.map((userId) => `${company_id}:${userId}`);
    }),
  );
  try {
    const active = new Set((await Promise.all(calls)).flat());
    return new Set(
      rows.flatMap(({ id, company_id, to_user_id }) =>
        to_user_id === null || active.has(`${company_id}:${to_user_id}`) ? [] : [id],
      ),
    );
  } catch (error) {
    log.warn("memberships of recipients were not checked", { error: errorName(error) });
    return null;
  }
}
