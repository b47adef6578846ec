import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as email from "../../../db/email/schema";
import * as hosting from "../../../db/hosting/schema";
import * as identity from "../../../db/identity/schema";
import * as storage from "../../../db/storage/schema";
import { audienceSchema } from "../../../schemas/email/audience/audience";
import type { Service } from "../../../scripts/support/services";
import type { InsertValues } from "../../../workers/kit/db/query";
import { numberedEventId } from "../../support/db/event-ids";
import { insertNumbered, type Numbers } from "../../support/db/numbered-rows";

/**
 * Parts of the expressions for a row: `i` is its number, `at` its time (the last row is the newest), and `rarely` chooses
 * one value for rare rows and another value for common rows.
 */
type Row = { i: SQL; at: SQL; rarely: (rare: unknown, common: unknown) => SQL };

/** A table that grows with a company, and a function that inserts the rows with these numbers. */
type Fill = { table: string; store: (d1: D1Database, numbers: Numbers) => Promise<void> };

/** One of this many rows has the rare values. */
const rareEvery = 100_000;
const newestRow = 1_000_000;
const msBetween = 500;

const choose = (when: SQL, yes: unknown, no: unknown): SQL => sql`case when ${when} then ${yes} else ${no} end`;

/** Returns how to fill a table. `maxRows` is the maximum number of rows that a company may have. */
function fill<T extends SQLiteTable>(
  name: string,
  table: T,
  values: (row: Row) => InsertValues<T>,
  maxRows = Number.POSITIVE_INFINITY,
): Fill {
  const now = Date.now();
  const rowAt = (i: SQL): Row => ({
    i,
    at: sql`(${now} - (${newestRow} - ${i}) * ${msBetween})`,
    rarely: (rare, common) => choose(sql`${i} % ${rareEvery} = 7`, rare, common),
  });
  return {
    table: name,
    store: async (d1, { from, to }) => {
      if (from <= maxRows)
        await insertNumbered(d1, table, { from, to: Math.min(to, maxRows) }, (i) => values(rowAt(i)));
    },
  };
}

/** Returns the key columns of an event. Rare events also have a UUID in `event_id`, like events of an earlier release. */
const eventKey = ({ i, at, rarely }: Row) => ({
  company_id: 1,
  id: numberedEventId(at, i),
  event_id: rarely(sql`printf('%08x-0000-4000-9000-%012x', ${i}, ${i})`, null),
  created_at: at,
});

/** Returns how to fill the event log of a service without additional columns. */
const events = (table: typeof hosting.event_log, common: string, rare: string) =>
  fill("event_log", table, (row) => ({ ...eventKey(row), event_type: row.rarely(rare, common), data: "{}" }));

const directType = "email.direct.category:order";
/** Returns whether a row is an email with its own content. These rows are rare. */
const isDirect = (i: SQL): SQL => sql`${i} % ${rareEvery} = 9`;

const everyMember = audienceSchema.unwrap().parse({ access: "any" });
const noTexts = { subject: "", preheader: "", lead: "", button: "" };

const deliveries = (table: typeof identity.action_deliveries | typeof email.action_deliveries) =>
  fill("action_deliveries", table as typeof identity.action_deliveries, ({ i, at, rarely }) => ({
    id: sql`printf('%08x-0000-4000-8000-%012x', ${i}, ${i})`,
    kind: "webhook" as const,
    company_id: 1,
    rule_id: rarely(2, 1),
    rule_name: "Hook",
    event_id: sql`printf('%08x-0000-4000-9000-%012x', ${i}, ${i})`,
    event_type: rarely("identity.user.deleted", "identity.user.created"),
    host: "a.example.com",
    body: "{}",
    status: rarely("dead", "delivered"),
    due_at: at,
    created_at: at,
    updated_at: at,
  }));

/**
 * Returns the columns of a sign-in event. Every second row is a link request instead, which has null in the columns that
 * only sign-ins have.
 */
