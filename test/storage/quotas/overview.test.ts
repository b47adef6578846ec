import { createExecutionContext } from "cloudflare:test";
import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { company_quotas, user_quotas } from "../../../db/storage/schema";
import { StorageRpc } from "../../../workers/storage/rpc";
import { countsOf, entryOf, type Overview, reportOf } from "../../support/overview";
import { startFiles } from "../../support/storage/files";
import { insertNumbered, updateRows } from "../../support/webhooks/rows";

/** Creates a company whose quota is used by `used` of 1,000 bytes, with users who may store 100 bytes each. */
async function createUsedCompany(used: number) {
  const files = await startFiles();
  const { storage, owner, companyId } = files;
  const read = async <T>(path: string, bearer = owner) => {
    const response = await storage.call(path, { bearer });
    expect(response.status, path).toBe(200);
    return response.json<T>();
  };
  await read(`/storage/v1/quota/company/${companyId}`);
  const quota = { max_bytes: 1000, max_bytes_per_user: 100, used_bytes: used };
  await updateRows(company_quotas, quota, eq(company_quotas.company_id, companyId));
  return { ...files, read, staff: await storage.token({ companyId, isStaff: true }) };
}

type Page = { count?: number; results: { user_id?: number; company_id?: number }[]; next_cursor: string | null };

it("counts the quota of the company and those of its users above 90 %, with calls that list them", async () => {
  const { companyId, read } = await createUsedCompany(901);
  // Users 1 to 4 use 89, 90, 91 and 92 of 100 bytes; user 4 has no limit of their own.
  await insertNumbered(user_quotas, 4, (i) => ({
    company_id: companyId,
    user_id: i,
    max_bytes: sql`case when ${i} = 4 then 0 end`,
    used_bytes: sql`${i} + 88`,
  }));
  const overview = await read<Overview>("/api/v1/overview");
  expect(countsOf(overview)).toEqual({ company_quotas_nearly_full: 1, user_quotas_nearly_full: 1 });
  const users = await read<Page>(entryOf(overview, "user_quotas_nearly_full").list?.path ?? "");
  expect([users.count, users.results.map(({ user_id }) => user_id), users.next_cursor]).toEqual([1, [3], null]);
  const quota = await read(entryOf(overview, "company_quotas_nearly_full").list?.path ?? "");
  expect(quota).toMatchObject({ company_id: companyId, used_bytes: 901 });
});

it("does not count a quota of which exactly 90 % are used, or a company that may store nothing", async () => {
  const { companyId, read } = await createUsedCompany(900);
  expect(countsOf(await read<Overview>("/api/v1/overview"))).toEqual({});
  await updateRows(company_quotas, { max_bytes: 0, used_bytes: 0 }, eq(company_quotas.company_id, companyId));
  expect(countsOf(await read<Overview>("/api/v1/overview"))).toEqual({});
});

it("counts the nearly full companies for staff, and lists them in pages", async () => {
  const companies = [await createUsedCompany(950), await createUsedCompany(1000)];
  const [{ read, staff }] = companies as [Awaited<ReturnType<typeof createUsedCompany>>];
  const overview = await read<Overview>("/api/v1/overview?all=true", staff);
  const entry = entryOf(overview, "company_quotas_nearly_full");
  expect(entry.list).toEqual({ method: "GET", path: "/storage/v1/quota/companies?is_nearly_full=true" });
  expect(overview.entries.map(({ code }) => code)).not.toContain("user_quotas_nearly_full");
  const listed: (number | undefined)[] = [];
  let cursor = "";
  do {
    const page: Page = await read(`${entry.list?.path}&page_size=1${cursor}`, staff);
    listed.push(...page.results.map(({ company_id }) => company_id));
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  expect(listed).toHaveLength(entry.count);
  expect(listed).toEqual(expect.arrayContaining(companies.map(({ companyId }) => companyId)));
  const response = await companies[0]?.storage.call("/storage/v1/quota/companies?is_nearly_full=yes", {
    bearer: staff,
  });
  expect([response?.status, await response?.json()]).toMatchObject([
    400,
    { field_errors: { is_nearly_full: ["invalid"] } },
  ]);
});

it("lists the users of a large company in cursor pages that scan 2,000 users", async () => {
  const { companyId, read } = await createUsedCompany(0);
  await insertNumbered(user_quotas, 4500, (i) => ({
    company_id: companyId,
    user_id: i,
    used_bytes: sql`iif(${i} = 4400, 99, 1)`,
  }));
  const entry = entryOf(await read<Overview>("/api/v1/overview"), "user_quotas_nearly_full");
  expect(entry).toMatchObject({ count: 0, is_capped: true });
  const pages = [await read<Page>(entry.list?.path ?? "")];
  while (pages.at(-1)?.next_cursor && pages.length < 9) {
    pages.push(await read<Page>(`${entry.list?.path}&cursor=${pages.at(-1)?.next_cursor}`));
  }
  expect(pages.map(({ results }) => results.length)).toEqual([0, 0, 1]);
});

it("reports the counts of all companies and the health of the jobs to the job watch", async () => {
  const { staff, storage } = await createUsedCompany(950);
  const read = async (path: string) => (await storage.call(path, { bearer: staff })).json();
  const overview = (await read("/api/v1/overview?all=true")) as Overview;
  const jobs = (await read("/api/v1/scheduled-jobs")) as Parameters<typeof reportOf>[1];
  const report = await new StorageRpc(createExecutionContext(), storage.bindings).operationsReport();
  expect(report).toEqual(reportOf(overview, jobs));
  expect(report.entries.find(({ code }) => code === "company_quotas_nearly_full")?.count).toBeGreaterThanOrEqual(1);
});
