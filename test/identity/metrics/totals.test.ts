import { env } from "cloudflare:test";
import { expect, it } from "vitest";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { createCompany, createUser, freshEmail, rows } from "../../support/identity/identity";

const DB = () => (env as unknown as IdentityBindings).DB;
const run = (text: string, ...values: unknown[]) =>
  DB()
    .prepare(text)
    .bind(...values)
    .run();
const DAY = 86_400_000;

async function totalsOf(company: number) {
  return (
    await rows("SELECT members, allowed, staff, identities FROM company_totals WHERE company_id = ?", company)
  )[0];
}

async function seenIn(company: number) {
  return rows("SELECT day, people FROM seen_days WHERE company_id = ? AND people <> 0 ORDER BY day", company);
}

it("counts members, allowed ones, staff and identities as rows come, change and go", async () => {
  const { id } = await createCompany();
  const first = await createUser({ email: freshEmail(), company: id });
  const second = await createUser({ email: freshEmail(), company: id, state: "pending" });
  expect(await totalsOf(id)).toEqual({ members: 2, allowed: 1, staff: 0, identities: 0 });
  await run("UPDATE memberships SET state = 'allowed' WHERE user_id = ?", second);
  await run("UPDATE users SET is_staff = 1 WHERE id = ?", second);
  const identity = `INSERT INTO identities (id, user_id, provider, issuer, subject, company_id, email, email_proven,
    created_at, last_used_at) VALUES (?, ?, 'oidc', 'https://i', ?, ?, 'x', 1, 1, 1)`;
  await run(identity, crypto.randomUUID(), first, crypto.randomUUID(), 0);
  await run(identity, crypto.randomUUID(), second, crypto.randomUUID(), id);
  await run(identity, crypto.randomUUID(), second, crypto.randomUUID(), id + 100_000);
  expect(await totalsOf(id)).toEqual({ members: 2, allowed: 2, staff: 1, identities: 2 });
  await run("DELETE FROM users WHERE id = ?", second);
  expect(await totalsOf(id)).toEqual({ members: 1, allowed: 1, staff: 0, identities: 1 });
  await run("DELETE FROM memberships WHERE user_id = ?", first);
  expect(await totalsOf(id)).toEqual({ members: 0, allowed: 0, staff: 0, identities: 0 });
});

it("keeps one bucket a person: the day on which the company saw them last", async () => {
  const { id } = await createCompany();
  const user = await createUser({ email: freshEmail(), company: id });
  const other = await createUser({ email: freshEmail(), company: id });
  const see = (who: number, at: number) => run("UPDATE memberships SET last_seen_at = ? WHERE user_id = ?", at, who);
  await see(user, 10 * DAY + 5);
  await see(other, 10 * DAY + 6);
  await see(user, 10 * DAY + 7);
  expect(await seenIn(id)).toEqual([{ day: 10, people: 2 }]);
  await see(user, 12 * DAY);
  expect(await seenIn(id)).toEqual([
    { day: 10, people: 1 },
    { day: 12, people: 1 },
  ]);
  expect(await rows("SELECT last_seen_at FROM users WHERE id = ?", user)).toEqual([{ last_seen_at: 12 * DAY }]);
  await run("DELETE FROM users WHERE id = ?", user);
  expect(await seenIn(id)).toEqual([{ day: 10, people: 1 }]);
});

it("tells the statement behind a change whether there was one", async () => {
  const { id } = await createCompany();
  const user = await createUser({ email: freshEmail(), company: id });
  const note = "INSERT INTO counters (company_id, name, value) SELECT ?1, ?2, 1 WHERE changes() > 0";
  const move = (state: string) =>
    DB()
      .prepare("UPDATE memberships SET state = ?3 WHERE company_id = ?1 AND user_id = ?2 AND state <> ?3")
      .bind(id, user, state);
  await DB().batch([move("pending"), DB().prepare(note).bind(id, "first")]);
  await DB().batch([move("pending"), DB().prepare(note).bind(id, "second")]);
  expect(await rows("SELECT name FROM counters WHERE company_id = ?", id)).toEqual([{ name: "first" }]);
});
