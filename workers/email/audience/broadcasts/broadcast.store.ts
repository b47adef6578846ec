import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { broadcastColumns as columns, isEditable } from "../../../../db/email/conditions/broadcasts";
import { isInForce } from "../../../../db/email/conditions/pauses";
import {
  broadcasts,
  company_providers,
  lane_states,
  library_templates,
  newsletters,
  template_versions,
  templates,
} from "../../../../db/email/schema";
import { boundedScan, type ScanInputs, scanParameters } from "../../../kit/db/bounded-scan";
import { boolean, integer, nullable, text } from "../../../kit/db/kind";
import {
  allColumns,
  assignments,
  filterUnlessNull,
  indexedBy,
  insertSelect,
  queryBuilder,
  selectRows,
} from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, company_id, state } = broadcasts;

/** Statement: a broadcast by its id. */
export const findBroadcast = statement({ id }, (p) =>
  queryBuilder.select(columns).from(broadcasts).where(eq(id, p.id)),
);

const candidate = alias(broadcasts, "candidate");

const page = { companyId: company_id, before: integer, since: integer, ...scanParameters };
type PageInputs = { companyId: SQL<number>; before: SQL<number>; since: SQL<number> } & ScanInputs;

const pageOf = (p: PageInputs, index: "broadcasts_company" | "broadcasts_state", isInRange: SQL) => {
  const scan = boundedScan(
    {
      key: candidate.id,
      matches: sql`${candidate.updated_at} >= ${p.since}`,
      range: sql`from ${indexedBy(candidate, index)} where ${candidate.company_id} = ${p.companyId} and ${isInRange}
        and ${candidate.id} < ${p.before} order by ${desc(candidate.id)}`,
    },
    p,
  );
  return selectRows(
    { ...columns, ...scan.end },
    (selected) =>
      sql`select ${selected} from ${scan.from} cross join ${broadcasts} on ${id} = ${scan.key} order by ${desc(id)}`,
  );
};

/** Statement: the broadcasts of a company before an id that have changed since a time (unix ms), newest first. */
export const listBroadcasts = statement(page, (p) => pageOf(p, "broadcasts_company", sql`true`));

/** Statement: the same broadcasts in one state. */
export const listBroadcastsInState = statement({ ...page, state }, (p) =>
  pageOf(p, "broadcasts_state", eq(candidate.state, p.state)),
);

const ofBroadcast = (broadcastId: SQL, column: SQL | typeof company_id) =>
  sql`(select ${column} from ${broadcasts} where ${id} = ${broadcastId})`;

/** The content that a broadcast would send or sent: its pinned version, or the published one. */
const { id: versionId, number, subject, preheader, document, html } = template_versions;
const content = { id: versionId, number, subject, preheader };

const whereContent = (
  broadcastId: SQL,
) => sql`from ${broadcasts} cross join ${templates} on ${templates.id} = ${broadcasts.template_id}
  cross join ${template_versions} on ${template_versions.template_id} = ${templates.id}
    and ${number} = coalesce(${broadcasts.template_version}, ${templates.active_version})
  where ${id} = ${broadcastId}`;

/** Statement: the subject and preheader of a broadcast. */
export const findContent = statement({ id }, (p) =>
  selectRows(content, (selected) => sql`select ${selected} ${whereContent(p.id)}`),
);

/** Statement: the whole content of a broadcast, and the look of its template. */
export const findFullContent = statement({ id }, (p) =>
  selectRows(
    {
      ...content,
      document,
      html,
      text: template_versions.text,
      set_key: templates.set_key,
      source_key: templates.source_key,
    },
    (selected) => sql`select ${selected} ${whereContent(p.id)}`,
  ),
);

/** Statement: the provider of the company of a broadcast. */
export const findProviderOfBroadcast = statement({ id }, (p) =>
  queryBuilder
    .select(allColumns(company_providers))
    .from(company_providers)
    .where(sql`${company_providers.company_id} = ${ofBroadcast(p.id, company_id)}`),
);

