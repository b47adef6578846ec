import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../../db/identity/migrations/", import.meta.url));
const files = readdirSync(folder)
  .filter((file) => file.endsWith(".sql"))
  .sort();
const migrationIndex = files.findIndex((file) => file.endsWith("_hot_path.sql"));

function migrate(db: DatabaseSync, names: readonly string[]): void {
  for (const file of names)
    for (const text of readFileSync(folder + file, "utf8").split("--> statement-breakpoint")) db.exec(text);
}

const DAY = 86_400_000;

/** Opens a database of the previous release with two members, their sign-ins, and an auth code that is not redeemed. */
function openDatabaseBefore(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  migrate(db, files.slice(0, migrationIndex));
  db.exec(`
    INSERT INTO companies (id, name, slug, created_at, updated_at) VALUES (7, 'Aster', 'aster', 1, 1);
    INSERT INTO users (id, email, username, is_staff, created_at, updated_at) VALUES (1, 'a@x', 'a', 0, 1, 1), (2, 'b@x', 'b', 1, 1, 1);
    INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, last_seen_at, created_at)
      VALUES (7, 1, 'allowed', 'join_rule', 1, ${20_000 * DAY}, 1), (7, 2, 'pending', 'admin', 1, ${20_001 * DAY + 5}, 1);
    INSERT INTO identities (id, user_id, provider, issuer, subject, email, email_proven, created_at, last_used_at)
      VALUES ('i', 1, 'google', 'g', 's', 'a@x', 1, 1, 1);
    INSERT INTO counters (company_id, name, label, value) VALUES (7, 'magic_links_requested', '', 9),
      (7, 'magic_links_consumed', '', 6), (7, 'successful_logins', 'magic_link', 4), (7, 'successful_logins', 'oidc-a', 2),
      (8, 'magic_links_requested', '', 1);
    INSERT INTO auth_codes (code_hash, user_id, company_id, provider, redirect_to, redirect_key, auth_time, client_context,
      created_at, expires_at) VALUES ('c', 1, 7, 'magic_link', 'x', 'x', 1, '{}', 1, 1);
    INSERT INTO sign_in_requests (id, company_id, email, token_hash, redirect_to, token_delivery, language, created_at, expires_at)
      VALUES ('r', 7, 'a@x', 't', 'x', 'code', 'en', 1, 1);
    INSERT INTO sessions (id, user_id, company_id, provider, auth_time, rotated_at, idle_expires_at, absolute_expires_at, created_at)
      VALUES ('s', 1, 7, 'magic_link', 1, 1, 1, 1, 1);`);
  return db;
}

const totals = (db: DatabaseSync, company: number) => {
  const row: Record<string, unknown> =
    db.prepare("SELECT * FROM company_totals WHERE company_id = ?").get(company) ?? {};
  const parsed: Record<string, unknown> = {
    seen: JSON.parse(String(row.seen)),
    counts: JSON.parse(String(row.counts)),
  };
  return { ...row, ...parsed };
};

test("converts the totals of the previous release, and keeps counting by triggers", () => {
  const db = openDatabaseBefore();
  const before = db.prepare("SELECT * FROM sessions").all();
  migrate(db, files.slice(migrationIndex, migrationIndex + 1));
  const testUsers = { company_id: 7, members: 2, allowed: 1, staff: 1, identities: 1, folded_until: null };
  // Six links were consumed: four for sign-ins, one for a pending code, and one for a code that was never redeemed.
  const counts = { magic_links_requested: 9, "successful_logins:magic_link": 4, "successful_logins:oidc-a": 2 };
  expect(totals(db, 7)).toEqual({
    ...testUsers,
    seen: { 20000: 1, 20001: 1 },
    counts: { ...counts, links_without_login: 1 },
  });
  expect(totals(db, 8)).toMatchObject({ members: 0, counts: { magic_links_requested: 1 } });
  expect(totals(db, 0)).toMatchObject({ members: 2, seen: { 20000: 1, 20001: 1 }, counts: {} });
  expect(Math.abs(Number(totals(db, 0).folded_until) - Date.now())).toBeLessThan(60_000);
  expect(db.prepare("SELECT * FROM sessions").all()).toEqual(before);
  expect(db.prepare("SELECT id, mail_state, mail_attempts FROM sign_in_requests").get()).toEqual({
    id: "r",
    mail_state: null,
    mail_attempts: 0,
  });
  db.exec(`DELETE FROM auth_codes; UPDATE memberships SET last_seen_at = ${20_002 * DAY} WHERE user_id = 1;
    DELETE FROM users WHERE id = 2;`);
  expect(totals(db, 7)).toEqual({
    ...testUsers,
    members: 1,
    staff: 0,
    seen: { 20002: 1 },
    counts: { ...counts, links_without_login: 2 },
  });
  expect(totals(db, 0)).toMatchObject({ members: 1, staff: 0, identities: 1, seen: { 20002: 1 } });
});

test("keeps the data that the previous release writes during a deployment", () => {
  const db = openDatabaseBefore();
  migrate(db, files.slice(migrationIndex, migrationIndex + 1));
  db.exec(`INSERT INTO counters (company_id, name, label, value) SELECT 7, 'magic_links_requested', '', 1 WHERE true
      ON CONFLICT (company_id, name, label) DO UPDATE SET value = value + 1;
    INSERT INTO mail_outbox (id, company_id, kind, idempotency_key, state, next_at, deadline_at, request_id, created_at)
      VALUES ('m', 7, 'magic_link', 'k', 'waiting', 1, 2, 'r', 1);`);
  // The previous release also writes sign-ins to the event log, where the roll-up counts them.
  expect(totals(db, 7).counts).toMatchObject({ magic_links_requested: 9 });
  expect(db.prepare("SELECT sum(people) AS people FROM seen_days WHERE company_id = 7").get()).toEqual({ people: 2 });
});
