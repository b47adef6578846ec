import { errorName } from "../../kit/log";
import { SECOND_MS } from "../../kit/time";
import { withTimeout } from "../../kit/timeout";
import type { StorageServices } from "../services";
import { endQuotaNotices, findQuotaNotices } from "./quota-notice.store";

/** Maximum number of notices that one call passes on. */
const MAX_NOTICES = 200;

/** The time that identity has to accept the notices. */
const NOTIFY_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Passes the companies whose usage reached 80 or 100 percent of their quota to identity, which mails the owners. The commit that
 * crosses the threshold sets `notice_at`; a notice that identity does not accept remains for the next minute. A quota that was
 * removed in the meantime needs no mail.
 */
export async function sendQuotaNotices({ identity, platformDb, log }: StorageServices): Promise<void> {
  const notices = await platformDb.all(findQuotaNotices({ limit: MAX_NOTICES }));
  if (notices.length === 0) return;
  try {
    const limited = notices.filter(({ max_bytes }) => max_bytes > 0);
    await withTimeout(identity.rpc.notifyOfQuotas({ notices: limited }), NOTIFY_TIMEOUT_MS);
  } catch (error) {
    log.warn("owners were not notified", { notices: notices.length, error: errorName(error) });
    return;
  }
  await platformDb.run(
    endQuotaNotices({ notices: notices.map(({ company_id, notice_at }) => ({ company_id, notice_at })) }),
  );
}
