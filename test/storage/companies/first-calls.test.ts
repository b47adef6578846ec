import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { company_quotas, storage_buckets } from "../../../db/storage/schema";
import { startFiles } from "../../support/storage/files";
import { countRows } from "../../support/webhooks/rows";

const notFound = [404, "object_not_found"];
const missing = { path: "a.txt", signedURL: null, signedUrl: null, error: "object_not_found" };

it.each<[string, string, object, unknown[]]>([
  ["a download", "object/company/a.txt", {}, notFound],
  ["a download through the alias path", "object/authenticated/company/a.txt", {}, notFound],
  ["HEAD", "object/company/a.txt", { method: "HEAD" }, [404, undefined]],
  ["the metadata of an object", "object/info/company/a.txt", {}, notFound],
  ["a deletion", "object/company/a.txt", { method: "DELETE" }, notFound],
  ["a deletion of several objects", "object/company", { method: "DELETE", json: { prefixes: ["a.txt"] } }, [200, []]],
  ["the signing of a URL", "object/sign/company/a.txt", { json: {} }, notFound],
  ["the signing of several URLs", "object/sign/company", { json: { paths: ["a.txt"] } }, [200, [missing]]],
  ["a share", "share/company/a.txt", { json: { max_downloads: 1 } }, notFound],
  ["the shares of an object", "share/company/a.txt", {}, notFound],
])(
  "responds to %s as for an empty bucket when it is a company's first request, and writes nothing",
  async (_, path, init, expected) => {
    const { storage, member, companyId } = await startFiles();
    const response = await storage.call(`/storage/v1/${path}`, { bearer: member, ...init });
    const text = await response.text();
    const body = text === "" ? undefined : JSON.parse(text);
    expect([response.status, response.ok ? body : body?.error_code]).toEqual(expected);
    expect(await countRows(storage_buckets, eq(storage_buckets.company_id, companyId))).toBe(0);
    expect(await countRows(company_quotas, eq(company_quotas.company_id, companyId))).toBe(0);
    const other = await storage.call(`/storage/v1/${path.replace("company", "others")}`, { bearer: member, ...init });
    expect([other.status, (await other.text()).includes("bucket_not_found") || body === undefined]).toEqual([
      404,
      true,
    ]);
  },
);
