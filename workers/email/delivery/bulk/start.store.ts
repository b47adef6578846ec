import { type SQL, sql } from "drizzle-orm";
import { isSuppressed, isUnsubscribed } from "../../../../db/email/conditions/blocked";
import { isNotHeld } from "../../../../db/email/conditions/broadcasts";
import { messages } from "../../../../db/email/schema";
import { integer, json, text } from "../../../kit/db/kind";
import { assignments, isInList, jsonEach, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const parameters = { ids: json<readonly string[]>(), token: text, now: integer };

const mayStart = (p: { token: SQL<string>; now: SQL<number> }) =>
  sql`${messages.lease_token} = ${p.token} and ${messages.status} = 'sending' and ${messages.locked_until} > ${p.now}
    and ${isNotHeld} and not ${isSuppressed(p.now)} and not ${isUnsubscribed}`;

/**
 * Statement: marks the leased messages whose content may be sent by SMTP from now on, and returns their ids. A repeated
 * statement returns the same ids.
 */
export const markStarted = statement(parameters, (p) =>
  selectRows({ id: messages.id }, (columns) => {
    const change = assignments(messages, { data_started: true });
    return sql`update ${messages} set ${change} where ${isInList(messages.id, p.ids)} and ${mayStart(p)} returning ${columns}`;
  }),
);

/** Statement: the leased messages that may be sent from now on, without a mark. */
export const findStartable = statement(parameters, (p) => {
  const id = jsonEach(p.ids);
  return selectRows(
    { id: messages.id },
    (columns) =>
      sql`select ${columns} from ${id.from} cross join ${messages} on ${messages.id} = ${id.value} where ${mayStart(p)}`,
  );
});
