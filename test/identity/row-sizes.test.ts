import { expect, it } from "vitest";
import { MAX_ROW_BYTES, rowBytes } from "../support/db/row-size";
import {
  callIdentity,
  createCompany,
  createMailbox,
  identityEnv,
  json,
  requestLink,
} from "../support/identity/identity";
import { entriesOf } from "../support/identity/rows";

const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1";

it("stores the events of a sign-in in rows without an overflow page", async () => {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const client = { cf: { country: "FR", city: "Lyon" } } as unknown as RequestInit;
  const { token } = await requestLink(env, mailbox, company, `mina.martin.${crypto.randomUUID()}@example.com`, {
    client_timezone: "Europe/Paris",
    client_device_id: "laptop-7",
  });
  const body = json({ token, company_id: company.id }, { "user-agent": SAFARI });
  const response = await callIdentity(env, "/api/v1/magic-link/verify", { ...body, ...client });
  expect([200, 403]).toContain(response.status);
  const rows = await entriesOf(company.id);
  expect(rows.length).toBeGreaterThan(0);
  // SQLite stores JSON as text and booleans as integers.
  const sizes = rows.map((row) => rowBytes(Object.fromEntries(Object.entries(row).map(([k, v]) => [k, stored(v)]))));
  expect(Math.max(...sizes)).toBeLessThan(MAX_ROW_BYTES);
});

const stored = (value: unknown): unknown => {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
};
