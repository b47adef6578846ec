import { expect, it } from "vitest";
import { audit_log } from "../../db/email/schema";
import { createCompany, startEmail } from "../support/email/email";
import { insertRow } from "../support/email/rows";

const email = await startEmail();

type Page = { entries: { id: number; company_id: number | null; target: string }[]; next_cursor: string | null };

async function listEntries(bearer: string, query = ""): Promise<Page> {
  const response = await email.call(`/api/v1/audit?${query}`, { bearer });
  expect(response.status, query).toBe(200);
  return response.json<Page>();
}

const store = (companyId: number, target: string) =>
  insertRow(audit_log, {
    at: 1_700_000_000_000,
    actor_kind: "pat",
    actor_user_id: 5,
    company_id: companyId,
    action: "rule.created",
    target,
    changes: '{"enabled":true}',
  } as const);

it("lists the company's audit entries for an owner, newest first with pages, and those of all companies for staff", async () => {
  const [company, other] = [createCompany(), createCompany()];
  for (const n of [1, 2, 3]) await store(company, `rule:${n}`);
  await store(other, "rule:4");
  await store(0, "service_client:1");
  const owner = await email.token({ companyId: company, isOwner: true });
  const first = await listEntries(owner, "limit=2");
  expect(first.entries).toMatchObject([
    {
      at: "2023-11-14T22:13:20.000Z",
      actor: { kind: "pat", user_id: 5 },
      company_id: company,
      action: "rule.created",
      target: "rule:3",
      changes: { enabled: true },
    },
    { target: "rule:2" },
  ]);
  const second = await listEntries(owner, `limit=2&cursor=${first.next_cursor}`);
  expect([second.entries.map(({ target }) => target), second.next_cursor]).toEqual([["rule:1"], null]);
  const staff = await email.token({ companyId: createCompany(), isStaff: true });
  const all = (await listEntries(staff, "limit=2")).entries;
  expect(all.map(({ company_id, target }) => [company_id, target])).toEqual([
    [null, "service_client:1"],
    [other, "rule:4"],
  ]);
  expect((await listEntries(staff, `company_id=${company}`)).entries).toHaveLength(3);
  const member = await email.token({ companyId: company });
  const rejected = await email.call(`/api/v1/audit?company_id=${other}`, { bearer: owner });
  expect([(await email.call("/api/v1/audit", { bearer: member })).status, rejected.status]).toEqual([403, 403]);
});
