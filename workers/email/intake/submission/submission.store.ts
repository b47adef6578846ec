import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { customTemplateContent, publishedVersion } from "../../../../db/email/conditions/custom-templates";
import { activeKeyOf } from "../../../../db/email/conditions/service-clients";
import type {
  CompanyProviderRow,
  CustomTemplateContent,
  EventTypeRow,
  LaneStateRow,
  SendRequestRow,
  ServiceClientRow,
  SuppressionHit,
  UnsubscribeHit,
} from "../../../../db/email/rows";
import {
  company_profiles,
  company_providers,
  default_contents,
  event_types,
  lane_states,
  rules,
  service_clients,
  suppressions,
  templates,
  unsubscribes,
} from "../../../../db/email/schema";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { BatchItem, BatchResults, Db } from "../../../kit/db/db";
import { integer, json, nullable } from "../../../kit/db/kind";
import { allColumns, isInList, queryBuilder, type SelectedRow, selectRows } from "../../../kit/db/query";
import { type Bound, statement } from "../../../kit/db/statement";

const findKey = statement({ keyHash: service_clients.key_hash, now: integer }, (p) => activeKeyOf(p.keyHash, p.now));

const findProvider = statement({ companyId: company_providers.company_id }, (p) =>
  queryBuilder
    .select(allColumns(company_providers))
    .from(company_providers)
    .where(eq(company_providers.company_id, p.companyId)),
);

// Selects the pauses of the lane for all companies (company 0) and for this company, in both scopes.
const findPauses = statement({ lane: lane_states.lane, companyId: lane_states.company_id }, (p) =>
  queryBuilder
    .select(allColumns(lane_states))
    .from(lane_states)
    .where(
      and(
        eq(lane_states.lane, p.lane),
        eq(lane_states.paused, true),
        sql`${lane_states.company_id} in (0, ${p.companyId})`,
      ),
    ),
);

const findName = statement({ companyId: company_profiles.company_id }, (p) =>
  queryBuilder
    .select({ name: company_profiles.name })
    .from(company_profiles)
    .where(eq(company_profiles.company_id, p.companyId)),
);

const contentKey = { language: default_contents.language, checksum: default_contents.checksum };

// Selects the checksum of the current content in each language.
const findContents = statement({ key: default_contents.event_type }, (p) =>
  queryBuilder
    .select(contentKey)
    .from(default_contents)
    .where(and(eq(default_contents.event_type, p.key), eq(default_contents.current, true))),
);

const eventParameters = { companyId: rules.company_id, eventType: rules.event_type };

// Selects the custom template for sign-in mail, which is the template of the built-in rule.
const findBuiltInCustomTemplate = statement(eventParameters, (p) =>
  selectRows(
    customTemplateContent,
    (columns) => sql`select ${columns} from ${rules} cross join ${templates} on ${templates.id} = ${rules.template_id}
      ${publishedVersion}
      where ${rules.company_id} = ${p.companyId} and ${rules.event_type} = ${p.eventType} and ${rules.built_in} = 1`,
  ),
);

// Selects the published custom template for other mail: in the requested language, else in the default language of the
// company's own event, else in English, else in any language.
const findCustomTemplate = statement({ ...eventParameters, language: nullable(templates.language) }, (p) => {
  const ownDefault = sql`(select ${event_types.default_language} from ${event_types} where ${event_types.company_id} = ${p.companyId} and ${event_types.event_type} = ${p.eventType})`;
  return selectRows(
    customTemplateContent,
    (columns) => sql`select ${columns} from ${templates} ${publishedVersion}
      where ${templates.id} = (select ${templates.id} from ${templates} where ${templates.company_id} = ${p.companyId} and ${templates.kind} = 'event'
        and ${templates.event_type} = ${p.eventType} and ${templates.active_version} is not null and ${templates.hidden_at} is null
        order by ${templates.language} = coalesce(${p.language}, ${ownDefault}, 'en') desc, ${templates.language} = 'en' desc, ${templates.id} limit 1)`,
  );
});

const hashes = json<readonly string[]>();