/** Statement: the pauses of the bulk lane that apply to all companies or to that of a broadcast. For `platform`, see isInForce. */
export const findPausesOfBroadcast = statement({ id, platform: text }, (p) =>
  queryBuilder
    .select(allColumns(lane_states))
    .from(lane_states)
    .where(
      and(
        eq(lane_states.lane, "bulk"),
        eq(lane_states.paused, true),
        sql`${lane_states.company_id} in (0, ${ofBroadcast(p.id, company_id)})`,
        isInForce(p.platform),
      ),
    ),
);

/** Statement: the library design with this key, if it is built in or belongs to the company. */
export const findSource = statement({ key: library_templates.key, companyId: integer }, (p) => {
  const { id: designId, key, set_key, company_id: owner, subject: line, preheader: preview } = library_templates;
  return queryBuilder
    .select({
      id: designId,
      key,
      set_key,
      subject: line,
      preheader: preview,
      document: library_templates.document,
    })
    .from(library_templates)
    .where(and(eq(key, p.key), sql`(${isNull(owner)} or ${eq(owner, p.companyId)})`));
});

/** Statement: the id of a newsletter of the company. */
export const findNewsletterId = statement({ id: newsletters.id, companyId: newsletters.company_id }, (p) =>
  queryBuilder
    .select({ id: newsletters.id })
    .from(newsletters)
    .where(and(eq(newsletters.id, p.id), eq(newsletters.company_id, p.companyId))),
);

/** Statement: insert a draft that uses the template with this key, if the template exists. */
export const insertBroadcast = statement(
  {
    company_id,
    name: broadcasts.name,
    template_key: broadcasts.template_key,
    language: broadcasts.language,
    audience: broadcasts.audience,
    audience_emails_enc: broadcasts.audience_emails_enc,
    audience_hashes: broadcasts.audience_hashes,
    list_id: broadcasts.list_id,
    provider_ref: broadcasts.provider_ref,
    seal_id: broadcasts.seal_id,
    request_id: broadcasts.request_id,
    created_by: broadcasts.created_by,
    now: integer,
  },
  ({ now, template_key, ...p }) =>
    insertSelect(
      broadcasts,
      {
        ...p,
        template_key,
        state: "draft",
        template_id: templates.id,
        created_at: now,
        updated_at: now,
      },
      sql`from ${templates} where ${templates.template_key} = ${template_key} on conflict (provider_ref) do nothing`,
    ),
);

/** Statement: the broadcast with this `provider_ref`. */
export const findByRef = statement({ ref: broadcasts.provider_ref }, (p) =>
  queryBuilder.select(columns).from(broadcasts).where(eq(broadcasts.provider_ref, p.ref)),
);

/**
 * Statement: change a broadcast that can be changed. If `newVersion` is not null, the version with this id must have been stored in
 * the same batch. `hasAudience`: the audience is changed, too.
 */
export const changeBroadcast = statement(
  {
    id,
    name: broadcasts.name,
    hasAudience: boolean,
    audience: broadcasts.audience,
    audience_emails_enc: broadcasts.audience_emails_enc,
    audience_hashes: broadcasts.audience_hashes,
    list_id: broadcasts.list_id,
    newVersion: nullable(integer),
    now: integer,
  },
  (p) => sql`update ${broadcasts} set ${assignments(broadcasts, {
    name: p.name,
    ...Object.fromEntries(
      (["audience", "audience_emails_enc", "audience_hashes", "list_id"] as const).map((column) => [
        column,
        sql`iif(${p.hasAudience}, ${p[column]}, ${broadcasts[column]})`,
      ]),
    ),
    updated_at: p.now,
  })} where ${id} = ${p.id} and ${isEditable}
    and ${filterUnlessNull(p.newVersion, sql`exists (select 1 from ${template_versions} where ${versionId} = ${p.newVersion})`)}`,
);

/** Statement: delete a broadcast that can be changed. */
export const deleteBroadcast = statement(
  { id },
  (p) => sql`delete from ${broadcasts} where ${id} = ${p.id} and ${isEditable}`,
);

/** Statement: hide the template of a deleted broadcast. A job deletes it later. */
export const hideTemplateOfBroadcast = statement(
  { templateId: templates.id, now: integer },
  (p) => sql`update ${templates} set ${assignments(templates, { hidden_at: p.now })}
    where ${templates.id} = ${p.templateId} and ${templates.hidden_at} is null
      and not exists (select 1 from ${broadcasts} where ${broadcasts.template_id} = ${p.templateId})`,
);
