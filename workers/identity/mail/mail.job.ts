import { uuid } from "../../kit/ids";
import { type Counts, everyMinute, type Job, type JobRun } from "../../kit/jobs/job";
import type { IdentityServices } from "../services";
import { attemptMail } from "./mail";
import { countDueMail, expireMail, findDueMail, insertMailExpiredEvents } from "./mail.store";

/** Attempts of the sweep beside each other. */
const AT_ONCE = 5;

/** Each minute, what the queue did not hand over. */
export const retryMailJob: Job<IdentityServices> = {
  name: "retry_mail",
  schedule: everyMinute,
  overdueAfterSeconds: 180,
  lockSeconds: 120,
  counts: ["mails_attempted", "mails_expired"],
  scheduledFlags: {},
  run: retryMail,
  summarize: ({ mails_attempted, mails_expired }) => `attempted=${mails_attempted} expired=${mails_expired}`,
  preview: async ({ db, clock }) => {
    const due = (await db.first(countDueMail({ now: clock.now() })))?.due ?? 0;
    return { summary: `would attempt=${due}`, counts: { mails_attempted: due } };
  },
};

/** Ends rows past their deadline with their event, and attempts the due ones until the run has to stop. */
async function retryMail(services: IdentityServices, run: JobRun): Promise<Counts> {
  const { db, clock, settings } = services;
  const now = clock.now();
  const due = await db.all(findDueMail({ now }));
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const expired = await expire(services, run, idsOf(due.filter((row) => row.deadline_at <= now)), now);
  const waiting = idsOf(due.filter((row) => row.deadline_at > now));
  let attempted = 0;
  for (let index = 0; index < waiting.length; index += AT_ONCE) {
    if (clock.now() + settings.emailTimeoutMs >= run.stopAt) break;
    const part = waiting.slice(index, index + AT_ONCE);
    await Promise.all(part.map((id) => attemptMail(services, id, run.fence)));
    attempted += part.length;
    run.report({ mails_attempted: attempted, mails_expired: expired });
  }
  return { mails_attempted: attempted, mails_expired: expired };
}

/** How many of the rows ended. */
async function expire({ db, log }: IdentityServices, run: JobRun, ids: string[], now: number): Promise<number> {
  if (ids.length === 0) return 0;
  const { ended } = await db.batch({
    // What is told of a row is told by the guard of its end, and then it ends: a repeat finds nothing that ends.
    failures: insertMailExpiredEvents({ mails: ids.map((id) => ({ id, event_id: uuid() })), now, fence: run.fence }),
    ended: expireMail({ now, ids, fence: run.fence }),
  });
  log.error("mail expired before the email service took it", { count: ended.rows.length });
  return ended.rows.length;
}
