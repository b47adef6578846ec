// The tables of broadcasts, newsletters and their subscribers; part of schema.ts, which describes the columns.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * The audience of a broadcast. `list_id` exists only in the mode `newsletter`. In the table, `emails` is empty: the addresses are
 * in `audience_emails_enc`.
 */
type Audience = {
  mode: "filter" | "pick" | "newsletter";
  group_ids: string[];
  roles: ("owner" | "staff" | "member")[];
  access: "enabled" | "disabled" | "any";
  joined_after: string;
  joined_before: string;
  seen_after: string;
  seen_before: string;
  user_ids: number[];
  emails: string[];
  list_id?: number;
};

export const broadcasts = sqliteTable(
  "broadcasts",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    company_id: integer().notNull(),
    name: text().notNull(),
    state: text({
      enum: ["draft", "scheduled", "queued", "preparing", "sending", "paused", "sent", "failed", "cancelled"],
    }).notNull(),
    /** the state that `resume` restores; null unless the broadcast is paused */
    paused_state: text({ enum: ["preparing", "sending"] }),
    /** the custom template of the kind `broadcast`, which no other broadcast uses; its key is also that of the messages */
    template_id: integer().notNull(),
    template_key: text().notNull(),
    language: text({ enum: ["en", "fr"] }).notNull(),
    audience: text({ mode: "json" }).$type<Audience>().notNull(),
    /**
     * sealed JSON of `audience.emails`, and the hashes of these addresses, by which exports and erasures find them; null
     * without addresses
     */
    audience_emails_enc: text(),
    audience_hashes: text({ mode: "json" }).$type<string[]>(),
    /** `audience.list_id`, or null */
    list_id: integer(),
    /** `bc_` and 32 hex characters: the id of the broadcast in events of providers */
    provider_ref: text().notNull(),
    /** the published version that the messages use; null in a draft */
    version_id: integer(),
    template_version: integer(),
    /** the sender that was chosen when the broadcast was sent; "" in a draft */
    scope: text({ enum: ["", "company", "platform"] })
      .notNull()
      .default(""),
    from_email: text().notNull().default(""),
    /** the caller's access token, sealed, until the audience is complete; null for a scheduled broadcast */
    bearer_enc: text(),
    bearer_expires_at: integer(),
    seal_id: text().notNull(),
    /** the user who sent or scheduled the broadcast, who must still be an owner or staff at its time */
    granted_by: integer(),
    /** the time for which the broadcast is scheduled, unix ms */
    send_at: integer(),
    /** preparing: position in the audience; sending: the last processed `email_hmac` of broadcast_recipients */
    cursor: text().notNull().default(""),
    failed_pages: integer().notNull().default(0),
    /** steps in a row that died or ended with an unexpected error, without progress */
    failed_steps: integer().notNull().default(0),
    /** recipients without a message, by what they wait for or why they have none; `messages` counts the created messages */
    pending: integer().notNull().default(0),
    skipped_unsubscribed: integer().notNull().default(0),
    skipped_suppressed: integer().notNull().default(0),
    /** recipients that a cancellation or an erasure removed before their message was created */
    removed: integer().notNull().default(0),
    messages: integer().notNull().default(0),
    /** the consumer that processes the next step, and the end of its lease */
    step_token: text(),
    step_until: integer(),
    /** when the next step is due; null when no step follows */
    next_step_at: integer(),
    last_error_code: text().notNull().default(""),
    request_id: text().notNull(),
    created_by: integer(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
    /** when `sending` began */
    started_at: integer(),
    /** when the last message ended */
    sent_at: integer(),
    /** when the waiting and skipped recipients were deleted after the end */
    purged_at: integer(),
  },
  (t) => [
    index("broadcasts_company").on(t.company_id, t.id),
    index("broadcasts_state").on(t.company_id, t.state, t.id),
    uniqueIndex("broadcasts_ref").on(t.provider_ref),
    index("broadcasts_list").on(t.list_id).where(sql`list_id IS NOT NULL`),
    index("broadcasts_template").on(t.template_id),
    index("broadcasts_picked").on(t.company_id, t.id).where(sql`audience_hashes IS NOT NULL`),
    index("broadcasts_due").on(t.next_step_at).where(sql`next_step_at IS NOT NULL`),
  ],
);

/**
 * The recipients of a broadcast that wait for their message, or that have none because they were skipped. Creating the
 * message deletes the row. `WITHOUT ROWID`.
 */
