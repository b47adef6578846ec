import { desc, eq, gt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  companies,
  event_log,
  frequentTypes,
  invitations,
  memberships,
  scim_events,
} from "../../../../db/identity/schema";
import { idBefore } from "../../../../db/kit/ids";
import { isNotAmong } from "../../../../db/kit/webhooks";
import { indexedBy, tableReference } from "../../../kit/db/query";
import { createOverview, type OverviewEntry } from "../../../kit/overview/entry.store";
import { companiesOf, jobsParameter, kitEntries } from "../../../kit/overview/kit-entries.store";
import { pathOf } from "../../../kit/overview/path";
import { DAY_MS, HOUR_MS } from "../../../kit/time";

/** Returns the condition that a row belongs to the company, or to any company when null. */
const isOf = (column: SQLWrapper, company: SQL | null) => (company === null ? gt(column, 0) : eq(column, company));

/** Rejected sign-ins. The entries of one company are read from its log, because their index has no company. */
const refusedSignIns: OverviewEntry = {
  code: "sign_ins_refused",
  severity: "warning",
  sinceMs: HOUR_MS,
  rows: ({ company, now }) => {
    const isRecent = gt(event_log.id, idBefore(sql`${now} - ${HOUR_MS}`));
    return company === null
      ? sql`select ${event_log.company_id} as company_id, 1 as matches from ${indexedBy(event_log, "event_log_refused")}
          where ${event_log.outcome} = 'failure' and ${isRecent}`
      : sql`select ${event_log.company_id} as company_id, coalesce(${event_log.outcome} = 'failure', 0) as matches
          from ${event_log} where ${event_log.company_id} = ${company} and ${isRecent} order by ${desc(event_log.id)}`;
  },
  list: ({ companyId, since }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/login-events", { company_id: companyId, outcome: "failure", created_after: since }),
};

const joinRequests: OverviewEntry = {
  code: "join_requests_pending",
  severity: "warning",
  rows: ({ company }) => sql`select ${memberships.company_id} as company_id, 1 as matches
    from ${indexedBy(memberships, "memberships_pending")}
    where ${memberships.state} = 'pending' and ${isOf(memberships.company_id, company)}`,
  list: ({ companyId }) =>
    companyId === null ? null : pathOf("/api/v1/users", { company_id: companyId, access_state: "pending" }),
};

const failure = alias(event_log, "failure");

/** Mails about access and to owners that the email service rejects because the company has no sender for them. */
const refusedMails: OverviewEntry = {
  code: "mails_refused",
  severity: "error",
  sinceMs: DAY_MS,
  rows: ({ company, now }) => sql`select company.id as company_id,
      coalesce(${failure.data} ->> '$.failure_reason' = 'http_409', 0) as matches
    from ${company === null ? companiesOf(event_log) : sql`(select ${company} as id) company`}
    left join ${indexedBy(failure, "event_log_rare")} on ${failure.company_id} = company.id
      and ${failure.event_type} = 'identity.membership.mail_failed' and ${failure.event_type} ${isNotAmong(frequentTypes)}
      and ${gt(failure.id, idBefore(sql`${now} - ${DAY_MS}`))}`,
  list: ({ companyId, since }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/events", {
          company_id: companyId,
          event_type: "identity.membership.mail_failed",
          created_after: since,
        }),
};

/** Open invitations whose mail failed. */
const failedInvitationMails: OverviewEntry = {
  code: "invitation_mails_failed",
  severity: "error",
  rows: ({ company, now }) => sql`select ${invitations.company_id} as company_id,
      ${invitations.expires_at} > ${now} as matches
    from ${indexedBy(invitations, "invitations_mail_failed")}
    where ${invitations.status} = 'pending' and ${invitations.mail_state} in ('failed', 'expired')
      and ${isOf(invitations.company_id, company)} order by ${desc(invitations.company_id)}, ${desc(invitations.id)}`,
  list: ({ companyId }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/invitations", { company_id: companyId, status: "pending", mail_state: "failed" }),
};

const change = alias(scim_events, "change");

/** Changes that directories requested and that were rejected. */
const rejectedDirectoryChanges: OverviewEntry = {
  code: "directory_changes_rejected",
  severity: "error",
  sinceMs: DAY_MS,
  rows: ({ company, now }) => sql`select company.id as company_id, coalesce(${change.ok} = 0, 0) as matches
    from ${company === null ? companiesOf(scim_events) : sql`(select ${company} as id) company`}
    left join ${tableReference(change)} on ${change.company_id} = company.id
      and ${gt(change.id, idBefore(sql`${now} - ${DAY_MS}`))}`,
  list: ({ companyId, since }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/scim/events", { company_id: companyId, ok: "false", created_after: since }),
};

const retentionDays = (company: SQLWrapper) =>
  sql`(select ${companies.data_retention_days} from ${companies} where ${companies.id} = ${company})`;

/** The statements that read the overview of identity. A new entry is one line in this list. */
export const overview = createOverview(
  [
    ...kitEntries(event_log, retentionDays),
    refusedSignIns,
    joinRequests,
    refusedMails,
    failedInvitationMails,
    rejectedDirectoryChanges,
  ],
  {},
  jobsParameter,
);
