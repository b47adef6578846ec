import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { decisions, messages, suppressions, unsubscribes } from "../../../../db/email/schema";
import type { BatchResults } from "../../../kit/db/db";
import { integer, json } from "../../../kit/db/kind";
import { indexedBy, isInList, queryBuilder, selectRows } from "../../../kit/db/query";
import { type Bound, statement } from "../../../kit/db/statement";

const MAX_DECISIONS = 200;

const hashes = json<readonly string[]>();
const m = messages;
const fields = {
  id: m.id,
  service: m.service,
  event_type: m.event_type,
  template_key: m.template_key,
  language: m.language,
  lane: m.lane,
  status: m.status,
  to_user_id: m.to_user_id,
  accepted_at: m.accepted_at,
  sent_at: m.sent_at,
  events: m.events,
};

const findMessages = statement(
  { companyId: m.company_id, hashes, beforeTime: integer, beforeId: m.id, limit: integer },
  (p) =>
    selectRows(
      fields,
      (columns) => sql`select ${columns} from ${indexedBy(m, "messages_address")}
        where ${eq(m.company_id, p.companyId)} and ${isInList(m.email_hmac, p.hashes)}
          and (${m.accepted_at}, ${m.id}) < (${p.beforeTime}, ${p.beforeId})
        order by ${desc(m.accepted_at)}, ${desc(m.id)} limit ${p.limit}`,
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
export const exportReads = ({ companyId, hashes, ...page }: Page, entry: Bound) => ({
  messages: findMessages({ companyId, hashes, ...page }),
  suppressions: findSuppressions({ companyId, hashes }),
  unsubscribes: findUnsubscribes({ companyId, hashes }),
  decisions: findDecisions({ companyId, hashes }),
  entry,
});

/** The results of exportReads. */
export type ExportResults = BatchResults<ReturnType<typeof exportReads>>;
