import { env as workerEnv } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { memberships, scim_users } from "../../../db/identity/schema";
import { meterDatabase } from "../../support/db/metered-database";
import { freshEmail } from "../../support/identity/identity";
import { countRows, storeMembers } from "../../support/identity/rows";
import { callScim, createDirectory, type Directory } from "../../support/identity/scim";

/** Returns a function that sends a request and returns its round trips, and the rows that it read and wrote besides the outbox. */
function meterOf({ env, base, token }: Directory) {
  let trips = 0;
  const { db, takeStatements } = meterDatabase(env.DB, async () => {
    trips += 1;
  });
  const metered = { ...env, DB: db };
  return async (method: string, path: string, body?: unknown) => {
    trips = 0;
    takeStatements();
    const response = await callScim(metered, { base, token }, method, path, body);
    const statements = takeStatements();
    const sum = (key: "read" | "written") => statements.reduce((total, statement) => total + statement[key], 0);
    // The outbox has one row for each event, with its indexes.
    const outbox = statements.filter(({ text }) => text.startsWith('insert into "action_deliveries"'));
    const posted = outbox.reduce((total, { written }) => total + written, 0);
    return { ...response, trips, read: sum("read"), written: sum("written") - posted };
  };
}

const newUser = (address: string) => ({
  userName: address,
  externalId: crypto.randomUUID(),
  name: { givenName: "Mina", familyName: "Laurent" },
  displayName: "Mina Laurent",
  emails: [{ value: address, type: "work", primary: true }],
});

it("creates, gets and changes a user in two round trips, with at most 26 and 15 rows written besides the outbox", async () => {
  const directory = await createDirectory();
  const call = meterOf(directory);
  // The first request verifies the token in a round trip of its own and stores the time of use.
  await call("GET", "/ServiceProviderConfig");
  const created = await call("POST", "/Users", newUser(freshEmail()));
  expect([created.status, created.trips]).toEqual([201, 2]);
  expect(created.written).toBeLessThanOrEqual(26);
  const path = `/Users/${created.body.id}`;
  const shown = await call("GET", path);
  expect([shown.status, shown.trips, shown.written]).toEqual([200, 1, 0]);
  const operation = (name: string, value: unknown) => ({ Operations: [{ op: "replace", path: name, value }] });
  for (const [name, value] of [
    ["name.familyName", "Roux"],
    ["displayName", "Mina R."],
    ["active", false],
    ["active", true],
  ] as const) {
    const changed = await call("PATCH", path, operation(name, value));
    expect([name, changed.status, changed.trips]).toEqual([name, 200, 2]);
    expect(changed.written, name).toBeLessThanOrEqual(15);
  }
  const unchanged = await call("PATCH", path, operation("active", true));
  expect([unchanged.status, unchanged.written]).toEqual([200, 0]);
});

it("reads at most 20 rows for a user by name, external id and address, and at most three per user of a page in order", async () => {
  const directory = await createDirectory();
  const { company } = directory;
  const call = meterOf(directory);
  await call("GET", "/ServiceProviderConfig");
  const address = freshEmail();
  const user = newUser(address);
  await call("POST", "/Users", user);
  await storeMembers(company.id, 2500);
  await storeDirectory(company.id);
  const total = (await call("GET", "/Users?count=0")).body.totalResults;
  expect(total).toBe(await countRows(scim_users, eq(scim_users.company_id, company.id)));
  for (const filter of [
    `userName eq "${address.toUpperCase()}"`,
    `externalId eq "${user.externalId}"`,
    `emails.value eq "${address}"`,
    `emails[type eq "work"].value eq "${address}"`,
  ]) {
    const response = await call("GET", `/Users?filter=${encodeURIComponent(filter)}`);
    expect([filter, response.body.totalResults]).toEqual([filter, 1]);
    expect(response.read, filter).toBeLessThanOrEqual(20);
  }
  const ids = new Set<string>();
  for (let start = 1; start <= Number(total); start += 100) {
    const page = await call("GET", `/Users?startIndex=${start}&count=100`);
    expect(page.read, `page from ${start}`).toBeLessThanOrEqual(3 * 100 + 25);
    for (const { id } of page.body.Resources as { id: string }[]) ids.add(id);
  }
  expect(ids.size).toBe(total);
});

/** Makes every member of the company a user of its directory. */
async function storeDirectory(company: number): Promise<void> {
  await (workerEnv as unknown as { DB: D1Database }).DB.prepare(
    `insert into scim_users (company_id, user_id, user_name, user_name_key, attributes, revision, created_at, updated_at)
     select company_id, user_id, 'u' || user_id, 'u' || user_id, '{}', 'r', 1, 1 from memberships
     where company_id = ?1 and user_id not in (select user_id from scim_users where company_id = ?1)`,
  )
    .bind(company)
    .run();
  expect(await countRows(memberships, eq(memberships.company_id, company))).toBeGreaterThan(2500);
}
