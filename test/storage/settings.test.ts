import { expect, it } from "vitest";
import { checkSettings } from "../support/sibling/settings-suite";
import { startStorage, storage } from "../support/storage/storage";

await checkSettings(storage, [
  ["MAX_UPLOAD_BYTES", "0"],
  ["MAX_UPLOAD_BYTES", "5 GB"],
  ["MAX_UPLOAD_BYTES", "313G"],
  ["MAX_SINGLE_UPLOAD_BYTES", "95X"],
  ["DEFAULT_COMPANY_QUOTA_BYTES", "-1"],
  ["DEFAULT_COMPANY_QUOTA_BYTES", "9000T"],
  ["DEFAULT_USER_QUOTA_BYTES", "1.5G"],
  ["SIGNED_URL_EXPIRES", "0"],
  ["SIGNED_URL_MAX_EXPIRES", "1h"],
  ["STORAGE_SIGNING_KEY", "c2hvcnQ="],
  ["STORAGE_SIGNING_PREVIOUS_KEY", "c2hvcnQ="],
  ["PUBLIC_BASE_URL", "storage.example.com"],
]);

it("requires STORAGE_SIGNING_KEY without DEBUG", async () => {
  const vars = { DEBUG: "false", STORAGE_SIGNING_KEY: "" };
  expect((await (await startStorage({ vars })).call("/storage/v1/health")).status).toBe(503);
});

it.each(["10G", "10gb", "10GiB", "10737418240"])(
  "accepts the default quota size %s",
  async (DEFAULT_COMPANY_QUOTA_BYTES) => {
    const storageWithQuota = await startStorage({ vars: { DEFAULT_COMPANY_QUOTA_BYTES } });
    expect((await storageWithQuota.call("/storage/v1/health")).status).toBe(200);
  },
);