const findSuppressions = statement({ companyId: suppressions.company_id, hashes, now: integer }, (p) =>
  queryBuilder
    .select({ email_hmac: suppressions.email_hmac, reason: suppressions.reason, lanes: suppressions.lanes })
    .from(suppressions)
    .where(
      and(
        eq(suppressions.company_id, p.companyId),
        isInList(suppressions.email_hmac, p.hashes),
        or(isNull(suppressions.expires_at), gt(suppressions.expires_at, p.now)),
      ),
    ),
);

const findUnsubscribes = statement({ companyId: unsubscribes.company_id, hashes }, (p) =>
  queryBuilder
    .select({ email_hmac: unsubscribes.email_hmac, category: unsubscribes.category })
    .from(unsubscribes)
    .where(and(eq(unsubscribes.company_id, p.companyId), isInList(unsubscribes.email_hmac, p.hashes))),
);

/** Statement: the custom template of the company for a direct send of this event. */
export const selectCustomTemplate = (
  lane: Lane,
  { companyId, eventType, language }: { companyId: number; eventType: string; language: EmailLanguage | null },
): Bound<CustomTemplateContent> =>
  lane === "auth"
    ? findBuiltInCustomTemplate({ companyId, eventType })
    : findCustomTemplate({ companyId, eventType, language });

/** Returns the statements that read suppressions and unsubscribes by address hash. */
export const selectSuppressions = (filter: { companyId: number; hashes: readonly string[]; now: number }) => ({
  suppressions: findSuppressions(filter),
  unsubscribes: findUnsubscribes({ companyId: filter.companyId, hashes: filter.hashes }),
});

/** The parameters of the statements that read the facts of a submission. `now` is in unix ms. */
export type SubmitFilter = {
  keyHash: string;
  companyId: number;
  /** key of the default contents */
  contentKey: string;
  lane: Lane;
  hashes: readonly string[];
  now: number;
};

/** The statements whose results the caller of readSubmitFacts builds. `ownType` is null for events of the platform. */
type SharedReads = { replay: Bound<SendRequestRow>; ownType: Bound<EventTypeRow> | null };

/** Returns the statements that read what the sender and the content of mail about an event depend on. */
export const selectSendable = (filter: { companyId: number; contentKey: string; lane: Lane }) => ({
  provider: findProvider({ companyId: filter.companyId }),
  pauses: findPauses({ lane: filter.lane, companyId: filter.companyId }),
  name: findName({ companyId: filter.companyId }),
  contents: findContents({ key: filter.contentKey }),
});

/** The database rows that the checks of a submission need. */
export type SubmitFacts = {
  key: ServiceClientRow | null;
  replay: SendRequestRow | null;
  ownType: EventTypeRow | null;
  provider: CompanyProviderRow | null;
  pauses: LaneStateRow[];
  storedName: string | null;
  contents: SelectedRow<typeof contentKey>[];
  suppressions: SuppressionHit[];
  unsubscribes: UnsubscribeHit[];
};

/** Reads the service key, the facts for the checks and `pathReads` in one round trip. */
export async function readSubmitFacts<R extends Record<string, BatchItem>>(
  db: Db,
  filter: SubmitFilter,
  { replay, ownType }: SharedReads,
  pathReads: R,
): Promise<{ facts: SubmitFacts; results: BatchResults<R> }> {
  const { keyHash, companyId, contentKey: key, lane, hashes, now } = filter;
  const sharedReads = {
    key: findKey({ keyHash, now }),
    replay,
    ownType,
    ...selectSendable({ companyId, contentKey: key, lane }),
    ...selectSuppressions({ companyId, hashes, now }),
  };
  const allReads: Record<string, BatchItem> = { ...pathReads, ...sharedReads };
  const batchResults: object = await db.batch(allReads);
  // batch() returns each result under the key of its statement.
  const sharedResults = batchResults as BatchResults<typeof sharedReads>;
  const facts = {
    key: sharedResults.key.first,
    replay: sharedResults.replay.first,
    ownType: sharedResults.ownType?.first ?? null,
    provider: sharedResults.provider.first,
    pauses: sharedResults.pauses.rows,
    storedName: sharedResults.name.first?.name ?? null,
    contents: sharedResults.contents.rows,
    suppressions: sharedResults.suppressions.rows,
    unsubscribes: sharedResults.unsubscribes.rows,
  };
  return { facts, results: batchResults as BatchResults<R> };
}
