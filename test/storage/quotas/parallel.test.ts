import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { company_quotas, quota_reservations, storage_objects, user_quotas } from "../../../db/storage/schema";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { insertRows, readRows, updateRows } from "../../support/webhooks/rows";

const KB = 1024;
const body = (size: number) => new Uint8Array(size).fill(7);

describe("quotas under parallel uploads", () => {
  it("accepts exactly as many of 200 uploads as fit, and rejects the others before storing a byte", async () => {
    const { storage, put, companyId } = await startFiles({ DEFAULT_COMPANY_QUOTA_BYTES: String(50 * KB) });
    const responses = await Promise.all(Array.from({ length: 200 }, (_, index) => put(`burst/${index}.bin`, body(KB))));
    const refusals = await Promise.all(responses.filter(({ status }) => status !== 200).map(readError));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(new Set(refusals.map(String))).toEqual(new Set(["413,company_quota_exceeded"]));
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toMatchObject([
      { used_bytes: 50 * KB, reserved_bytes: 0, object_count: 50 },
    ]);
    expect(await readRows(quota_reservations, eq(quota_reservations.company_id, companyId))).toEqual([]);
    expect(await readRows(storage_objects, eq(storage_objects.company_id, companyId))).toHaveLength(50);
    const { objects } = await storage.bindings.OBJECTS.list({ prefix: `${companyId}/` });
    expect(objects).toHaveLength(50);
  });

  it("rejects the uploads of a user at the user quota and accepts those of others", async () => {
    const { put, owner, ownerId, storage, companyId, memberId } = await startFiles();
    await put("first.txt", "1");
    const path = `/storage/v1/quota/company/${companyId}/user/${memberId}`;
    expect((await storage.call(path, { method: "PUT", bearer: owner, json: { max_bytes: 5 * KB } })).status).toBe(200);
    const uploads = Array.from({ length: 20 }, (_, index) => [
      put(`m/${index}`, body(KB)),
      put(`o/${index}`, body(KB), { bearer: owner }),
    ]);
    const responses = await Promise.all(uploads.flat());
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((_, index) => index % 2 === 0 && statuses[index] === 200)).toHaveLength(4);
    expect(statuses.filter((_, index) => index % 2 === 1 && statuses[index] === 200)).toHaveLength(20);
    const response = responses.find(({ status }) => status === 413);
    expect(await response?.json()).toMatchObject({
      error_code: "user_quota_exceeded",
      error: "user_quota_exceeded",
      statusCode: "413",
      message: `User quota exceeded (${5 * KB + 1} > ${5 * KB} bytes).`,
      quota: { scope: "user", max_bytes: 5 * KB, requested_bytes: KB },
    });
    const rows = await readRows(user_quotas, eq(user_quotas.company_id, companyId));
    expect(Object.fromEntries(rows.map(({ user_id, used_bytes }) => [user_id, used_bytes]))).toEqual({
      [memberId]: 4 * KB + 1,
      [ownerId]: 20 * KB,
    });
  });
});

it("releases the reservations of any number of failed uploads before rejecting an upload", async () => {
  const { storage, put, companyId, memberId } = await startFiles({ DEFAULT_COMPANY_QUOTA_BYTES: "1000" });
  await put("first.txt", "1");
  const expired = Array.from({ length: 250 }, (_, index) => ({
    id: `dead-${companyId}-${index}`,
    company_id: companyId,
    user_id: memberId,
    company_bytes: 3,
    user_bytes: 3,
    blob_key: `${companyId}/none/${index}`,
    expires_at: 1,
  }));
  await insertRows(quota_reservations, expired);
  await updateRows(company_quotas, { reserved_bytes: 750 }, eq(company_quotas.company_id, companyId));
  await updateRows(user_quotas, { reserved_bytes: 750 }, eq(user_quotas.company_id, companyId));
  expect((await put("large.bin", body(999))).status).toBe(200);
  const quota = await (await storage.call("/storage/v1/quota", { bearer: await storage.token({ companyId }) })).json();
  expect(quota).toMatchObject({ company: { used_bytes: 1000, remaining_bytes: 0 } });
});
