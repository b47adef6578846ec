import { jobFamilies } from "../../../kit/jobs/api/metrics.present";
import type { JobSet } from "../../../kit/jobs/job";
import type { Family } from "../../../kit/metrics/exposition";
import { webhookFamilies } from "../../../kit/webhooks/metrics.present";
import type { IdentityServices } from "../../services";
import { signInMethods } from "../../sign-in/methods/catalog";
import type { CompanyMetrics, CounterRow, GlobalMetrics } from "./metrics";

/** The series about users: the name without its prefix, the help text and the value. */
const userSeries: { name: string; help: (subject: string) => string; value: (metrics: CompanyMetrics) => number }[] = [
  { name: "users_total", help: (subject) => `${subject}.`, value: ({ totals }) => totals?.members ?? 0 },
  { name: "users_active", help: (subject) => `${subject} with access.`, value: ({ totals }) => totals?.allowed ?? 0 },
  { name: "users_staff", help: (subject) => `${subject} who are staff.`, value: ({ totals }) => totals?.staff ?? 0 },
  {
    name: "social_accounts_total",
    help: (subject) => `Provider identities linked to ${subject.toLowerCase()}.`,
    value: ({ totals }) => totals?.identities ?? 0,
  },
  {
    name: "daily_active_users",
    help: (subject) => `${subject} seen since the start of the UTC day.`,
    value: ({ activeUsers }) => activeUsers?.daily ?? 0,
  },
  {
    name: "weekly_active_users",
    help: (subject) => `${subject} seen since the start of the ISO week, UTC.`,
    value: ({ activeUsers }) => activeUsers?.weekly ?? 0,
  },
  {
    name: "monthly_active_users",
    help: (subject) => `${subject} seen since the start of the month, UTC.`,
    value: ({ activeUsers }) => activeUsers?.monthly ?? 0,
  },
];

/** The exposed totals. `label` is the name of the label besides `company_id`, or null. */
const totalSeries = [
  { counter: "successful_logins", help: "Completed sign-ins.", label: "provider" },
  ...Object.values(signInMethods).flatMap(({ totals }) => totals.map((total) => ({ ...total, label: null }))),
];

/** Returns the series of one company, each with its `company_id`. */
export function companyFamilies(metrics: CompanyMetrics & { companyId: number }): Family[] {
  const { companyId, webhooks, now } = metrics;
  const userFamilies = userSeries.map(({ name, help, value }) => ({
    name: `platform_auth_company_${name}`,
    type: "gauge" as const,
    help: help("Members of the company"),
    samples: [{ labels: { company_id: companyId }, value: value(metrics) }],
  }));
  const present = new Set(metrics.counters.map((row) => row.name));
  const zeros = totalSeries
    .filter(({ counter, label }) => label === null && !present.has(counter))
    .map(({ counter }) => ({ company_id: companyId, name: counter, label: "", value: 0 }));
  return [
    ...userFamilies,
    ...totalFamilies([...metrics.counters, ...zeros]),
    ...webhookFamilies("auth", webhooks, { companyId, now }),
  ];
}

/** Returns the series of the whole platform. The stored totals have the label `company_id`. */
export function globalFamilies(metrics: GlobalMetrics, set: JobSet<IdentityServices>): Family[] {
  const userFamilies = userSeries.map(({ name, help, value }) => ({
    name: `platform_auth_${name}`,
    type: "gauge" as const,
    help: help("Users"),
    samples: [{ value: value(metrics) }],
  }));
  const mail: Family = {
    name: "platform_auth_mail_outbox_pending",
    type: "gauge",
    help: "Mails that wait for the email service.",
    samples: [{ value: metrics.pendingMail }],
  };
  return [
    ...userFamilies,
    ...totalFamilies(metrics.counters),
    mail,
    ...webhookFamilies("auth", metrics.webhooks, { now: metrics.now }),
    ...jobFamilies("auth", set, metrics.jobs, metrics).map(roundSamples),
  ];
}

/** Rounds the samples to integers. Only the duration of a run is stored with decimals. */
function roundSamples(family: Family): Family {
  return { ...family, samples: family.samples.map((sample) => ({ ...sample, value: Math.round(sample.value) })) };
}

function totalFamilies(rows: CounterRow[]): Family[] {
  return totalSeries.map(({ counter, help, label }) => ({
    name: `platform_auth_${counter}_total`,
    type: "counter",
    help,
    samples: rows
      .filter((row) => row.name === counter)
      .map((row) => ({
        labels: { company_id: row.company_id, ...(label === null ? {} : { [label]: row.label }) },
        value: row.value,
      })),
  }));
}
