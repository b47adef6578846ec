import type { Service } from "../../../scripts/support/services.ts";

/** A table that grows with a company, and the rows `?1` to `?2` of it; `?3` is now. Times go back a millisecond a row or more. */
type Fill = { table: string; sql: string };

/** Of so many rows, one has what is rare. */
export const rareEvery = 100_000;

const series = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)";
const rare = `i % ${rareEvery} = 7`;
/** Rows of the past week, the newest the last. */
const at = "?3 - (1000000 - i) * 500";
/** A time-ordered id of a row; rare rows are from before and keep the event id that they had then. */
const eventId = `printf('%08x-%04x-7%03x-8000-%012x', (${at}) / 65536, (${at}) % 65536, i % 4096, i)`;
const earlierId = `CASE WHEN ${rare} THEN printf('%08x-0000-4000-9000-%012x', i, i) END`;

const deliveries: Fill = {
  table: "action_deliveries",
  sql: `${series}
    INSERT INTO action_deliveries (id, kind, company_id, rule_id, rule_name, event_id, event_type, host, body, status, due_at,
      created_at, updated_at)
    SELECT printf('%08x-0000-4000-8000-%012x', i, i), 'webhook', 1, CASE WHEN ${rare} THEN 2 ELSE 1 END, 'Hook',
      printf('%08x-0000-4000-9000-%012x', i, i), CASE WHEN ${rare} THEN 'identity.user.deleted' ELSE 'identity.user.created' END,
      'a.example.com', '{}', CASE WHEN ${rare} THEN 'dead' ELSE 'delivered' END, ${at}, ${at}, ${at} FROM n`,
};

/** What fills the tables of a service that lists read, in this order. */
export const fills: Record<Exclude<Service, "hosting">, Fill[]> = {
  identity: [
    {
      table: "users",
      sql: `${series}
        INSERT INTO users (id, email, username, first_name, last_name, created_at, updated_at)
        SELECT i + 1000, 'many' || i || '@example.com', 'many' || i, 'Person',
          CASE WHEN ${rare} THEN 'Zebra' ELSE 'Many' END, ${at}, ${at} FROM n`,
    },
    {
      table: "memberships",
      sql: `${series}
        INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, created_at)
        SELECT 1, i + 1000, 'allowed', 'join_rule', ${at}, ${at} FROM n`,
    },
    {
      table: "event_log",
      sql: `${series}
        INSERT INTO event_log (company_id, id, event_id, event_type, user_id, user_email, data, outcome, provider, is_staff_at_event,
          country, city, timezone, created_at)
        SELECT 1, ${eventId}, ${earlierId},
          CASE WHEN ${rare} THEN 'identity.user.deleted' WHEN i % 2 THEN 'identity.auth.magic_link.requested'
            ELSE 'identity.auth.login.succeeded' END,
          CASE WHEN ${rare} THEN 1007 ELSE 1 END, 'owner@example.com', '{}',
          CASE WHEN i % 2 THEN NULL WHEN i % ${rareEvery} = 8 THEN 'failure' ELSE 'success' END,
          CASE WHEN i % 2 THEN NULL WHEN i % ${rareEvery} = 8 THEN 'google' ELSE 'magic_link' END,
          CASE WHEN i % 2 THEN NULL ELSE i % ${rareEvery} = 8 END,
          CASE WHEN i % 2 THEN NULL WHEN i % ${rareEvery} = 8 THEN 'IS' ELSE 'FR' END,
          CASE WHEN i % 2 THEN NULL WHEN i % ${rareEvery} = 8 THEN 'Vik' ELSE 'Paris' END,
          CASE WHEN i % 2 THEN NULL WHEN i % ${rareEvery} = 8 THEN 'Atlantic/Reykjavik' ELSE 'Europe/Paris' END,
          ${at} FROM n`,
    },
    deliveries,
  ],
  email: [
    {
      table: "messages",
      sql: `${series}
        INSERT INTO messages (id, company_id, service, template_key, event_type, language, lane, category, scope, status,
          to_enc, to_masked, email_hmac, accepted_at, trace, request_id)
        SELECT printf('%012x7%03x8%015x', ${at}, i % 4096, i), 1, CASE WHEN ${rare} THEN 'hosting' ELSE 'identity' END,
          CASE WHEN ${rare} THEN 'identity.user.deleted' ELSE 'identity.user.created' END,
          CASE WHEN ${rare} THEN 'identity.user.deleted' ELSE 'identity.user.created' END, 'en',
          CASE WHEN ${rare} THEN 'auth' ELSE 'transactional' END, 'transactional', 'platform',
          CASE WHEN ${rare} THEN 'failed' ELSE 'sent' END, '', 'm***@example.com', 'many' || i, ${at}, '{}', '' FROM n`,
    },
    {
      table: "event_log",
      sql: `${series}
        INSERT INTO event_log (company_id, id, event_id, event_type, data, created_at)
        SELECT 1, ${eventId}, ${earlierId},
          CASE WHEN ${rare} THEN 'email.message.failed' ELSE 'email.message.sent' END, '{}', ${at} FROM n`,
    },
    {
      table: "suppressions",
      sql: `${series}
        INSERT INTO suppressions (company_id, email_hmac, email_masked, reason, created_at)
        SELECT 1, 'many' || i, 'm***@example.com', CASE WHEN ${rare} THEN 'complaint' ELSE 'hard_bounce' END, ${at} FROM n`,
    },
    {
      table: "unsubscribes",
      sql: `${series}
        INSERT INTO unsubscribes (company_id, email_hmac, category, source, created_at)
        SELECT 1, 'many' || i, CASE WHEN ${rare} THEN 'product' ELSE 'news' END, 'page', ${at} FROM n`,
    },
  ],
};
