import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { storage_uploads } from "../../../db/storage/schema";
import { clock } from "../../../workers/kit/clock";
import { HOUR_MS } from "../../../workers/kit/time";
import { nextTick } from "../../support/jobs/jobs";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";
import { countRows } from "../../support/webhooks/rows";

const realNow = clock.now;

afterEach(() => {
  clock.now = realNow;
});

it("ends open multipart uploads after a day and releases their bytes", async () => {
  const files = await startFiles();
  const { storage, member, companyId } = files;
  const open = (path: string) =>
    storage.call(`/storage/v1/upload/company/${path}`, { bearer: member, json: { size: 20_000_000 } });
  const { id } = (await (await open("large.bin")).json()) as { id: string };
  const part = new Uint8Array(8 * 1024 * 1024);
  const stored = await storage.call(`/storage/v1/upload/${id}/1`, {
    method: "PUT",
    bearer: member,
    headers: { "content-length": String(part.length) },
    body: part,
  });
  expect(stored.status).toBe(200);
  const quotaBefore = await (await storage.call("/storage/v1/quota", { bearer: member })).json();
  expect(quotaBefore).toMatchObject({
    company: { reserved_bytes: 20_000_000, remaining_bytes: 10 * 1024 ** 3 - 20_000_000 },
  });
  const afterExpiry = realNow() + 25 * HOUR_MS;
  // One run ends a limited number of uploads and begins with the uploads that other tests left open.
  const sweepAtEnd = async () => {
    clock.now = () => afterExpiry;
    await storage.runCron("* * * * *", nextTick());
    clock.now = realNow;
    return countRows(storage_uploads, eq(storage_uploads.company_id, companyId));
  };
  await expect.poll(sweepAtEnd).toBe(0);
  const quotaAfter = await (await storage.call("/storage/v1/quota", { bearer: member })).json();
  expect(quotaAfter).toMatchObject({ company: { used_bytes: 0, reserved_bytes: 0, remaining_bytes: 10 * 1024 ** 3 } });
  await sweepAll(files, afterExpiry);
  await expectAgreement(files);
});
