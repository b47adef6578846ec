import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { isEditable } from "../../../../db/email/conditions/broadcasts";
import { broadcasts, library_templates, newsletters, template_versions, templates } from "../../../../db/email/schema";
import { integer, nullable } from "../../../kit/db/kind";
import { assignments, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, state } = broadcasts;

// The newsletter may be deleted after its subscribers were counted. Its deletion stops at broadcasts that have started.
const hasNewsletter = sql`(${broadcasts.list_id} is null
  or exists (select 1 from ${newsletters} where ${newsletters.id} = ${broadcasts.list_id}))`;

/**
 * Statement: queue or schedule a broadcast that can be sent, and whose newsletter exists. It pins the published version, so
 * that a later publication changes nothing. Of concurrent requests, one changes the row.
 */
export const startBroadcast = statement(
  {
    id,
    state,
    scope: broadcasts.scope,
    from: broadcasts.from_email,
    bearer: broadcasts.bearer_enc,
    bearerEnd: broadcasts.bearer_expires_at,
    userId: nullable(integer),
    sendAt: nullable(integer),
    now: integer,
  },
  (p) => {
    const published = (column: typeof template_versions.id | typeof template_versions.number) =>
      sql`(select ${column} from ${templates} cross join ${template_versions}
        on ${template_versions.template_id} = ${templates.id} and ${template_versions.number} = ${templates.active_version}
        where ${templates.id} = ${broadcasts.template_id})`;
    return sql`update ${broadcasts} set ${assignments(broadcasts, {
      state: p.state,
      paused_state: null,
      version_id: published(template_versions.id),
      template_version: published(template_versions.number),
      scope: p.scope,
      from_email: p.from,
      bearer_enc: p.bearer,
      bearer_expires_at: p.bearerEnd,
      granted_by: p.userId,
      send_at: p.sendAt,
      cursor: sql`''`,
      failed_pages: sql`0`,
      failed_steps: sql`0`,
      pending: sql`0`,
      skipped_unsubscribed: sql`0`,
      skipped_suppressed: sql`0`,
      removed: sql`0`,
      messages: sql`0`,
      step_token: null,
      step_until: null,
      next_step_at: sql`coalesce(${p.sendAt}, ${p.now})`,
      last_error_code: sql`''`,
      started_at: null,
      sent_at: null,
      updated_at: p.now,
    })} where ${id} = ${p.id} and ${isEditable} and ${hasNewsletter}`;
  },
);

const moved = { id, now: integer };

/** Statement: pause a broadcast that is being prepared or sent. */
export const pauseBroadcast = statement(moved, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({ state: "paused", paused_state: sql`${state}`, updated_at: p.now })
    .where(and(eq(id, p.id), inArray(state, ["preparing", "sending"]))),
);

/** Statement: continue a paused broadcast in the state that it had. */
export const resumeBroadcast = statement(moved, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({
      state: sql`${broadcasts.paused_state}`,
      paused_state: null,
      next_step_at: p.now,
      updated_at: p.now,
    })
    .where(and(eq(id, p.id), eq(state, "paused"))),
);

/** Statement: cancel a broadcast that has not ended. Its recipients without a message are removed in later steps. */
export const cancelBroadcast = statement(moved, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({
      state: "cancelled",
      paused_state: null,
      removed: sql`${broadcasts.removed} + ${broadcasts.pending}`,
      pending: 0,
      bearer_enc: null,
      bearer_expires_at: null,
      next_step_at: p.now,
      updated_at: p.now,
    })
    .where(and(eq(id, p.id), inArray(state, ["scheduled", "queued", "preparing", "sending", "paused"]))),
);

/** Statement: the document of the library design with this key, if it is built in or belongs to the company. */
export const findDesignDocument = statement({ key: library_templates.key, companyId: integer }, (p) =>
  queryBuilder
    .select({ document: library_templates.document })
    .from(library_templates)
    .where(
      and(
        eq(library_templates.key, p.key),
        sql`(${isNull(library_templates.company_id)} or ${eq(library_templates.company_id, p.companyId)})`,
      ),
    ),
);
