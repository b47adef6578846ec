import { desc, eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { alert_notices, alerts, messages, scheduled_job_runs, scheduled_job_states } from "../../../db/email/schema";
import { sign } from "../../../workers/kit/webhooks/posting/signing-secret";
import { cutCalls } from "../../support/db/cut-calls";
import { watchCalls, wrapCalls } from "../../support/db/watched-database";
import { readRows, updateRows } from "../../support/email/rows";
import { endWatch, startWatch, WEBHOOK_SECRET, WEBHOOK_URL } from "../../support/email/watch";

afterEach(endWatch);

const staff = [
  { id: 11, email: "ada@platform.example.com", language: "en" as const },
  { id: 12, email: "zoe@platform.example.com", language: "fr" as const },
];
const failingJob = { jobs: [{ job: "retry_webhooks", health: "failing" as const }] };

async function lastRun() {
  const [run] = await readRows(scheduled_job_runs, eq(scheduled_job_runs.job, "watch"), desc(scheduled_job_runs.id));
  return run;
}

it("mails each staff user in their language once when a condition starts, and once when it ends", async () => {
  const watch = await startWatch();
  watch.email.setStaff(staff);
  watch.setReport("hosting", failingJob);
  await watch.check();
  expect(watch.mails).toEqual([]);
  const startedAt = watch.now();
  await watch.check();
  await watch.check();
  expect(watch.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [["ada@platform.example.com"], "Alert: The job retry_webhooks fails or is overdue (hosting)"],
    [["zoe@platform.example.com"], "Alerte\u00a0: La tâche retry_webhooks échoue ou est en retard (hosting)"],
  ]);
  expect(watch.mails[0]?.from).toContain("<no-reply@platform.example.com>");
  expect(watch.mails[0]?.text).not.toMatch(/unsubscribe/i);
  expect(watch.mails[0]?.html).toContain(new Date(startedAt).toISOString().slice(11, 16));

  watch.setReport("hosting", {});
  await watch.check();
  expect(watch.mails).toHaveLength(2);
  await watch.check();
  await watch.check();
  expect(watch.mails.slice(2).map(({ subject }) => subject)).toEqual([
    "Resolved: The job retry_webhooks fails or is overdue (hosting)",
    "Résolu\u00a0: La tâche retry_webhooks échoue ou est en retard (hosting)",
  ]);
  expect(await readRows(alerts, undefined)).toEqual([]);
  expect(await readRows(alert_notices, undefined)).toEqual([]);
  const stored = await readRows(messages, eq(messages.company_id, watch.company));
  expect(new Set(stored.map(({ scope, lane, status }) => `${scope} ${lane} ${status}`))).toEqual(
    new Set(["platform transactional sent"]),
  );
  expect(stored.map(({ to_user_id }) => to_user_id).toSorted()).toEqual([11, 11, 12, 12]);
});

it("reports neither a condition that one check found nor the end that one check found", async () => {
  const watch = await startWatch();
  watch.email.setStaff(staff);
  for (const report of [failingJob, {}, failingJob, {}]) {
    watch.setReport("hosting", report);
    await watch.check();
  }
  expect(watch.mails).toEqual([]);
  watch.setReport("hosting", failingJob);
  await watch.check();
  await watch.check();
  expect(watch.mails).toHaveLength(2);
  for (const report of [{}, failingJob, {}, failingJob]) {
    watch.setReport("hosting", report);
    await watch.check();
  }
  expect(watch.mails).toHaveLength(2);
});

it("finds services that do not respond, stopped schedulers and counts from their threshold on", async () => {
  const watch = await startWatch({ WATCH_THRESHOLDS: "sign_ins_refused=3,mails_refused=0,messages_waiting=0" });
  const entry = (code: string, count: number) => ({ code, count, is_capped: false });
  watch.email.setReport({
    entries: [entry("sign_ins_refused", 3), entry("mails_refused", 900), entry("deliveries_dead", 99), entry("new", 9)],
    scheduler_state: "stale",
  });
  watch.setReport("hosting", null);
  watch.setReport("storage", { broker_reachable: false });
  await watch.check();
  const found = (await readRows(alerts, undefined)).filter(({ service }) => service !== "email");
  expect(found.map(({ id, count }) => [id, count])).toEqual([
    ["hosting/unreachable", null],
    ["identity/scheduler_stopped", null],
    ["identity/sign_ins_refused", 3],
    ["storage/scheduler_stopped", null],
  ]);
});

