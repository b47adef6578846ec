import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

// The tables of sign-ins with a provider. schema.ts exports them with all tables.

/** An account at a sign-in provider with which a user signs in. */
export const identities = sqliteTable(
  "identities",
  {
    id: text().primaryKey(),
    user_id: integer().notNull(),
    provider: text().notNull(),
    issuer: text().notNull(),
    subject: text().notNull(),
    /**
     * the company of a generic OpenID provider, because its users can sign in only to that company; 0 for other
     * providers
     */
    company_id: integer().notNull().default(0),
    email: text().notNull(),
    email_proven: integer({ mode: "boolean" }).notNull(),
    created_at: integer().notNull(),
    last_used_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("identities_subject").on(t.provider, t.issuer, t.subject, t.company_id),
    index("identities_user").on(t.user_id),
  ],
);

/** Provider-specific values of a client. */
export type ClientConfig = Partial<Record<"tenant" | "team_id" | "key_id" | "scopes" | "issuer", string>>;

export const oauth_clients = sqliteTable(
  "oauth_clients",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    provider: text({ enum: ["google", "github", "microsoft", "apple", "oidc"] }).notNull(),
    /** the provider, or `oidc-<slug>` */
    provider_id: text().notNull(),
    label: text().notNull().default(""),
    client_id: text().notNull(),
    /** provider-specific values: tenant, team_id, key_id, scopes, issuer */
    config: text({ mode: "json" }).$type<ClientConfig>().notNull().default({}),
    secret_sealed: text(),
    is_active: integer({ mode: "boolean" }).notNull().default(true),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [uniqueIndex("oauth_clients_provider").on(t.company_id, t.provider_id)],
);

/** A sign-in that is pending at a provider. */
export const oauth_states = sqliteTable(
  "oauth_states",
  {
    state_hash: text().primaryKey(),
    cookie_hash: text().notNull(),
    company_id: integer().notNull(),
    /** the id of the row in oauth_clients */
    client_id: text().notNull(),
    redirect_to: text().notNull(),
    token_delivery: text({ enum: ["code", "fragment"] }).notNull(),
    code_challenge: text(),
    /** the PKCE verifier and nonce, and after Apple's form post also the posted values */
    sealed: text().notNull(),
    client_context: text({ mode: "json" }).$type<{ client_timezone: string; device_hash: string | null }>().notNull(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
    used_at: integer(),
    use_nonce: text(),
  },
  (t) => [index("oauth_states_company").on(t.company_id, t.created_at)],
);