export const broadcast_recipients = sqliteTable(
  "broadcast_recipients",
  {
    broadcast_id: integer().notNull(),
    email_hmac: text().notNull(),
    status: text({ enum: ["pending", "skipped_unsubscribed", "skipped_suppressed"] }).notNull(),
    user_id: integer(),
    subscriber_id: integer(),
    /** sealed JSON of address and names; null for subscribers, whose row has them, and after the recipient was skipped */
    contact_enc: text(),
    email_masked: text().notNull(),
    language: text({ enum: ["", "en", "fr"] }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.broadcast_id, t.email_hmac] })],
);

export const newsletters = sqliteTable(
  "newsletters",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    company_id: integer().notNull(),
    name: text().notNull(),
    description: text().notNull().default(""),
    /** `nl_` and 24 URL-safe characters */
    public_key: text().notNull(),
    default_language: text({ enum: ["en", "fr"] }).notNull(),
    allowed_origins: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    confirmed_redirect_url: text().notNull().default(""),
    turnstile_site_key: text().notNull().default(""),
    turnstile_secret_enc: text(),
    seal_id: text().notNull(),
    /** the custom template of the kind `newsletter_confirmation` */
    confirmation_template_id: integer().notNull(),
    /** numbers of subscribers by status, which the statements that change subscribers also change */
    pending: integer().notNull().default(0),
    confirmed: integer().notNull().default(0),
    unsubscribed: integer().notNull().default(0),
    /** when imported subscribers get their next confirmation mails; null when none waits for a mail */
    confirm_at: integer(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [
    index("newsletters_company").on(t.company_id, t.name, t.id),
    uniqueIndex("newsletters_key").on(t.public_key),
    index("newsletters_template").on(t.confirmation_template_id),
    index("newsletters_due").on(t.confirm_at).where(sql`confirm_at IS NOT NULL`),
  ],
);

/** The deleted newsletters whose subscribers a job still deletes. Their rows in `newsletters` are gone. */
export const deleted_newsletters = sqliteTable("deleted_newsletters", {
  /** the id of the newsletter */
  id: integer().primaryKey(),
  company_id: integer().notNull(),
  deleted_at: integer().notNull(),
});

/** The proof of consent: time, hash of the network address, and checksum of the text that was shown. */
type Consent = { at: number; ip_hash: string | null; text_version: string };

export const subscribers = sqliteTable(
  "subscribers",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    list_id: integer().notNull(),
    company_id: integer().notNull(),
    email_hmac: text().notNull(),
    /** null after the address was wiped */
    email_enc: text(),
    email_masked: text().notNull(),
    first_name_enc: text(),
    seal_id: text().notNull(),
    language: text({ enum: ["en", "fr"] }).notNull(),
    status: text({ enum: ["pending", "confirmed", "unsubscribed"] }).notNull(),
    source: text({ enum: ["form", "admin", "import"] }).notNull(),
    /** SHA-256 of the token of the last confirmation mail, and its end */
    token_hash: text(),
    token_expires_at: integer(),
    /** checksum of the text of that mail, which becomes part of the consent */
    text_version: text(),
    /** confirmation mails within the day that began at `mail_day` (unix ms), and the time of the last one */
    mail_count: integer().notNull().default(0),
    mail_day: integer(),
    mailed_at: integer(),
    consent: text({ mode: "json" }).$type<Consent>(),
    created_at: integer().notNull(),
    confirmed_at: integer(),
    unsubscribed_at: integer(),
    cleared_at: integer(),
  },
  (t) => [
    // Serves sign-ups, and erasures and unsubscribes of an address from all lists of a company.
    uniqueIndex("subscribers_address").on(t.company_id, t.email_hmac, t.list_id),
    index("subscribers_list").on(t.list_id, t.status, t.id),
    // The imported subscribers that wait for their confirmation mail.
    index("subscribers_unmailed").on(t.list_id, t.id).where(sql`status = 'pending' AND mailed_at IS NULL`),
    index("subscribers_token").on(t.token_hash).where(sql`token_hash IS NOT NULL`),
    index("subscribers_pending").on(t.created_at).where(sql`status = 'pending'`),
    index("subscribers_wiped").on(t.unsubscribed_at).where(sql`status = 'unsubscribed' AND cleared_at IS NULL`),
  ],
);
