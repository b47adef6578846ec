// The tables of email content and email rules; part of schema.ts.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * The names of the tokens in a version's document, subject and preheader, and the hosts (`host` or `host:port`) of its
 * literal links.
 */
type TemplateUses = { tokens: string[]; hosts: string[] };

export const library_templates = sqliteTable(
  "library_templates",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    key: text().notNull().unique(),
    set_key: text().notNull(),
    name: text().notNull(),
    company_id: integer(),
    built_in: integer({ mode: "boolean" }).notNull(),
    subject: text().notNull(),
    preheader: text().notNull(),
    document: text().notNull(),
    head: text().notNull(),
    html: text().notNull(),
    text: text().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [index("library_templates_company").on(t.company_id)],
);

/**
 * The mails that events send without a custom template. Rows of a company's own event types have the key
 * `<company>:<event_type>` as their event type, and as the prefix of their checksum.
 */
export const default_contents = sqliteTable(
  "default_contents",
  {
    checksum: text().primaryKey(),
    event_type: text().notNull(),
    language: text({ enum: ["en", "fr"] }).notNull(),
    subject: text().notNull(),
    html: text().notNull(),
    text: text().notNull(),
    created_at: integer().notNull(),
    /**
     * 1 when new messages of this event and language use the content; other rows serve messages that are pinned to them
     */
    current: integer({ mode: "boolean" }).notNull(),
    /** when the content of a company's own event type was replaced; it is purged when no waiting message needs it */
    retired_at: integer(),
  },
  (t) => [
    uniqueIndex("default_contents_current").on(t.event_type, t.language).where(sql`current = 1`),
    index("default_contents_retired").on(t.retired_at).where(sql`retired_at IS NOT NULL`),
  ],
);

type Language = "en" | "fr";
type Texts = Record<Language, string>;
/** A variable of a company's own event type. `sample` is a JSON value of its type. `fields` are those of a list. */
type EventVariable = {
  token: string;
  value_type: "text" | "url" | "number" | "date" | "money" | "boolean" | "list";
  required: boolean;
  labels: Texts;
  sample: unknown;
  fields?: EventVariable[];
};
/** The texts of the default mail of an event type in one language. Older rows have no `footnote`. */
type EventTexts = { subject: string; preheader: string; lead: string; button: string; footnote?: string };

/** The event types that companies define. Their keys never begin with a prefix of the platform. */
export const event_types = sqliteTable(
  "event_types",
  {
    company_id: integer().notNull(),
    event_type: text().notNull(),
    labels: text({ mode: "json" }).$type<Texts>().notNull(),
    description: text({ mode: "json" }).$type<Texts>().notNull(),
    variables: text({ mode: "json" }).$type<EventVariable[]>().notNull(),
    default_language: text({ enum: ["en", "fr"] }).notNull(),
    /** key of the library design from which the default contents are composed */
    default_template: text().notNull(),
    texts: text({ mode: "json" }).$type<Record<Language, EventTexts>>().notNull(),
    /** a random value that every change replaces, so that a change detects another one */
    revision: text().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.event_type] })],
);

/** The versions of the built-in library that were loaded into this database. */
export const library_versions = sqliteTable("library_versions", {
  /** SHA-256 of the library's designs and contents, in hex */
  version: text().primaryKey(),
  loaded_at: integer().notNull(),
});

/** Custom templates: designs that a company edited for an event. The company's rules send them. */
export const templates = sqliteTable(
  "templates",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** `company.` and 12 characters */
    template_key: text().notNull().unique(),
    kind: text({ enum: ["event", "broadcast", "newsletter_confirmation"] }).notNull(),
    company_id: integer().notNull(),
    event_type: text().notNull(),
    name: text().notNull(),
    language: text({ enum: ["en", "fr"] }).notNull(),
    /** the library design from which the template was copied, and its design set */
    source_key: text().notNull(),
    set_key: text().notNull(),
    /** number of the published version; null when none was published */
    active_version: integer(),
    /** when the template was deleted; messages may still be pinned to one of its versions */
    hidden_at: integer(),
    created_at: integer().notNull(),
  },
  (t) => [
    index("templates_company").on(t.company_id, t.kind, t.event_type),
    index("templates_hidden").on(t.hidden_at).where(sql`hidden_at IS NOT NULL`),
  ],
);

export const template_versions = sqliteTable(
  "template_versions",
  {
    /** random, so that a repeated batch creates no second version */
    id: integer().primaryKey({ autoIncrement: true }),
    template_id: integer().notNull(),
    /** 1, 2, … within the template */
    number: integer().notNull(),
    state: text({ enum: ["draft", "published", "archived"] }).notNull(),
    subject: text().notNull(),
    preheader: text().notNull(),
    document: text().notNull(),
    html: text().notNull(),
    text: text().notNull(),
    renderer_version: integer().notNull(),
    /** SHA-256 of subject, HTML and text joined by line feeds, in hex */
    checksum: text().notNull(),
    created_by: integer(),
    published_at: integer(),
    created_at: integer().notNull(),
    uses: text({ mode: "json" }).$type<TemplateUses>().notNull().default({ tokens: [], hosts: [] }),
  },
  (t) => [uniqueIndex("template_versions_number").on(t.template_id, t.number)],
);

/** Email rules determine which events of a company create email, for whom and with which template. */
export const rules = sqliteTable(
  "rules",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    company_id: integer().notNull(),
    service: text().notNull(),
    event_type: text().notNull(),
    enabled: integer({ mode: "boolean" }).notNull(),
    template_id: integer().notNull(),
    /** "" stands for the language of the recipient, else of the event, else `en` */
    language: text({ enum: ["", "en", "fr"] }).notNull(),
    recipient_mode: text({ enum: ["hints", "static"] }).notNull(),
    /** JSON list of addresses, sealed */
    static_recipients_enc: text().notNull(),
    seal_id: text().notNull(),
    built_in: integer({ mode: "boolean" }).notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("rules_built_in").on(t.company_id, t.event_type).where(sql`built_in = 1`),
    index("rules_event").on(t.company_id, t.event_type, t.created_at, t.id),
    index("rules_template").on(t.template_id),
  ],
);
