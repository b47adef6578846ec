import type { AlertNoticeRow } from "../../../../db/email/rows";
import type { JobRun } from "../../../kit/jobs/job";
import { errorName } from "../../../kit/log";
import { DAY_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { deleteNotices, endPost, listNotices } from "./alert.store";
import { mailNotice } from "./notice-mail";
import { postNotice } from "./notice-post";

/** Maximum number of notices that a run sends. */
const MAX_NOTICES = 20;
/** After this time, a notice that could not be sent is given up. */
const MAX_AGE_MS = DAY_MS;

/**
 * Mails and posts the waiting notices. What fails is repeated by the next run, for a day. A notice whose mails are stored gets no
 * second mails; a post is repeated with the same `webhook-id` when its result was not stored. Returns the numbers of mails and
 * posts.
 */
export async function sendNotices(
  services: EmailServices,
  run: Pick<JobRun, "stopAt">,
): Promise<{ mails: number; posts: number }> {
  const { platformDb, clock } = services;
  const counts = { mails: 0, posts: 0 };
  const notices = await platformDb.all(listNotices({ limit: MAX_NOTICES }));
  if (notices.length === 0) return counts;
  const before = clock.now() - MAX_AGE_MS;
  for (const notice of notices) {
    if (clock.now() >= run.stopAt) break;
    if (notice.created_at < before) {
      const { kind, is_mail_due: mail, is_post_due: post } = notice;
      services.log.error("a notice about conditions was given up", { kind, mail, post });
      continue;
    }
    if (notice.is_mail_due) counts.mails += await mailOrLog(services, notice);
    if (notice.is_post_due) counts.posts += await post(services, notice);
  }
  await platformDb.run(deleteNotices({ before }));
  return counts;
}

async function mailOrLog(services: EmailServices, notice: AlertNoticeRow): Promise<number> {
  try {
    return await mailNotice(services, notice);
  } catch (error) {
    services.log.warn("conditions were not mailed", { kind: notice.kind, cause: errorName(error) });
    return 0;
  }
}

async function post(services: EmailServices, notice: AlertNoticeRow): Promise<number> {
  const outcome = await postNotice(services, notice);
  if (outcome !== null) services.log.warn("conditions were not posted", { kind: notice.kind, cause: outcome });
  await services.platformDb.run(endPost({ id: notice.id, isDue: outcome !== null }));
  return outcome === null ? 1 : 0;
}
