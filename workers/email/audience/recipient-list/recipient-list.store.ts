import { and, asc, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { broadcast_recipients, messages, subscribers } from "../../../../db/email/schema";
import { boundedScan, scanParameters } from "../../../kit/db/bounded-scan";
import { integer, nullable, text } from "../../../kit/db/kind";
import { filterUnlessNull, indexedBy, nullableColumn, selectRows, tableReference } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const message = alias(messages, "message");
const candidate = alias(messages, "candidate");
const recipient = alias(broadcast_recipients, "recipient");
const waiting = alias(broadcast_recipients, "waiting");

const { id, company_id, status, to_enc, to_masked, to_user_id, language, last_error_code, accepted_at, sent_at } =
  message;
const messageColumns = {
  ...{ id, company_id, status, to_enc, to_masked, to_user_id, language, last_error_code, accepted_at, sent_at },
  subscriber_id: nullableColumn(subscribers.id),
};

/**
 * Statement: messages of a template after a position, oldest first. No other mail has the template of a broadcast. `statuses` is
 * null or `,sent,bounced,`; `until` is included.
 */
export const listSentRecipients = statement(
  {
    companyId: candidate.company_id,
    templateKey: candidate.template_key,
    afterTime: integer,
    afterId: candidate.id,
    until: integer,
    statuses: nullable(text),
    ...scanParameters,
  },
  (p) => {
    const range = and(
      eq(candidate.company_id, p.companyId),
      sql`(${candidate.accepted_at}, ${candidate.id}) > (${p.afterTime}, ${p.afterId})`,
      sql`${candidate.accepted_at} <= ${p.until}`,
    );
    const hasStatus = filterUnlessNull(p.statuses, sql`instr(${p.statuses}, ',' || ${candidate.status} || ',') > 0`);
    const page = boundedScan(
      {
        key: candidate.id,
        matches: sql`${eq(candidate.template_key, p.templateKey)} and ${hasStatus}`,
        range: sql`from ${indexedBy(candidate, "messages_company")} where ${range}
          order by ${asc(candidate.accepted_at)}, ${asc(candidate.id)}`,
      },
      p,
    );
    return selectRows(
      { ...messageColumns, ...page.end },
      (columns) => sql`select ${columns} from ${page.from} cross join ${tableReference(message)} on ${id} = ${page.key}
        left join ${subscribers} on ${subscribers.company_id} = ${company_id} and ${subscribers.email_hmac} = ${message.email_hmac}
          and ${subscribers.list_id} = ${message.list_id}
        order by ${asc(accepted_at)}, ${asc(id)}`,
    );
  },
);
export type SentRecipientRow = RowOfStatement<typeof listSentRecipients>;

const { email_hmac } = recipient;
const waitingColumns = {
  email_hmac,
  status: recipient.status,
  user_id: recipient.user_id,
  subscriber_id: recipient.subscriber_id,
  contact_enc: recipient.contact_enc,
  email_masked: recipient.email_masked,
  email_enc: nullableColumn(subscribers.email_enc),
  seal_id: nullableColumn(subscribers.seal_id),
};

/** Statement: recipients of a broadcast without a message after a position, by the hash of their address. */
export const listWaitingRecipients = statement(
  {
    broadcastId: waiting.broadcast_id,
    after: waiting.email_hmac,
    status: nullable(waiting.status),
    ...scanParameters,
  },
  (p) => {
    const page = boundedScan(
      {
        key: waiting.email_hmac,
        matches: filterUnlessNull(p.status, sql`${waiting.status} = ${p.status}`),
        range: sql`from ${tableReference(waiting)} where ${eq(waiting.broadcast_id, p.broadcastId)}
          and ${waiting.email_hmac} > ${p.after} order by ${asc(waiting.email_hmac)}`,
      },
      p,
    );
    return selectRows(
      { ...waitingColumns, ...page.end },
      (columns) => sql`select ${columns} from ${page.from} cross join ${tableReference(recipient)}
          on ${recipient.broadcast_id} = ${p.broadcastId} and ${email_hmac} = ${page.key}
        left join ${subscribers} on ${subscribers.id} = ${recipient.subscriber_id}
        order by ${asc(email_hmac)}`,
    );
  },
);
export type WaitingRecipientRow = RowOfStatement<typeof listWaitingRecipients>;
