import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { groups, users } from "../../../db/identity/schema";
import type { ExportedPerson } from "../../../schemas/identity/people/imports";
import { createActor } from "../../support/identity/administration";
import { createUser, freshEmail } from "../../support/identity/identity";
import { createImport, person, rowsIn, runCommand } from "../../support/identity/imports";
import { changeCompany, entriesOf, readRows, storeGroup, storeMembers, updateRows } from "../../support/identity/rows";

type Import = Awaited<ReturnType<typeof createImport>>;

async function exportFrom({ env, company }: Pick<Import, "env" | "company">, flags = {}, bearer?: string) {
  const lines = await runCommand(env, "export_people", { flags: { company: company.id, ...flags } }, bearer);
  return { people: rowsIn(lines) as ExportedPerson[], last: lines.at(-1) };
}

it("exports members with groups and accounts, in a form that imports unchanged", async () => {
  const test = await createImport();
  const group = await storeGroup(test.company);
  const [{ display_name }] = (await readRows(groups, eq(groups.id, group))) as [typeof groups.$inferSelect];
  const rows = [
    person({ groups: [display_name], provider_accounts: [{ provider: "google", subject: crypto.randomUUID() }] }),
    { email: freshEmail() },
  ];
  await test.importRows(rows);
  const { people, last } = await exportFrom(test);
  const [first, second] = people;
  expect(first).toMatchObject({
    ...rows[0],
    provider_accounts: [{ issuer: "https://accounts.google.com", provider: "google" }],
    access_state: "pending",
    state_reason: "join_rule",
    is_company_owner: false,
    is_staff: false,
    last_seen_at: null,
    user_metadata: {},
  });
  expect(second).toMatchObject({ email_verified: false, first_name: "", language: null, time_zone: null, groups: [] });
  expect(last).toMatchObject({ type: "result", counts: { people: 2, complete: true } });
  const again = people.map(({ language, time_zone, ...rest }) => ({
    ...rest,
    ...(language === null ? {} : { language }),
    ...(time_zone === null ? {} : { time_zone }),
  }));
  expect(await test.importRows(again)).toEqual(rows.map(() => ({ status: "unchanged" })));
});

it("shows names as the company sees them, and no member or group of another company", async () => {
  const [importer, otherImporter] = [await createImport(), await createImport()];
  const email = freshEmail();
  const id = await createUser({ email, company: otherImporter.company.id });
  await importer.importRows([person({ email })]);
  await updateRows(users, { first_name: "Elsewhere" }, eq(users.id, id));
  expect((await exportFrom(importer)).people.map(({ first_name }) => first_name)).toEqual(["Noor"]);
  expect((await exportFrom(otherImporter)).people.map(({ first_name }) => first_name)).toEqual(["Elsewhere"]);
});

it("walks all pages in order, continues after an id, and is audited", async () => {
  const test = await createImport();
  await storeMembers(test.company.id, 1203);
  const { people } = await exportFrom(test);
  const ids = people.map(({ id }) => id);
  expect(ids).toHaveLength(1203);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  const rest = await exportFrom(test, { after: ids[1000] });
  expect(rest.people.map(({ id }) => id)).toEqual(ids.slice(1001));
  const entries = await entriesOf(test.company.id, "identity.people.exported");
  expect(entries.map(({ data, actor }) => [JSON.parse(data), actor])).toEqual([
    [{ after: 0 }, '{"kind":"system"}'],
    [{ after: ids[1000] }, '{"kind":"system"}'],
  ]);
});

it("works for an inactive company, and fails for an unknown one", async () => {
  const test = await createImport();
  await storeMembers(test.company.id, 2);
  await changeCompany(test.company.id, { is_active: false });
  expect((await exportFrom(test)).people).toHaveLength(2);
  expect((await exportFrom({ ...test, company: { id: 999_999_999, origin: "" } })).last).toMatchObject({
    type: "error",
    line: expect.stringContaining("there is no company 999999999"),
  });
});

it("is available to staff, not to owners", async () => {
  const test = await createImport();
  const staff = await createActor(test.env, test.mailbox, test.company, { staff: true });
  const owner = await createActor(test.env, test.mailbox, test.company, { owner: true });
  expect((await exportFrom(test, {}, staff.token)).people).toHaveLength(2);
  const [entry] = await entriesOf(test.company.id, "identity.people.exported");
  expect(entry).toMatchObject({ user_id: staff.id, user_email: staff.email });
  await expect(exportFrom(test, {}, owner.token)).rejects.toThrow("403");
});
