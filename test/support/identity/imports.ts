import type { ImportResult } from "../../../schemas/identity/people/imports";
import type { ManagementLine } from "../../../schemas/management";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { callIdentity, createCompany, createMailbox, freshEmail, identityEnv, json } from "./identity";

const OPERATOR_KEY = `opk_${"k".repeat(40)}`;

/** A row of an import, or an invalid one. */
export type Row = Record<string, unknown>;

/** Runs a management command and returns the lines of the response. */
export async function runCommand(
  env: IdentityBindings,
  command: string,
  body: { flags: Record<string, unknown>; rows?: unknown },
  bearer = OPERATOR_KEY,
): Promise<ManagementLine[]> {
  const response = await callIdentity(
    env,
    `/api/v1/management/${command}`,
    json(body, { authorization: `Bearer ${bearer}` }),
  );
  const text = new TextDecoder().decode(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ManagementLine);
}

/** Returns the rows in the lines of a response. */
export const rowsIn = (lines: readonly ManagementLine[]) =>
  lines.flatMap((line) => (line.type === "rows" ? line.rows : []));

/** Creates a company, or uses an existing one, and returns a function that imports rows into it as the operator. */
export async function createImport(
  overrides: Parameters<typeof createCompany>[0] & { vars?: Record<string, string>; to?: { id: number } } = {},
) {
  const { vars, to, ...fields } = overrides;
  const mailbox = createMailbox();
  const env = identityEnv(mailbox, {
    OPERATOR_KEY,
    AUTH_RATE_LIMIT_MAGIC_LINK: "off",
    AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "off",
    AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL: "off",
    ...vars,
  });
  const company = to === undefined ? await createCompany(fields) : { origin: "", ...to };
  const run = (rows: unknown, flags: Row = {}, bearer?: string) =>
    runCommand(env, "import_people", { flags: { company: company.id, ...flags }, rows }, bearer);
  /** Imports rows and returns a result for each. */
  const importRows = async (rows: readonly Row[], flags: Row = {}, bearer?: string): Promise<ImportResult[]> => {
    const lines = await run(rows, flags, bearer);
    const last = lines.at(-1);
    if (last?.type !== "result") throw new Error(JSON.stringify(last));
    return rowsIn(lines) as ImportResult[];
  };
  return { env, mailbox, company, run, importRows };
}

/** Returns a complete row of a new person. */
export const person = (fields: Row = {}) => ({
  email: freshEmail(),
  email_verified: true,
  first_name: "Noor",
  last_name: "Haddad",
  language: "fr",
  time_zone: "Europe/Paris",
  created_at: "2021-03-04T05:06:07.000Z",
  ...fields,
});
