import { createExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { StorageRpc } from "../../../workers/storage/rpc";
import { startFiles } from "../../support/storage/files";
import { testEnv } from "../../support/storage/storage";

const rpc = (bindings = testEnv) => new StorageRpc(createExecutionContext(), bindings);

it("returns the bytes of an object to another service, only of the company that it names", async () => {
  const { companyId, put } = await startFiles();
  const other = await startFiles();
  await put("reports/plan.txt", "hello", { headers: { "content-type": "text/plain" } });
  const address = { company_id: companyId, bucket: "company", path: "reports/plan.txt", max_bytes: 5 };
  const { body, ...found } = { body: null, ...(await rpc().readObject(address)) };
  expect(found).toEqual({ ok: true, size: 5, mime_type: "text/plain" });
  expect(await new Response(body).text()).toBe("hello");
  const reasonOf = async (changes: Partial<typeof address>) => {
    const result = await rpc().readObject({ ...address, ...changes });
    return result.ok ? "read" : result.reason;
  };
  expect(await reasonOf({ company_id: other.companyId })).toBe("object_not_found");
  expect(await reasonOf({ bucket: "none" })).toBe("bucket_not_found");
  for (const path of ["reports", "../reports/plan.txt", ""]) expect(await reasonOf({ path })).toBe("object_not_found");
  expect(await reasonOf({ max_bytes: 4 })).toBe("too_large");
  await put("packed.txt", "packed", { headers: { "content-encoding": "gzip" } });
  expect(await reasonOf({ path: "packed.txt", max_bytes: 100 })).toBe("encoded");
  const OBJECTS = { get: () => Promise.reject(new Error("R2 is away")) } as unknown as R2Bucket;
  await expect(rpc({ ...testEnv, OBJECTS }).readObject(address)).rejects.toThrow("storage_error");
});
