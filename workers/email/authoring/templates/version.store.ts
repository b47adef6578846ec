import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isTemplateEditable } from "../../../../db/email/conditions/broadcasts";
import { broadcasts, messages, template_versions, templates } from "../../../../db/email/schema";
import { integer, nullable } from "../../../kit/db/kind";
import { allColumns, assignments, insertSelect, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { number, state, subject, preheader, document, published_at } = template_versions;
const publicColumns = { number, state, subject, preheader, document, published_at };
const version = { templateId: template_versions.template_id, number };

const isVersion = (p: Record<keyof typeof version, SQL<number>>) =>
  and(eq(template_versions.template_id, p.templateId), eq(number, p.number));

/** Statement: a version with all columns. */
export const findVersion = statement(version, (p) =>
  queryBuilder.select(allColumns(template_versions)).from(template_versions).where(isVersion(p)),
);

// Statement: the version with the highest number that meets the condition.
const findNewestWhere = (condition = sql``) =>
  statement({ templateId: template_versions.template_id }, (p) =>
    selectRows(
      { subject, preheader, document },
      (
        selected,
      ) => sql`select ${selected} from ${template_versions} where ${template_versions.template_id} = ${p.templateId} ${condition}
        order by ${number} desc limit 1`,
    ),
  );

/** Statement: the newest version of a custom template in any state. */
export const findNewest = findNewestWhere();

/** Statement: the newest draft of a custom template. */
export const findNewestDraft = findNewestWhere(sql`and ${state} = 'draft'`);

/** Statement: the number, subject and preheader of the newest version. */
export const findNewestTexts = statement({ templateId: template_versions.template_id }, (p) =>
  selectRows(
    { number, subject, preheader },
    (
      selected,
    ) => sql`select ${selected} from ${template_versions} where ${template_versions.template_id} = ${p.templateId}
      order by ${number} desc limit 1`,
  ),
);

/** Statement: the next versions after a number, ascending, limited by `limit` and `maxBytes`. Always returns the first one. */
export const listVersions = statement({ ...version, limit: integer, maxBytes: integer }, (p) => {
  const size = sql`sum(octet_length(${document})) over (order by ${number})`;
  const page = sql`select ${number} as number, ${size} as bytes, row_number() over (order by ${number}) as place from ${template_versions}
    where ${template_versions.template_id} = ${p.templateId} and ${number} > ${p.number} order by ${number} limit ${p.limit}`;
  return selectRows(
    publicColumns,
    (selected) => sql`select ${selected} from (${page}) p cross join ${template_versions}
      on ${template_versions.template_id} = ${p.templateId} and ${number} = p.number
      where p.bytes <= ${p.maxBytes} or p.place = 1 order by ${number}`,
  );
});

/** Statement: the number of a version by its id. */
export const findNumber = statement({ id: template_versions.id }, (p) =>
  queryBuilder.select({ number }).from(template_versions).where(eq(template_versions.id, p.id)),
);

/**
 * Statement: insert a draft with the next number if the template has fewer than `max` versions and no sent broadcast uses it. A
 * repeat inserts nothing.
 */
export const insertDraft = statement(
  {
    id: template_versions.id,
    subject,
    preheader,
    document,
    html: template_versions.html,
    text: template_versions.text,
    renderer_version: template_versions.renderer_version,
    checksum: template_versions.checksum,
    uses: template_versions.uses,
    templateId: templates.id,
    createdBy: nullable(integer),
    now: integer,
    max: integer,
  },
  ({ templateId, createdBy, now, max, ...composed }) => {
    const versionsOfTemplate = sql`from ${template_versions} where ${template_versions.template_id} = ${templateId}`;
    return insertSelect(
      template_versions,
      {
        ...composed,
        template_id: templates.id,
        number: sql`(select coalesce(max(${number}), 0) + 1 ${versionsOfTemplate})`,
        state: "draft",
        created_by: createdBy,
        published_at: null,
        created_at: now,
      },
      sql`from ${templates} where ${templates.id} = ${templateId} and ${templates.hidden_at} is null and (select count(*) ${versionsOfTemplate}) < ${max}
        and not exists (select 1 from ${template_versions} where ${template_versions.id} = ${composed.id})
        and ${isTemplateEditable(templates.id)}`,
    );
  },
);

const candidate = alias(template_versions, "candidate");

// Selects the versions of waiting messages by scanning these messages. SQLite evaluates it only for versions
// that are not drafts, because a draft was never sent.
const versionsOfWaitingMessages = sql`select ${messages.version_id} from ${messages} where ${messages.lane} in ('auth', 'transactional', 'bulk')
  and ${messages.next_attempt_at} is not null and ${messages.version_id} is not null`;

/**
 * Statement: when a template has `max` versions, delete the oldest one to make room for the draft `id`. A version may be
 * deleted if it is a draft, or if it was replaced before `replacedBefore` and no waiting message uses it. `replacedBefore` is
 * far enough in the past that every request that read the version has stored its message.
 */
export const deleteOldestVersion = statement(
  { id: template_versions.id, templateId: templates.id, max: integer, replacedBefore: integer },
  (p) => {
    const isReplaced = sql`exists (select 1 from ${template_versions} where ${template_versions.template_id} = ${templates.id} and ${number} = ${templates.active_version}
    and ${published_at} < ${p.replacedBefore})`;
    return sql`delete from ${template_versions} where ${template_versions.id} = (select ${candidate.id} from ${templates} cross join ${tableReference(candidate)} on ${candidate.template_id} = ${templates.id}
    where ${templates.id} = ${p.templateId} and ${templates.hidden_at} is null and not exists (select 1 from ${template_versions} where ${template_versions.id} = ${p.id})
      and (select count(*) from ${template_versions} where ${template_versions.template_id} = ${p.templateId}) >= ${p.max}
      and ${candidate.number} is not ${templates.active_version}
      and (${candidate.state} = 'draft' or (${isReplaced} and ${candidate.id} not in (${versionsOfWaitingMessages})))
    order by ${candidate.number} limit 1)`;
  },
);

/** Statement: set the source design of a template if the version was stored. */
export const setSourceDesign = statement(
  {
    templateId: templates.id,
    versionId: template_versions.id,
    source_key: templates.source_key,
    set_key: templates.set_key,
  },
  (p) => sql`update ${templates} set ${assignments(templates, { source_key: p.source_key, set_key: p.set_key })}
    where ${templates.id} = ${p.templateId} and exists (select 1 from ${template_versions} where ${template_versions.id} = ${p.versionId})`,
);

/**
 * Statement: set the active version unless the version or its template was deleted, or a sent broadcast uses the template. Run it
 * before `publish` and `archive`.
 */
export const activate = statement(
  version,
  (p) => sql`update ${templates} set ${assignments(templates, { active_version: p.number })}
    where ${templates.id} = ${p.templateId} and ${templates.hidden_at} is null and exists (select 1 from ${template_versions} where ${isVersion(p)})
      and ${isTemplateEditable(templates.id)}`,
);

const numberOf = (versionId: SQL) =>
  sql`(select ${number} from ${template_versions} where ${template_versions.id} = ${versionId})`;

/** Statement: like `activate`, for the version with this id. */
export const activateStored = statement(
  { templateId: templates.id, versionId: template_versions.id },
  (p) => sql`update ${templates} set ${assignments(templates, { active_version: numberOf(p.versionId) })}
    where ${templates.id} = ${p.templateId} and ${templates.hidden_at} is null and ${numberOf(p.versionId)} is not null
      and ${isTemplateEditable(templates.id)}`,
);

const isActivated = sql`exists (select 1 from ${templates} where ${templates.id} = ${template_versions.template_id} and ${templates.active_version} = ${number})`;

/** Statement: mark the activated version as published. */
export const publish = statement(
  { ...version, now: integer },
  (
    p,
  ) => sql`update ${template_versions} set ${assignments(template_versions, { state: "published", published_at: p.now })}
    where ${isVersion(p)} and ${isActivated}`,
);

/** Statement: like `publish`, for the version with this id. */
export const publishStored = statement(
  { versionId: template_versions.id, now: integer },
  (
    p,
  ) => sql`update ${template_versions} set ${assignments(template_versions, { state: "published", published_at: p.now })}
    where ${template_versions.id} = ${p.versionId} and ${isActivated}`,
);

/** Statement: the state of the broadcast that uses a template. */
export const findBroadcastState = statement({ templateId: broadcasts.template_id }, (p) =>
  queryBuilder.select({ state: broadcasts.state }).from(broadcasts).where(eq(broadcasts.template_id, p.templateId)),
);

/** Statement: archive every published version except the active one. */
export const archive = statement(
  { templateId: template_versions.template_id },
  (p) => sql`update ${template_versions} set ${assignments(template_versions, { state: "archived" })}
    where ${template_versions.template_id} = ${p.templateId} and ${state} = 'published' and not ${isActivated}`,
);
