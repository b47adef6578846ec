import { errorName } from "../../kit/log";
import { SECOND_MS } from "../../kit/time";
import { withTimeout } from "../../kit/timeout";
import type { HostingServices } from "../services";
import { endFailureNotices, findFailureNotices } from "./failure-notice.store";

/** Maximum number of failures that one call passes on. */
const MAX_NOTICES = 200;

/** The time that identity has to accept the notices. */
const NOTIFY_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Passes the failures of deployments to identity, which mails the owners in their languages, once per failure. The batch that
 * fails a deployment sets `notice_at`; a notice that identity does not accept remains for the next minute sweep. Returns the
 * number of notices that were waiting.
 */
export async function sendFailureNotices({ identity, platformDb, log }: HostingServices): Promise<number> {
  const notices = await platformDb.all(findFailureNotices({ limit: MAX_NOTICES }));
  if (notices.length === 0) return 0;
  try {
    await withTimeout(identity.rpc.notifyOfFailedDeployments({ notices }), NOTIFY_TIMEOUT_MS);
  } catch (error) {
    log.warn("owners were not notified", { notices: notices.length, error: errorName(error) });
    return notices.length;
  }
  await platformDb.run(endFailureNotices({ notices }));
  return notices.length;
}

/** Like sendFailureNotices, but beside other work. A failure is only logged, because the minute sweep repeats the call. */
export function sendFailureNoticesSoon(services: HostingServices): void {
  services.waitUntil(
    sendFailureNotices(services).catch((error) =>
      services.log.warn("owners were not notified", { error: errorName(error) }),
    ),
  );
}