it("keeps the conditions of a service that does not respond until it responds again", async () => {
  const watch = await startWatch({ WATCH_HOLD_SECONDS: "0", WATCH_EMAILS: "ops@example.com" });
  watch.setReport("hosting", failingJob);
  await watch.check();
  watch.setReport("hosting", null);
  await watch.check();
  watch.setReport("hosting", {});
  await watch.check();
  expect(watch.mails.map(({ subject }) => subject)).toEqual([
    "Alert: The job retry_webhooks fails or is overdue (hosting)",
    "Alert: The service does not respond (hosting)",
    "Resolved: 2 problems",
  ]);
});

it("mails the addresses of WATCH_EMAILS in WATCH_LANGUAGE, also while identity does not respond", async () => {
  const watch = await startWatch({ WATCH_EMAILS: "ops@example.com, ops@example.com", WATCH_LANGUAGE: "fr" });
  watch.email.setStaff(staff);
  watch.email.setIdentityAway(true);
  await watch.check();
  await watch.check();
  expect(watch.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [["ops@example.com"], "Alerte\u00a0: Le service ne répond pas (identity)"],
  ]);
});

it("mails the staff as soon as identity responds again, and gives a notice up after a day", async () => {
  const watch = await startWatch();
  watch.email.setStaff(staff);
  watch.email.setIdentityAway(true);
  await watch.check();
  await watch.check();
  expect((await lastRun())?.status).toBe("succeeded");
  expect(watch.mails).toEqual([]);
  watch.email.setIdentityAway(false);
  await watch.check();
  expect(watch.mails.map(({ subject }) => subject)).toEqual([
    "Alert: The service does not respond (identity)",
    "Alerte\u00a0: Le service ne répond pas (identity)",
  ]);
  await watch.check();
  expect(watch.mails).toHaveLength(4);

  watch.email.setIdentityAway(true);
  await watch.check();
  await watch.check();
  expect(await readRows(alert_notices, undefined)).toHaveLength(1);
  watch.advance(86_400_000);
  await watch.check();
  expect(await readRows(alert_notices, undefined)).toEqual([]);
  expect(watch.mails).toHaveLength(4);
});

it("posts conditions to WATCH_WEBHOOK_URL, signed like a webhook, until the receiver accepts them", async () => {
  const watch = await startWatch({ WATCH_WEBHOOK_URL: WEBHOOK_URL, WATCH_WEBHOOK_SECRET: WEBHOOK_SECRET });
  const count = { code: "sign_ins_refused", count: 120, is_capped: false };
  watch.email.setReport({ entries: [count] });
  watch.setReport("hosting", failingJob);
  await watch.check();
  const startedAt = new Date(watch.now()).toISOString();
  watch.answers.webhook = 500;
  await watch.check();
  watch.answers.webhook = 204;
  await watch.check();
  await watch.check();
  const [first, second] = watch.posts;
  if (first === undefined || second === undefined) throw new Error("a post is missing");
  expect(watch.posts).toHaveLength(2);
  expect(second.body).toBe(first.body);
  const id = first.headers.get("webhook-id") ?? "";
  expect(second.headers.get("webhook-id")).toBe(id);
  expect(second.headers.get("x-platform-delivery-attempt")).toBe("2");
  const timestamp = Number(second.headers.get("webhook-timestamp"));
  const signature = await sign([WEBHOOK_SECRET], { id, timestamp, body: second.body });
  expect(second.headers.get("webhook-signature")).toBe(signature);
  expect(JSON.parse(first.body)).toEqual({
    type: "platform.alert.firing",
    timestamp: new Date(Date.parse(startedAt) + 300_000).toISOString(),
    text: [
      "Alert: Many sign-ins are rejected (identity): 120",
      "Alert: The job retry_webhooks fails or is overdue (hosting)",
    ].join("\n"),
    data: {
      alerts: [
        {
          service: "identity",
          code: "sign_ins_refused",
          job: null,
          count: 120,
          started_at: startedAt,
          ended_at: null,
        },
        {
          service: "hosting",
          code: "job_failing",
          job: "retry_webhooks",
          count: null,
          started_at: startedAt,
          ended_at: null,
        },
      ],
    },
  });
  // Nobody is staff, so no mail is sent.
  expect(watch.mails).toEqual([]);
  expect(await readRows(alert_notices, undefined)).toEqual([]);
});

