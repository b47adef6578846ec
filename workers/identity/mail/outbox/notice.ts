import type { FailedDeploymentNotice, PausedBulkNotice, QuotaNotice, RuleNotice } from "../../../../schemas/rpc";
import { consoleLink } from "../../../kit/console-link";
import { toSlices } from "../../../kit/db/slices";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { DAY_MS, iso } from "../../../kit/time";
import { mailedNameOf } from "../../company/company/company";
import type { IdentityServices } from "../../services";
import { sealOutboxMail } from "./mail";
import { timeZoneOf } from "./mail-time-zone";
import { findNamesOf, findOwnersOf, insertNotices, type Owner } from "./notice.store";

/** Maximum number of recipients of a mail. */
const MAX_RECIPIENTS = 50;

/**
 * A mail to the active owners of a company. `deduplicationKey` identifies its cause: the same key queues no second mail.
 * `page` is the page of the administration that the mail links to, `occurredAt` (unix ms) the time of the event, and `actorId`
 * the user who caused it. The variables about them and `company_name` are added.
 */
export type OwnerNotice = {
  company_id: number;
  template_key: string;
  deduplicationKey: string;
  variables: Record<string, string>;
  page: string;
  occurredAt: number;
  actorId?: number;
};

/** Queues the mails about webhook subscriptions that have begun to fail. */
export function queueNotices(services: IdentityServices, notices: readonly RuleNotice[]): Promise<void> {
  return queueOwnerMails(
    services,
    notices.map((notice) => {
      const { service, rule_id, company_id, rule_name, rule_event_type, host, notice_at } = notice;
      const { failing_since, attempts, waiting, last_status } = notice;
      return {
        company_id,
        template_key: "identity.action_rule.failing",
        deduplicationKey: `rule-failing-${service}-${rule_id}-${notice_at}`,
        page: `/webhooks/${service}/${rule_id}`,
        occurredAt: notice_at,
        variables: {
          rule_name,
          rule_event_type,
          host,
          thread_id: `${service}-${rule_id}`,
          // A service of the previous version sends none of these during an upgrade.
          ...(failing_since ? { failing_since: iso(failing_since) } : {}),
          ...(attempts > 0 ? { attempts: String(attempts) } : {}),
          ...(waiting > 0 ? { waiting: String(waiting) } : {}),
          ...(last_status ? { last_status } : {}),
        },
      };
    }),
  );
}

/** Queues the mails about bulk mail that was paused because of complaints. */
export function queuePausedBulkNotices(
  services: IdentityServices,
  notices: readonly PausedBulkNotice[],
): Promise<void> {
  return queueOwnerMails(
    services,
    notices.map(({ company_id, complaints, sent, notice_at }) => ({
      company_id,
      template_key: "email.lane.paused",
      deduplicationKey: `bulk-paused-${company_id}-${notice_at}`,
      page: "/lanes/bulk",
      occurredAt: notice_at,
      variables: { complaints: String(complaints), sent_mails: String(sent) },
    })),
  );
}

/** Queues the mails about companies whose file storage is almost full: at most one per threshold and UTC day. */
export function queueQuotaNotices(services: IdentityServices, notices: readonly QuotaNotice[]): Promise<void> {
  return queueOwnerMails(
    services,
    notices.map(({ company_id, threshold, used_bytes, max_bytes, notice_at }) => ({
      company_id,
      template_key: "storage.quota.threshold_reached",
      deduplicationKey: `quota-${company_id}-${threshold}-${iso(notice_at).slice(0, 10)}`,
      page: "/quotas",
      occurredAt: notice_at,
      variables: {
        threshold: String(threshold),
        used_bytes: String(used_bytes),
        max_bytes: String(max_bytes),
        thread_id: "company",
      },
    })),
  );
}

/** Queues the mails about deployments that failed. */
export function queueFailedDeploymentNotices(
  services: IdentityServices,
  notices: readonly FailedDeploymentNotice[],
): Promise<void> {
  return queueOwnerMails(
    services,
    notices.map(({ company_id, app_id, deployment_id, user_id, display_name, app_version, error, notice_at }) => ({
      company_id,
      template_key: "hosting.deployment.failed",
      deduplicationKey: `deployment-failed-${deployment_id}-${notice_at}`,
      page: `/apps/${app_id}/deployments/${deployment_id}`,
      occurredAt: notice_at,
      actorId: user_id,
      variables: { display_name, app_version, error },
    })),
  );
}

/** Queues mails to the owners of companies: one mail per notice and language. The job `retry_mail` sends them. */
export async function queueOwnerMails(services: IdentityServices, notices: readonly OwnerNotice[]): Promise<void> {
  const stored = await ownerMailStatements(services, notices);
  if (stored.length > 0) await services.db.batch({ stored });
}

/** Reads the owners of the companies and returns the statements that queue the mails to them, as queueOwnerMails does. */
export async function ownerMailStatements(
  services: IdentityServices,
  notices: readonly OwnerNotice[],
): Promise<Bound[]> {
  const { db, clock, requestId } = services;
  const { owners, actors } = await db.batch({
    owners: findOwnersOf({ companies: [...new Set(notices.map((notice) => notice.company_id))] }),
    actors: findNamesOf({ users: notices.flatMap(({ actorId }) => actorId ?? []) }),
  });
  const actorNames = new Map(actors.rows.map(({ id, name }) => [id, name]));
  const now = clock.now();
  const mails = await Promise.all(
    notices.flatMap((notice) =>
      mailsOf(services, notice, { owners: owners.rows, actorNames }).map(async (mail) => {
        const id = uuid();
        const sealed = await sealOutboxMail(services, id, mail);
        return { id, company_id: mail.company_id, key: mail.idempotency_key, sealed };
      }),
    ),
  );
  const deadline = now + DAY_MS;
  return toSlices(mails).map((part) => insertNotices({ notices: part, now, deadline, requestId }));
}

const nameOf = (owner: Owner | undefined) =>
  owner === undefined ? "" : mailedNameOf({ name: owner.company_name, slug: owner.company_slug });

/** Returns the mails of a notice to the owners of its company, one per language. */
function mailsOf(
  { settings }: IdentityServices,
  { company_id, template_key, deduplicationKey, variables, page, occurredAt, actorId }: OwnerNotice,
  { owners, actorNames }: { owners: readonly Owner[]; actorNames: ReadonlyMap<number, string> },
) {
  const companyOwners = owners.filter((owner) => owner.company_id === company_id);
  const actor_name = actorId === undefined ? undefined : actorNames.get(actorId);
  const languages = [...new Set(companyOwners.map(({ language }) => language))];
  return languages.map((language) => ({
    company_id,
    template_key,
    language,
    idempotency_key: `${deduplicationKey}-${language}`,
    to: companyOwners
      .filter((owner) => owner.language === language)
      .slice(0, MAX_RECIPIENTS)
      .map(({ id: user_id, email, region }) => ({ email, user_id, ...timeZoneOf(region) })),
    variables: {
      company_name: nameOf(companyOwners[0]),
      ...variables,
      ...(actor_name === undefined ? {} : { actor_name }),
      occurred_at: iso(occurredAt),
      ...consoleLink(settings.webhooks.email.consoleUrl, page),
    },
  }));
}