function loginValues({ i, rarely }: Row) {
  const isRequest = sql`${i} % 2`;
  const loginColumn = (rare: unknown, common: unknown) =>
    choose(isRequest, null, choose(sql`${i} % ${rareEvery} = 8`, rare, common));
  const type = choose(isRequest, "identity.auth.magic_link.requested", "identity.auth.login.succeeded");
  return {
    event_type: rarely("identity.user.deleted", type),
    user_id: rarely(1007, 1),
    user_email: "owner@example.com",
    data: "{}",
    outcome: loginColumn("failure", "success"),
    provider: loginColumn("google", "magic_link"),
    is_staff_at_event: loginColumn(1, 0),
    country: loginColumn("IS", "FR"),
    city: loginColumn("Vik", "Paris"),
    timezone: loginColumn("Atlantic/Reykjavik", "Europe/Paris"),
  };
}

const auditLog = (table: typeof email.audit_log) =>
  fill("audit_log", table, ({ at }) => ({
    at,
    actor_kind: "session" as const,
    company_id: 1,
    action: "many",
    target: "many",
    changes: "{}",
  }));

/** How to fill the tables that a service's lists read, in this order. */
export const fills: Readonly<Partial<Record<Service, Fill[]>>> = {
  identity: [
    fill("users", identity.users, ({ i, at, rarely }) => ({
      id: sql`${i} + 1000`,
      email: sql`'many' || ${i} || '@example.com'`,
      username: sql`'many' || ${i}`,
      first_name: "Person",
      last_name: rarely("Zebra", "Many"),
      created_at: at,
      updated_at: at,
    })),
    fill("memberships", identity.memberships, ({ i, at }) => ({
      state: "allowed" as const,
      state_reason: "join_rule" as const,
      company_id: 1,
      user_id: sql`${i} + 1000`,
      state_at: at,
      created_at: at,
    })),
    fill(
      "groups",
      identity.groups,
      ({ i, at }) => ({
        id: sql`printf('%08x-0000-4000-a000-%012x', ${i}, ${i})`,
        company_id: 1,
        source: "admin" as const,
        display_name: sql`'Group ' || ${i}`,
        name_key: sql`'group ' || ${i}`,
        revision: "r",
        created_at: at,
        updated_at: at,
      }),
      2_000,
    ),
    fill("group_members", identity.group_members, ({ i }) => ({
      group_id: sql`printf('%08x-0000-4000-a000-%012x', 1 + ${i} % 2000, 1 + ${i} % 2000)`,
      user_id: sql`${i} + 1000`,
    })),
    fill("invitations", identity.invitations, ({ i, at, rarely }) => ({
      id: sql`printf('%012x7%03x8%015x', ${at}, ${i} % 4096, ${i})`,
      company_id: 1,
      email: sql`'invited' || ${i} || '@example.com'`,
      language: "en" as const,
      app_url: "https://app.example.com/login",
      token_hash: sql`'token' || ${i}`,
      status: rarely("revoked", "accepted"),
      created_at: at,
      expires_at: at,
    })),
    fill("scim_events", identity.scim_events, ({ i, at, rarely }) => ({
      company_id: 1,
      id: numberedEventId(at, i),
      operation: "update" as const,
      resource_type: "User" as const,
      resource_id: sql`cast(${i} + 1000 as text)`,
      ok: rarely(0, 1),
      code: rarely("validation_failed", null),
      created_at: at,
    })),
    fill("event_log", identity.event_log, (row) => ({ ...eventKey(row), ...loginValues(row) })),
    deliveries(identity.action_deliveries),
  ],
  email: [
    fill("messages", email.messages, ({ i, at, rarely }) => ({
      id: sql`printf('%012x7%03x8%015x', ${at}, ${i} % 4096, ${i})`,
      company_id: 1,
      service: rarely("hosting", choose(isDirect(i), "shop", "identity")),
      language: "en" as const,
      template_key: rarely("identity.user.deleted", choose(isDirect(i), "email.direct", "identity.user.created")),
      event_type: rarely("identity.user.deleted", choose(isDirect(i), directType, "identity.user.created")),
      lane: rarely("auth", "transactional"),
      category: "transactional",
      scope: "platform" as const,
      status: rarely("failed", "sent"),
      to_enc: "",
      to_masked: "m***@example.com",
      email_hmac: sql`'many' || ${i}`,
      accepted_at: at,
      trace: {},
      request_id: rarely("r7", "r0"),
    })),
    fill("event_log", email.event_log, (row) => ({
      ...eventKey(row),
      event_type: row.rarely("email.message.failed", "email.message.sent"),
      data: "{}",
    })),
    fill("decisions", email.decisions, ({ i, at, rarely }) => ({
      company_id: 1,
      id: sql`printf('%012x7%03x8%015x', ${at}, ${i} % 4096, ${i})`,
      service: "identity",
      event_type: rarely("identity.user.deleted", "identity.user.created"),
      reason: rarely("unsubscribed", "no_rule"),
      request_id: "r",
      created_at: at,
    })),
    fill(
      "event_types",
      email.event_types,
      ({ i, at }) => ({
        company_id: 1,
        event_type: sql`'shop.type.' || ${i}`,
        labels: { en: "Many", fr: "Many" },
        description: { en: "", fr: "" },
        variables: [],
        default_language: "en" as const,
        default_template: "barebone.text-only",
        texts: { en: noTexts, fr: noTexts },
        revision: "r",
        created_at: at,
        updated_at: at,
      }),
      200,
    ),
    fill("broadcasts", email.broadcasts, ({ i, at, rarely }) => ({
      company_id: 1,
      name: "Many",
      state: rarely("failed", "sent"),
      template_id: 1,
      template_key: "company.many",
      language: "en" as const,
      audience: everyMember,
      provider_ref: sql`'bc_' || ${i}`,
      seal_id: "s",
      request_id: "r",
      started_at: at,
      sent_at: at,
      created_at: at,
      updated_at: at,
    })),
    fill(
      "newsletters",
      email.newsletters,
      ({ i, at }) => ({
        company_id: 1,
        name: "Many",
        public_key: sql`'nl_' || ${i}`,
        default_language: "en" as const,
        seal_id: "s",
        confirmation_template_id: 1,
        created_at: at,
        updated_at: at,
      }),
      100,
    ),
    fill("subscribers", email.subscribers, ({ i, at, rarely }) => ({
      list_id: 1,
      company_id: 1,
      email_hmac: sql`'many' || ${i}`,
      email_masked: "m***@example.com",
      seal_id: "s",
      language: "en" as const,
      status: rarely("unsubscribed", "confirmed"),
      source: "import" as const,
      created_at: at,
      confirmed_at: at,
    })),
    // API keys, of which each company may have 50. Service clients are in the same table.
    fill("service_clients", email.service_clients, ({ i, at }) => ({
      service: "shop",
      name: "Many",
      key_prefix: "esk_Many",
      key_hash: sql`'many' || ${i}`,
      allowed_lanes: ["transactional" as const],
      allowed_template_prefixes: ["shop."],
      owner_company_id: sql`1 + (${i} - 1) / 50`,
      seal_id: "s",
      created_at: at,
    })),
    fill("suppressions", email.suppressions, ({ i, at, rarely }) => ({
      company_id: 1,
      email_hmac: sql`'many' || ${i}`,
      email_masked: "m***@example.com",
      reason: rarely("complaint", "hard_bounce"),
      created_at: at,
    })),
    fill(
      "templates",
      email.templates,
      ({ i, at, rarely }) => ({
        id: i,
        template_key: sql`'company.' || ${i}`,
        kind: "event" as const,
        company_id: 1,
        name: "Many",
        event_type: rarely("identity.user.deleted", "identity.user.created"),
        language: "en" as const,
        source_key: "plain",
        set_key: "plain",
        created_at: at,
      }),
      200,
    ),
    fill(
      "template_versions",
      email.template_versions,
      ({ i, at }) => ({
        template_id: 1,
        number: i,
        state: "archived" as const,
        subject: "",
        preheader: "",
        document: '{"type":"doc","content":[]}',
        html: "",
        text: "",
        renderer_version: 1,
        checksum: "",
        uses: { tokens: [], hosts: [] },
        created_at: at,
      }),
      200,
    ),
    auditLog(email.audit_log),
    deliveries(email.action_deliveries),
    fill("unsubscribes", email.unsubscribes, ({ i, at, rarely }) => ({
      company_id: 1,
      email_hmac: sql`'many' || ${i}`,
      category: rarely("product", "news"),
      source: "page",
      created_at: at,
    })),
  ],
  hosting: [
    events(hosting.event_log, "hosting.scheduled_job.succeeded", "hosting.scheduled_job.failed"),
    deliveries(hosting.action_deliveries),
    auditLog(hosting.audit_log),
    // A company has at most 1,000 apps, and an app at most 100 deployments. The other rows belong to other companies.
    fill("hosting_apps", hosting.hosting_apps, ({ i, at }) => ({
      id: sql`'app' || ${i}`,
      company_id: choose(sql`${i} <= 1000`, 1, sql`${i} + 1000`),
      name: sql`'app-' || ${i}`,
      slug: sql`'slug' || ${i}`,
      display_name: "Many",
      owner_id: 1,
      created_at: at,
      updated_at: at,
    })),
    fill("hosting_deployments", hosting.hosting_deployments, ({ i, at, rarely }) => ({
      id: sql`'deployment' || ${i}`,
      app_id: choose(sql`${i} <= 100`, "app1", sql`'app' || ${i}`),
      company_id: choose(sql`${i} <= 100`, 1, sql`${i} + 1000`),
      address: sql`'address' || ${i}`,
      app_version: "1.0.0",
      shell_version: "",
      status: rarely("draft", "superseded"),
      pinned: false,
      message: "",
      not_found: "spa" as const,
      deployed_by_id: 1,
      warnings: [],
      created_at: at,
      updated_at: at,
    })),
    // An app has at most HOSTING_MAX_DOMAINS_PER_APP domains. The first 200 belong to the app of the calls.
    fill("hosting_domains", hosting.hosting_domains, ({ i, at, rarely }) => ({
      hostname: sql`'many' || ${i} || '.example.com'`,
      app_id: choose(sql`${i} <= 200`, "app1", sql`'app' || ${i}`),
      id: sql`'domain' || ${i}`,
      company_id: choose(sql`${i} <= 200`, 1, sql`${i} + 1000`),
      token: "t",
      state: rarely("failed", "verified"),
      created_at: at,
      updated_at: at,
    })),
  ],
  storage: [
    events(storage.event_log, "storage.object.uploaded", "storage.bucket.created"),
    deliveries(storage.action_deliveries),
    auditLog(storage.audit_log),
    fill("company_quotas", storage.company_quotas, ({ i, at }) => ({
      company_id: sql`${i} + 1000`,
      slug: sql`'many' || ${i}`,
      name: "Many",
      named_at: at,
    })),
    fill("user_quotas", storage.user_quotas, ({ i }) => ({ company_id: 1, user_id: sql`${i} + 1000` })),
    fill("storage_objects", storage.storage_objects, ({ i, at, rarely }) => ({
      bucket_id: sql`(select id from storage_buckets where company_id = 1 and name = 'company')`,
      name: sql`'many/file-' || ${rarely(sql`'7-'`, sql`'1-'`)} || ${i}`,
      parent: sql`'many' || char(1)`,
      id: sql`'many' || ${i}`,
      company_id: 1,
      owner_id: 1,
      size: 1,
      etag: "e",
      mime_type: "text/plain",
      blob_key: "none",
      version: 1,
      change_id: sql`'many' || ${i}`,
      created_at: at,
      updated_at: at,
    })),
  ],
};
