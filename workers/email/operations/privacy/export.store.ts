import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { decisions, messages, suppressions, unsubscribes } from "../../../../db/email/schema";
import type { BatchResults } from "../../../kit/db/db";
import { integer, json } from "../../../kit/db/kind";
import { indexedBy, isInList, queryBuilder, selectRows } from "../../../kit/db/query";
import { type Bound, statement } from "../../../kit/db/statement";
import { findBroadcastsOfAddress } from "./erased-recipients.store";
import { findSubscriptionsOfAddress } from "./erased-subscribers.store";

const MAX_DECISIONS = 200;

const hashes = json<readonly string[]>();
const fields = {
  id: messages.id,
  service: messages.service,
  event_type: messages.event_type,
  template_key: messages.template_key,
  language: messages.language,
  lane: messages.lane,
  status: messages.status,
  to_user_id: messages.to_user_id,
  accepted_at: messages.accepted_at,
  sent_at: messages.sent_at,
  events: messages.events,
};

const findMessages = statement(
  { companyId: messages.company_id, hashes, beforeTime: integer, beforeId: messages.id, limit: integer },
  (p) =>
    selectRows(
      fields,
      (columns) => sql`select ${columns} from ${indexedBy(messages, "messages_address")}
        where ${eq(messages.company_id, p.companyId)} and ${isInList(messages.email_hmac, p.hashes)}
          and (${messages.accepted_at}, ${messages.id}) < (${p.beforeTime}, ${p.beforeId})
        order by ${desc(messages.accepted_at)}, ${desc(messages.id)} limit ${p.limit}`,
    ),
);

const belongsToAddress = (
  t: typeof suppressions | typeof unsubscribes,
  p: { companyId: SQL; hashes: SQL<readonly string[]> },
) => and(eq(t.company_id, p.companyId), isInList(t.email_hmac, p.hashes));

const findSuppressions = statement({ companyId: suppressions.company_id, hashes }, (p) => {
  const { id, reason, lanes, expires_at, created_at } = suppressions;
  return queryBuilder
    .select({ reason, lanes, expires_at, created_at })
    .from(suppressions)
    .where(belongsToAddress(suppressions, p))
    .orderBy(id);
});

const findUnsubscribes = statement({ companyId: unsubscribes.company_id, hashes }, (p) => {
  const { id, category, source, created_at } = unsubscribes;
  return queryBuilder
    .select({ category, source, created_at })
    .from(unsubscribes)
    .where(belongsToAddress(unsubscribes, p))
    .orderBy(id);
});

const findDecisions = statement({ companyId: decisions.company_id, hashes }, (p) => {
  const { id, company_id, email_hmac, service, event_type, reason, created_at } = decisions;
  return selectRows(
    { service, event_type, reason, created_at },
    (columns) => sql`select ${columns} from ${indexedBy(decisions, "decisions_address")}
      where ${eq(company_id, p.companyId)} and ${email_hmac} is not null and ${isInList(email_hmac, p.hashes)}
      order by ${desc(id)} limit ${MAX_DECISIONS}`,
  );
});

type Page = { companyId: number; hashes: readonly string[]; beforeTime: number; beforeId: string; limit: number };

/** Returns the statements that read the data of an address and one page of its messages, and store the audit entry. */
export const selectExport = ({ companyId, hashes, ...page }: Page, entry: Bound) => ({
  messages: findMessages({ companyId, hashes, ...page }),
  suppressions: findSuppressions({ companyId, hashes }),
  unsubscribes: findUnsubscribes({ companyId, hashes }),
  decisions: findDecisions({ companyId, hashes }),
  broadcasts: findBroadcastsOfAddress({ companyId, hashes }),
  newsletters: findSubscriptionsOfAddress({ companyId, hashes }),
  entry,
});

/** The results of selectExport. */
export type ExportResults = BatchResults<ReturnType<typeof selectExport>>;