it("reports each change once although a run dies at any call and is repeated", async () => {
  const vars = {
    WATCH_EMAILS: "ops@example.com",
    WATCH_WEBHOOK_URL: WEBHOOK_URL,
    WATCH_WEBHOOK_SECRET: WEBHOOK_SECRET,
  };
  let hasDied = true;
  for (let cut = 0; hasDied; cut += 1) {
    const watch = await startWatch({ ...vars, EMAIL_DELIVER_SYNC: "false" });
    const database = cutCalls(cut);
    const dying = { DB: wrapCalls(watch.email.bindings.DB, database.call) };
    watch.setReport("hosting", null);
    await watch.check();
    await watch.check(dying);
    hasDied = database.count() > cut;
    await watch.check();
    const queued = await readRows(messages, eq(messages.company_id, watch.company));
    expect(
      queued.map(({ event_type, status }) => [event_type, status]),
      `cut ${cut}`,
    ).toEqual([["platform.alert.firing", "queued"]]);
    expect(new Set(watch.posts.map(({ headers }) => headers.get("webhook-id"))).size, `cut ${cut}`).toBe(1);
    expect(watch.posts.length, `cut ${cut}`).toBeLessThanOrEqual(2);
    expect(await readRows(alert_notices, undefined)).toEqual([]);
    expect(await readRows(alerts, undefined)).toMatchObject([{ id: "hosting/unreachable", cleared_at: null }]);
    await endWatch();
  }
});

it("changes nothing in a run that has lost its lock", async () => {
  const watch = await startWatch({ WATCH_EMAILS: "ops@example.com", WATCH_HOLD_SECONDS: "0" });
  watch.setReport("hosting", null);
  const overtake = () => updateRows(scheduled_job_states, { fence: 1_000_000 }, eq(scheduled_job_states.job, "watch"));
  await watch.check({ DB: watchCalls(watch.email.bindings.DB, { after: overtake }) });
  expect([await readRows(alerts, undefined), await readRows(alert_notices, undefined), watch.mails]).toEqual([
    [],
    [],
    [],
  ]);
});

it("posts nothing to an address that is not public", async () => {
  const url = "https://10.0.0.8/alerts";
  const watch = await startWatch({ WATCH_WEBHOOK_URL: url, WATCH_WEBHOOK_SECRET: "s", WATCH_HOLD_SECONDS: "0" });
  watch.setReport("hosting", null);
  await watch.check();
  expect(watch.posts).toEqual([]);
  expect(await readRows(alert_notices, undefined)).toMatchObject([{ is_post_due: true, post_attempts: 1 }]);
});

it("reports without mails when no company uses the platform sender", async () => {
  const watch = await startWatch({
    EMAIL_PLATFORM_COMPANY_IDS: "",
    WATCH_WEBHOOK_URL: WEBHOOK_URL,
    WATCH_WEBHOOK_SECRET: WEBHOOK_SECRET,
    WATCH_EMAILS: "ops@example.com",
  });
  watch.setReport("storage", null);
  await watch.check();
  await watch.check();
  expect([watch.mails.length, watch.posts.length]).toEqual([0, 1]);
});

it("prints the conditions in a dry run, which stores nothing", async () => {
  const OPERATOR_KEY = `opk_${"e".repeat(40)}`;
  const watch = await startWatch({ OPERATOR_KEY });
  watch.setReport("hosting", { ...failingJob, entries: [{ code: "domains_failed", count: 12, is_capped: false }] });
  const response = await watch.email.call("/api/v1/management/watch", {
    bearer: OPERATOR_KEY,
    json: { flags: { dry_run: true } },
  });
  expect(await response.text()).toContain("watch: found hosting/job_failing/retry_webhooks hosting/domains_failed=12");
  expect(await readRows(alerts, undefined)).toEqual([]);
});
