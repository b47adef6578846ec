import type { MessageRow } from "../../../../db/email/rows";
import { MAX_MEMBERSHIPS } from "../../../../schemas/rpc";
import { errorName } from "../../../kit/log";
import { chunk } from "../../../kit/outbox/queue-message";
import { SECOND_MS } from "../../../kit/time";
import { withTimeout } from "../../../kit/timeout";
import type { EmailServices } from "../../services";

/** Messages, and the `access` of the audiences of their broadcasts by id. */
type Recipients = {
  rows: readonly Pick<MessageRow, "id" | "company_id" | "to_user_id" | "broadcast_id">[];
  broadcasts: ReadonlyMap<number, { access: "enabled" | "disabled" | "any" | null }>;
};

const TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Returns the ids of the messages whose user is no active member of the company any more, or null when identity does not
 * respond. A broadcast to members without access (`access` of its audience) only requires that they still are members. Messages
 * without a user are not checked.
 */
export async function findRemovedRecipients(
  { identity, log }: Pick<EmailServices, "identity" | "log">,
  { rows, broadcasts }: Recipients,
): Promise<Set<string> | null> {
  const groups = new Map<string, { company_id: number; include_inactive: boolean; users: Set<number> }>();
  const groupOf = ({ company_id, broadcast_id }: Recipients["rows"][number]) => {
    const { access } = broadcasts.get(broadcast_id ?? 0) ?? {};
    const include_inactive = access === "any" || access === "disabled";
    return { key: `${company_id}:${include_inactive}`, company_id, include_inactive };
  };
  for (const row of rows) {
    if (row.to_user_id === null) continue;
    const { key, ...group } = groupOf(row);
    const users = groups.get(key)?.users ?? new Set();
    groups.set(key, { ...group, users: users.add(row.to_user_id) });
  }
  const calls = [...groups].flatMap(([key, { users, ...input }]) =>
    chunk([...users], MAX_MEMBERSHIPS).map(async (user_ids) => {
      const { active_user_ids } = await withTimeout(identity.rpc.memberships({ ...input, user_ids }), TIMEOUT_MS);
      return active_user_ids.map((userId) => `${key}:${userId}`);
    }),
  );
  try {
    const members = new Set((await Promise.all(calls)).flat());
    return new Set(
      rows.flatMap((row) =>
        row.to_user_id === null || members.has(`${groupOf(row).key}:${row.to_user_id}`) ? [] : [row.id],
      ),
    );
  } catch (error) {
    log.warn("memberships of recipients were not checked", { error: errorName(error) });
    return null;
  }
}
