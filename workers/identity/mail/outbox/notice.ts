import type { FailedDeploymentNotice, PausedBulkNotice, RuleNotice } from "../../../../schemas/rpc";
import { toSlices } from "../../../kit/db/slices";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { DAY_MS } from "../../../kit/time";
import { mailedNameOf } from "../../company/company/company";
import type { IdentityServices } from "../../services";
import { sealOutboxMail } from "./mail";
import { findOwnersOf, insertNotices, type Owner } from "./notice.store";

/** Maximum number of recipients of a mail. */
const MAX_RECIPIENTS = 50;

/**
 * A mail to the active owners of a company. `deduplicationKey` identifies its cause: the same key queues no second mail.
 * `company_name` is added to the variables, and `app_home_url` unless `hasAppLink` is false.
 */
export type OwnerNotice = {
  company_id: number;
  template_key: string;
  deduplicationKey: string;
  variables: Record<string, string>;
  hasAppLink?: boolean;
};

/** Queues the mails about webhook subscriptions that have begun to fail. */
export function queueNotices(services: IdentityServices, notices: readonly RuleNotice[]): Promise<void> {
  return queueOwnerMails(
    services,
    notices.map(({ service, rule_id, company_id, rule_name, rule_event_type, host, notice_at }) => ({
      company_id,
      template_key: "identity.action_rule.failing",
      deduplicationKey: `rule-failing-${service}-${rule_id}-${notice_at}`,
      variables: { rule_name, rule_event_type, host },
    })),
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
      variables: { complaints: String(complaints), sent_mails: String(sent) },
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
    notices.map(({ company_id, deployment_id, display_name, app_version, error, notice_at }) => ({
      company_id,
      template_key: "hosting.deployment.failed",
      deduplicationKey: `deployment-failed-${deployment_id}-${notice_at}`,
      variables: { display_name, app_version, error },
      hasAppLink: false,
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
  const owners = await db.all(findOwnersOf({ companies: [...new Set(notices.map((notice) => notice.company_id))] }));
  const now = clock.now();
  const mails = await Promise.all(
    notices.flatMap((notice) =>
      mailsOf(notice, owners).map(async (mail) => {
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
  { company_id, template_key, deduplicationKey, variables, hasAppLink = true }: OwnerNotice,
  owners: readonly Owner[],
) {
  const companyOwners = owners.filter((owner) => owner.company_id === company_id);
  const origin = companyOwners[0]?.origin ?? null;
  const app = origin === null || !hasAppLink ? {} : { app_home_url: `${origin}/` };
  const languages = [...new Set(companyOwners.map(({ language }) => language))];
  return languages.map((language) => ({
    company_id,
    template_key,
    language,
    idempotency_key: `${deduplicationKey}-${language}`,
    to: companyOwners
      .filter((owner) => owner.language === language)
      .slice(0, MAX_RECIPIENTS)
      .map(({ id: user_id, email }) => ({ email, user_id })),
    variables: { company_name: nameOf(companyOwners[0]), ...variables, ...app },
  }));
}
