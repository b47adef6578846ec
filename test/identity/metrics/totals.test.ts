import { and, eq, ne, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { company_totals, counters, memberships, users } from "../../../db/identity/schema";
import { createCompany, createUser, freshEmail } from "../../support/identity/identity";
import {
  changeMemberships,
  changeUser,
  db,
  deleteRows,
  findUser,
  readRows,
  storeIdentity,
} from "../../support/identity/rows";

const DAY = 86_400_000;

async function totalsOf(company: number) {
  const [row] = await readRows(company_totals, eq(company_totals.company_id, company));
  const { members, allowed, staff, identities: linked } = row ?? {};
  return { members, allowed, staff, identities: linked };
}

async function readDailyUsers(company: number) {
  const [row] = await readRows(company_totals, eq(company_totals.company_id, company));
  return Object.entries(row?.seen ?? {}).map(([day, testUsers]) => ({ day: Number(day), testUsers }));
}

it("counts members, allowed members, staff and identities as rows are inserted, changed and deleted", async () => {
  const { id } = await createCompany();
  const first = await createUser({ email: freshEmail(), company: id });
  const second = await createUser({ email: freshEmail(), company: id, state: "pending" });
  expect(await totalsOf(id)).toEqual({ members: 2, allowed: 1, staff: 0, identities: 0 });
  await changeMemberships(second, { state: "allowed" });
  await changeUser(second, { is_staff: true });
  const link = (user: number, company_id: number) =>
    storeIdentity({ id: user, email: "x" }, { provider: "oidc", issuer: "https://i", company_id });
  await link(first, 0);
  await link(second, id);
  await link(second, id + 100_000);
  expect(await totalsOf(id)).toEqual({ members: 2, allowed: 2, staff: 1, identities: 2 });
  await deleteRows(users, eq(users.id, second));
  expect(await totalsOf(id)).toEqual({ members: 1, allowed: 1, staff: 0, identities: 1 });
  await deleteRows(memberships, eq(memberships.user_id, first));
  expect(await totalsOf(id)).toEqual({ members: 0, allowed: 0, staff: 0, identities: 0 });
});

it("counts each user only on the day of their last visit to the company", async () => {
  const { id } = await createCompany();
  const user = await createUser({ email: freshEmail(), company: id });
  const other = await createUser({ email: freshEmail(), company: id });
  const setLastSeen = (userId: number, at: number) => changeMemberships(userId, { last_seen_at: at });
  await setLastSeen(user, 10 * DAY + 5);
  await setLastSeen(other, 10 * DAY + 6);
  await setLastSeen(user, 10 * DAY + 7);
  expect(await readDailyUsers(id)).toEqual([{ day: 10, testUsers: 2 }]);
  await setLastSeen(user, 12 * DAY);
  expect(await readDailyUsers(id)).toEqual([
    { day: 10, testUsers: 1 },
    { day: 12, testUsers: 1 },
  ]);
  expect((await findUser(user))?.last_seen_at).toBe(12 * DAY);
  await deleteRows(users, eq(users.id, user));
  expect(await readDailyUsers(id)).toEqual([{ day: 10, testUsers: 1 }]);
});

it("does not let triggers change the value of changes() that the next statement reads", async () => {
  const { id } = await createCompany();
  const user = await createUser({ email: freshEmail(), company: id });
  const count = (name: string) => db.insert(counters).select(sql`select ${id}, ${name}, '', 1 where changes() > 0`);
  const isOtherState = and(
    eq(memberships.company_id, id),
    eq(memberships.user_id, user),
    ne(memberships.state, "pending"),
  );
  const move = () => db.update(memberships).set({ state: "pending" }).where(isOtherState);
  await db.batch([move(), count("first")]);
  await db.batch([move(), count("second")]);
  expect((await readRows(counters, eq(counters.company_id, id))).map(({ name }) => name)).toEqual(["first"]);
});
