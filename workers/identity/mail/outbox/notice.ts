import type { RuleNotice } from "../../../../schemas/rpc";
import { toSlices } from "../../../kit/db/slices";
import { uuid } from "../../../kit/ids";
import { DAY_MS } from "../../../kit/time";
import { mailedNameOf } from "../../company/company/company";
import type { IdentityServices } from "../../services";
import { sealOutboxMail } from "./mail";
import { findOwnersOf, insertNotices, type Owner } from "./notice.store";

/** Maximum number of recipients of a mail. */
const MAX_RECIPIENTS = 50;

/**
 * Queues mails to the owners of webhook subscriptions that have begun to fail: one mail per notice and language. The job
 * `retry_mail` sends them. A repeated notice queues no second mail.
 */
export async function queueNotices(services: IdentityServices, notices: readonly RuleNotice[]): Promise<void> {
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
  if (mails.length === 0) return;
  const deadline = now + DAY_MS;
  const stored = toSlices(mails).map((part) => insertNotices({ notices: part, now, deadline, requestId }));
  await db.batch({ stored });
}

const nameOf = (owner: Owner | undefined) =>
  owner === undefined ? "" : mailedNameOf({ name: owner.company_name, slug: owner.company_slug });

/** Returns the mails about a notice to the owners of its company, one per language. */
function mailsOf(notice: RuleNotice, owners: readonly Owner[]) {
  const { service, rule_id, company_id, rule_name, rule_event_type, host, told_at } = notice;
  const companyOwners = owners.filter((owner) => owner.company_id === company_id);
  const origin = companyOwners[0]?.origin ?? null;
  const app = origin === null ? {} : { app_home_url: `${origin}/` };
  const languages = [...new Set(companyOwners.map(({ language }) => language))];
  return languages.map((language) => ({
    company_id,
    template_key: "identity.action_rule.failing",
    language,
    idempotency_key: `rule-failing-${service}-${rule_id}-${told_at}-${language}`,
    to: companyOwners
      .filter((owner) => owner.language === language)
      .slice(0, MAX_RECIPIENTS)
      .map(({ id: user_id, email }) => ({ email, user_id })),
    variables: { company_name: nameOf(companyOwners[0]), rule_name, rule_event_type, host, ...app },
  }));
}
