import { expect, it } from "vitest";
import { personal_access_tokens } from "../../../db/identity/schema";
import type { BackupDescription } from "../../../schemas/backup";
import type { ManagementLine } from "../../../schemas/management";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
} from "../../support/identity/identity";
import { insertRow } from "../../support/identity/rows";

const OPERATOR_KEY = `opk_${"k".repeat(40)}`;
const env = identityEnv(createMailbox(), { OPERATOR_KEY });

/** Runs a command and returns its rows. */
async function run(command: string, flags: object): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const response = await callIdentity(env, `/api/v1/management/${command}`, json({ flags }, headers));
  const text = new TextDecoder().decode(await response.arrayBuffer());
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ManagementLine);
  expect(lines.at(-1)).toMatchObject({ type: "result" });
  return lines.flatMap((line) => (line.type === "rows" ? line.rows : []));
}

/** Returns the rows of a table in the export of a company, as objects. */
async function exported(table: string, company: number): Promise<Record<string, unknown>[]> {
  const [description] = (await run("describe_backup", { company })) as BackupDescription[];
  const columns = description?.tables.find(({ name }) => name === table)?.columns ?? [];
  const rows = (await run("read_table", { table, company })) as string[];
  return rows.map((row) => Object.fromEntries((JSON.parse(row) as unknown[]).map((value, at) => [columns[at], value])));
}

it("exports a company without rights on the platform", async () => {
  const company = await createCompany();
  const email = freshEmail();
  const staff = await createUser({ email, company: company.id, staff: true });
  const token = { company_id: company.id, user_id: staff, access_global_metrics: true, agm_set_by: staff };
  const id = crypto.randomUUID();
  await insertRow(personal_access_tokens, { id, jti: id, ...token, created_at: 1, expires_at: 2 });
  expect(await exported("users", company.id)).toMatchObject([{ id: staff, email, is_staff: 0, is_active: 1 }]);
  expect(await exported("personal_access_tokens", company.id)).toMatchObject([
    { id, user_id: staff, access_global_metrics: 0, agm_set_by: null },
  ]);
  const isStaff = Object.keys((await exported("users", company.id))[0] ?? {}).indexOf("is_staff");
  const all = (await run("read_table", { table: "users", after: `[${staff - 1}]` })) as string[];
  expect((JSON.parse(all[0] ?? "") as unknown[])[isStaff]).toBe(1);
});

it("exports nothing of a company with which somebody can sign in", async () => {
  const company = await createCompany();
  const [description] = (await run("describe_backup", { company: company.id })) as BackupDescription[];
  const names = description?.tables.map(({ name }) => name) ?? [];
  expect(names).toContain("memberships");
  for (const name of ["sessions", "sign_in_requests", "auth_codes", "oauth_states"]) expect(names).not.toContain(name);
});
