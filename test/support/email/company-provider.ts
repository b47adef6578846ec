import { eq } from "drizzle-orm";
import { company_providers } from "../../../db/email/schema";
import { keysOf } from "../../../workers/email/keys";
import { open } from "../../../workers/kit/crypto/seal";
import { send, startCompany } from "./admin";
import { startEmail } from "./email";
import { readRows } from "./rows";

export const PROVIDER_PATH = "/api/v1/provider";
export const API_KEY = "re_company_key_9876";

/** A valid body of `PUT /api/v1/provider`. */
export const apiProvider = {
  provider: "api",
  from_email: "hello@aster.example.com",
  credentials: { api_key: API_KEY },
};

type Vars = NonNullable<Parameters<typeof startEmail>[0]>["vars"];

/** A company's provider as the API returns it. */
export type PublicProvider = Record<string, unknown>;

/**
 * Starts the service with a new company. Returns functions that save and read its provider, read the stored row, and
 * decrypt sealed values.
 */
export async function startProvider(vars: Vars = {}) {
  const email = await startEmail({ vars });
  const company = await startCompany(email);
  const put = (json: unknown, bearer = company.owner) =>
    send(email, bearer, { method: "PUT", path: PROVIDER_PATH, json });
  const show = async (bearer = company.owner) =>
    (await (await email.call(PROVIDER_PATH, { bearer })).json()) as PublicProvider;
  const row = async () => (await readRows(company_providers, eq(company_providers.company_id, company.companyId)))[0];
  const opened = async (enc: string, aad: string) => open(enc, (await keysOf(email.bindings)).credentials, aad);
  return { email, ...company, put, show, row, opened };
}

/** Returns the expected result of `problemOf` for a body with invalid fields. */
export const invalidFields = (fields: Record<string, string[]>) => [400, "validation_failed", fields];
