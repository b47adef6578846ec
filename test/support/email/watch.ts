import { vi } from "vitest";
import { alert_notices, alerts, scheduled_job_runs, scheduled_job_states } from "../../../db/email/schema";
import type { CountedCode } from "../../../schemas/email/alerts";
import type { OperationsReport } from "../../../schemas/rpc";
import type { EmailBindings } from "../../../workers/email/bindings";
import worker from "../../../workers/email/worker";
import { clock } from "../../../workers/kit/clock";
import { HEALTHY_REPORT } from "../identity/identity-double";
import { isolatedLocks, tick } from "../jobs/jobs";
import { createCompany, startEmail } from "./email";
import { deleteRows, updateRows } from "./rows";

/** A mail that the mail API received. */
export type SentMail = { to: string[]; from: string; subject: string; html: string; text: string };
/** A post that the receiver of `WATCH_WEBHOOK_URL` got. */
export type Posted = { url: string; headers: Headers; body: string };

/** A public address, so that posts need no DNS. */
export const WEBHOOK_URL = "https://93.184.215.14/alerts";
export const WEBHOOK_SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZg==";

/** The counts of email itself, which other tests of the same database affect. */
const OWN_COUNTS: CountedCode[] = [
  "webhooks_failing",
  "deliveries_dead",
  "stale_events",
  "lanes_paused",
  "messages_waiting",
  "messages_failed",
  "broadcasts_failed",
];

const systemNow = clock.now;

/** Restores the clock, the mocks and the states of the jobs. */
export async function endWatch(): Promise<void> {
  clock.now = systemNow;
  vi.restoreAllMocks();
  await updateRows(scheduled_job_states, { last_success_at: systemNow() }, undefined);
}

/**
 * Starts email with healthy doubles of the other services, no stored alert and healthy jobs. `check` runs the job `watch` at its
 * next tick, five minutes later. Mails are delivered at once to a double of the mail API. Call `endWatch` after the test.
 */
export async function startWatch(vars: Partial<Record<keyof EmailBindings, string>> = {}) {
  const company = createCompany();
  let now = Date.now();
  clock.now = () => now;
  const reports: Record<"hosting" | "storage", OperationsReport | null> = {
    hosting: HEALTHY_REPORT,
    storage: HEALTHY_REPORT,
  };
  const reporter = (service: keyof typeof reports) => ({
    operationsReport: async () => {
      const report = reports[service];
      if (report === null) throw new Error(`${service} is unavailable`);
      return report;
    },
  });
  const thresholds = OWN_COUNTS.map((code) => `${code}=0`).join(",");
  const email = await startEmail({
    vars: {
      EMAIL_PLATFORM_COMPANY_IDS: `${company},${createCompany()}`,
      EMAIL_DELIVER_SYNC: "true",
      WATCH_THRESHOLDS: thresholds,
      BROKER: await isolatedLocks(),
      HOSTING_RPC: reporter("hosting"),
      STORAGE_RPC: reporter("storage"),
      ...vars,
    } as never,
  });
  await deleteRows(alerts, undefined);
  await deleteRows(alert_notices, undefined);
  await deleteRows(scheduled_job_runs, undefined);
  await updateRows(scheduled_job_states, { last_success_at: now + 86_400_000, last_failure_at: null }, undefined);

  const mails: SentMail[] = [];
  const posts: Posted[] = [];
  const answers = { webhook: 204 };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init = {}) => {
    const url = String(input);
    const body = await new Response(init.body).text();
    if (url.startsWith(WEBHOOK_URL)) {
      posts.push({ url, headers: new Headers(init.headers), body });
      return new Response(null, { status: answers.webhook });
    }
    mails.push(JSON.parse(body) as SentMail);
    return Response.json({ id: crypto.randomUUID() });
  });

  return {
    email,
    company,
    mails,
    posts,
    answers,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    /** Changes what hosting or storage reports; null: it does not respond. */
    setReport: (service: keyof typeof reports, changes: Partial<OperationsReport> | null) => {
      reports[service] = changes === null ? null : { ...HEALTHY_REPORT, ...changes };
    },
    check: async (bindings: Partial<EmailBindings> = {}) => {
      now += 300_000;
      await tick(worker, { ...email.bindings, ...bindings }, "*/5 * * * *");
    },
  };
}
