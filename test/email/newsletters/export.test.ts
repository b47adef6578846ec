import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log, subscribers } from "../../../db/email/schema";
import { problemOf, startCompany } from "../../support/email/admin";
import { startEmail } from "../../support/email/email";
import { startNewsletter } from "../../support/email/newsletters";
import { readRows, updateRows } from "../../support/email/rows";

const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min" } });

it("streams the subscribers as CSV, oldest first, safe for spreadsheets", async () => {
  const { companyId, list, path, call, add, owner } = await startNewsletter(email);
  await add({ email: "zoe@a.example", first_name: '=HYPERLINK("x")', mode: "consented" });
  await add({ email: "-max@a.example", first_name: "Max, Jr" });
  await add({ email: "wiped@a.example", first_name: "Nobody", mode: "consented" });
  const rows = await readRows(subscribers, eq(subscribers.list_id, list.id));
  const id = rows.find(({ email_masked }) => email_masked.startsWith("w"))?.id ?? 0;
  await updateRows(subscribers, { email_enc: null, first_name_enc: null }, eq(subscribers.id, id));
  const response = await call("GET", `${path}/subscribers.csv`);
  expect([response.status, response.headers.get("content-type"), response.headers.get("content-disposition")]).toEqual([
    200,
    "text/csv; charset=utf-8",
    `attachment; filename="newsletter-${list.id}-subscribers.csv"`,
  ]);
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  const lines = (await response.text()).split("\r\n").map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
  expect(lines).toEqual([
    ["email", "first_name", "language", "status", "source", "created_at", "confirmed_at", "unsubscribed_at"],
    ["zoe@a.example", `"'=HYPERLINK(""x"")"`, "en", "confirmed", "admin", time, time, ""],
    ["'-max@a.example", '"Max, Jr"', "en", "pending", "admin", time, "", ""],
    ["w***@a.example", "", "en", "confirmed", "admin", time, time, ""],
    [""],
  ]);
  const exported = eq(audit_log.action, "subscribers.exported");
  expect(await readRows(audit_log, and(eq(audit_log.company_id, companyId), exported))).toHaveLength(1);
  const other = await startCompany(email);
  expect(await problemOf(await email.call(`${path}/subscribers.csv`, { bearer: other.owner }))).toEqual([
    404,
    "newsletter_not_found",
  ]);
  expect((await email.call(`${path}/subscribers.csv`, { bearer: owner })).status).toBe(200);
});

it("reads a long list in parts without a gap", async () => {
  const { companyId, path, call } = await startNewsletter(email);
  const addresses = Array.from({ length: 1203 }, (_, i) => `u${i}.${companyId}@a.example`);
  await call("POST", `${path}/subscribers/import`, { csv: addresses.join("\n"), mode: "consented" });
  const before = email.largestBatch();
  const text = await (await call("GET", `${path}/subscribers.csv`)).text();
  expect(
    text
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(",")[0]),
  ).toEqual(addresses);
  expect(email.largestBatch()).toBe(before);
});
