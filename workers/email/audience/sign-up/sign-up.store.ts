import { and, eq, type SQL, sql } from "drizzle-orm";
import { customTemplateContent, publishedVersion } from "../../../../db/email/conditions/custom-templates";
import {
  brandings,
  company_profiles,
  company_providers,
  default_contents,
  lane_states,
  newsletters,
  template_versions,
  templates,
} from "../../../../db/email/schema";
import { NEWSLETTER_CONFIRMATION } from "../../../../schemas/email/content/internal-events";
import type { Db } from "../../../kit/db/db";
import { allColumns, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const key = { key: newsletters.public_key };
const companyOf = (publicKey: SQL) =>
  sql`(select ${newsletters.company_id} from ${newsletters} where ${newsletters.public_key} = ${publicKey})`;

const findByKey = statement(key, (p) =>
  queryBuilder.select(allColumns(newsletters)).from(newsletters).where(eq(newsletters.public_key, p.key)),
);

const findOrigins = statement(key, (p) =>
  queryBuilder
    .select({ allowed_origins: newsletters.allowed_origins })
    .from(newsletters)
    .where(eq(newsletters.public_key, p.key)),
);

const findName = statement(key, (p) =>
  queryBuilder
    .select({ name: company_profiles.name })
    .from(company_profiles)
    .where(eq(company_profiles.company_id, companyOf(p.key))),
);

const findBranding = statement(key, (p) =>
  queryBuilder
    .select(allColumns(brandings))
    .from(brandings)
    .where(eq(brandings.company_id, companyOf(p.key))),
);

const findProvider = statement(key, (p) =>
  queryBuilder
    .select(allColumns(company_providers))
    .from(company_providers)
    .where(eq(company_providers.company_id, companyOf(p.key))),
);

const findPauses = statement(key, (p) =>
  queryBuilder
    .select(allColumns(lane_states))
    .from(lane_states)
    .where(
      and(
        eq(lane_states.lane, "transactional"),
        eq(lane_states.paused, true),
        sql`${lane_states.company_id} in (0, ${companyOf(p.key)})`,
      ),
    ),
);

const findTemplate = statement(key, (p) =>
  selectRows(
    { ...customTemplateContent, checksum: template_versions.checksum },
    (
      columns,
    ) => sql`select ${columns} from ${newsletters} cross join ${templates} on ${templates.id} = ${newsletters.confirmation_template_id}
      ${publishedVersion} where ${newsletters.public_key} = ${p.key}`,
  ),
);

const findContents = statement({}, () =>
  queryBuilder
    .select({ language: default_contents.language, checksum: default_contents.checksum })
    .from(default_contents)
    .where(and(eq(default_contents.event_type, NEWSLETTER_CONFIRMATION), eq(default_contents.current, true))),
);

/**
 * Reads a newsletter by its public key in one round trip. The company is unknown before, so every statement finds it by the key.
 * `withFacts` also reads what its confirmation mail depends on; without it, `facts` is null. Returns null for an unknown key.
 */
export async function readSignUpList(db: Db, publicKey: string, withFacts: boolean) {
  const { newsletter, name, branding, ...facts } = await db.batch({
    newsletter: findByKey({ key: publicKey }),
    name: findName({ key: publicKey }),
    branding: findBranding({ key: publicKey }),
    provider: withFacts ? findProvider({ key: publicKey }) : null,
    pauses: withFacts ? findPauses({ key: publicKey }) : null,
    template: withFacts ? findTemplate({ key: publicKey }) : null,
    contents: withFacts ? findContents() : null,
  });
  if (newsletter.first === null) return null;
  const { provider, pauses, template, contents } = facts;
  const hasFacts = provider !== null && pauses !== null && template !== null && contents !== null;
  return {
    newsletter: newsletter.first,
    companyName: name.first?.name ?? null,
    branding: branding.first,
    facts: hasFacts ? { provider, pauses, template, contents, name } : null,
  };
}

/** Returns the allowed origins of a newsletter, or null when it does not exist. */
export async function readOrigins(db: Db, publicKey: string): Promise<readonly string[] | null> {
  return (await db.first(findOrigins({ key: publicKey })))?.allowed_origins ?? null;
}
