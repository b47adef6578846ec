import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { company_quotas } from "../../../db/storage/schema";
import { clock } from "../../../workers/kit/clock";
import { HOUR_MS } from "../../../workers/kit/time";
import { startFiles } from "../../support/storage/files";
import { readRows, updateRows } from "../../support/webhooks/rows";

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
  ["a quota of a person", "quota/company/{company}/user/{owner}", { method: "PUT", json: { max_bytes: 1000 } }],
  ["the end of a quota of a person", "quota/company/{company}/user/{owner}", { method: "DELETE" }],
];

async function named(age: number) {
  const files = await startFiles();
  await files.put("f/a.txt", "a");
  const ofCompany = eq(company_quotas.company_id, files.companyId);
  await updateRows(company_quotas, { name: "Before", named_at: clock.now() - age }, ofCompany);
  const call = (path: string, init: object) => {
    const at = path.replace("{company}", String(files.companyId)).replace("{owner}", String(files.ownerId));
    return files.storage.call(`/storage/v1/${at}`, { bearer: files.owner, ...init });
  };
  return { call, name: async () => (await readRows(company_quotas, ofCompany))[0]?.name };
}

it.each(changes)("%s asks identity for the name of a company that is an hour old", async (_what, path, init) => {
  const { call, name } = await named(HOUR_MS);
  expect((await call(path, init)).status).toBeLessThan(300);
  await expect.poll(name).not.toBe("Before");
});

it.each(changes)("%s leaves a younger name as it is", async (_what, path, init) => {
  const { call, name } = await named(HOUR_MS - 60_000);
  expect((await call(path, init)).status).toBeLessThan(300);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await name()).toBe("Before");
});
