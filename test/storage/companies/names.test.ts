import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { company_quotas } from "../../../db/storage/schema";
import { clock } from "../../../workers/kit/clock";
import { HOUR_MS } from "../../../workers/kit/time";
import { createNetwork } from "../../support/net/network";
import { restoreAfterEach } from "../../support/restore";
import { freshCompany } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { startStorage } from "../../support/storage/storage";
import { readRows, updateRows } from "../../support/webhooks/rows";

restoreAfterEach();

const key = { bucketId: "company", sourceKey: "f/a.txt", destinationKey: "b.txt" };

const changes: [string, string, object][] = [
  ["an upload", "object/company/c.txt", { method: "POST", headers: { "content-length": "1" }, body: "c" }],
  ["a copy", "object/copy", { json: key }],
  ["a move", "object/move", { json: key }],
  ["a deletion", "object/company/f/a.txt", { method: "DELETE" }],
  ["a deletion of several", "object/company", { method: "DELETE", json: { prefixes: ["f/a.txt"] } }],
  ["the renaming of a folder", "object/prefix/company", { json: { from: "f", to: "g" } }],
  ["a new bucket", "bucket", { json: { name: "others" } }],
  ["a quota", "quota/company/{company}", { method: "PUT", json: { max_bytes: 1000 } }],
  ["a quota of a user", "quota/company/{company}/user/{owner}", { method: "PUT", json: { max_bytes: 1000 } }],
  ["the removal of a user's quota", "quota/company/{company}/user/{owner}", { method: "DELETE" }],
];

async function startWithNameAge(age: number) {
  const files = await startFiles();
  await files.put("f/a.txt", "a");
  const isCompany = eq(company_quotas.company_id, files.companyId);
  await updateRows(company_quotas, { name: "Before", named_at: clock.now() - age }, isCompany);
  const call = (path: string, init: object) => {
    const url = path.replace("{company}", String(files.companyId)).replace("{owner}", String(files.ownerId));
    return files.storage.call(`/storage/v1/${url}`, { bearer: files.owner, ...init });
  };
  return { call, name: async () => (await readRows(company_quotas, isCompany))[0]?.name };
}

it.each(changes)("reloads a company name that is an hour old from identity: %s", async (_description, path, init) => {
  const { call, name } = await startWithNameAge(HOUR_MS);
  expect((await call(path, init)).status).toBeLessThan(300);
  await expect.poll(name).not.toBe("Before");
});

// The test harness returns a response only after all background work has ended.
it.each(changes)("keeps a company name that is younger than an hour: %s", async (_description, path, init) => {
  const { call, name } = await startWithNameAge(HOUR_MS - 60_000);
  expect((await call(path, init)).status).toBeLessThan(300);
  expect(await name()).toBe("Before");
});

describe("event envelopes of a company that has not used storage", () => {
  const setUp = async () => {
    const storage = await startStorage({ vars: { ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" } });
    const network = createNetwork();
    const companyId = freshCompany();
    const owner = await storage.token({ companyId, userId: companyId, isOwner: true });
    const json = { name: "Files", event_type: "storage.object.uploaded", url: "https://hooks.example.com/x" };
    const created = await storage.call("/api/v1/actions/rules", { bearer: owner, json });
    const { id } = (await created.json()) as { id: number };
    const sentCompany = async () => {
      const test = await storage.call(`/api/v1/actions/rules/${id}/send-test`, { bearer: owner, method: "POST" });
      expect(test.status).toBe(200);
      return JSON.parse(network.received.at(-1)?.body ?? "{}").company;
    };
    const staff = await storage.token({ isStaff: true, userId: companyId + 1 });
    const metric = async (path: string, bearer: string) => {
      const text = await (await storage.call(path, { bearer })).text();
      const line = /^platform_storage_company_profile_missing_total(\{.*\})? (\d+)$/m.exec(text);
      return [line?.[1], Number(line?.[2])] as const;
    };
    const companyMetric = () => metric("/storage/v1/metrics", owner);
    const platformMetric = () => metric("/storage/v1/metrics/all", staff);
    return { storage, companyId, sentCompany, companyMetric, platformMetric };
  };

  it("contain the company name from identity", async () => {
    const { companyId, sentCompany, companyMetric } = await setUp();
    expect(await sentCompany()).toEqual({
      id: companyId,
      name: `Company ${companyId}`,
      slug: `company-${companyId}`,
    });
    expect(await companyMetric()).toEqual([`{company_id="${companyId}"}`, 0]);
  });

  it("contain empty names while identity does not respond, and are counted as missing profiles", async () => {
    const { storage, companyId, sentCompany, companyMetric, platformMetric } = await setUp();
    const [, before] = await platformMetric();
    storage.setIdentityAway(true);
    expect(await sentCompany()).toEqual({ id: companyId, name: "", slug: "" });
    expect(await sentCompany()).toEqual({ id: companyId, name: "", slug: "" });
    storage.setIdentityAway(false);
    expect(await companyMetric()).toEqual([`{company_id="${companyId}"}`, 2]);
    const [labels, after] = await platformMetric();
    expect(labels).toBeUndefined();
    expect(after).toBe(before + 2);
  });
});
