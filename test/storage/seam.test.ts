import { describe, expect, it } from "vitest";
import { createLog } from "../../workers/kit/log";
import { createBucket, removeBucket } from "../../workers/storage/bucket-administration/bucket-change";
import { readBuckets } from "../../workers/storage/buckets/bucket";
import { serveObject } from "../../workers/storage/downloads/download";
import { listFolder } from "../../workers/storage/folders/list";
import { removePrefix, renameBelow } from "../../workers/storage/folders/prefix";
import { copyObject } from "../../workers/storage/objects/copy";
import { moveObject } from "../../workers/storage/objects/move";
import { readObject } from "../../workers/storage/objects/object";
import { readQuota, setUserQuota } from "../../workers/storage/quotas/quota";
import { type StorageServices, services } from "../../workers/storage/services";
import { openShare, revoke, shareObject, sharesOf } from "../../workers/storage/shares/share";
import { createUpload, patchUpload, terminateUpload } from "../../workers/storage/tus/tus";
import { uploadObject } from "../../workers/storage/uploads/single-upload";
import { watchSeam } from "../support/db/seam";

import { freshCompany } from "../support/sibling/sibling";
import { startStorage } from "../support/storage/storage";

/** Returns services that record queries which bypass the databases of companies. */
async function startSeam() {
  const storage = await startStorage();
  // Registers the member who shares with the identity double.
  await storage.token({ companyId, userId: companyId });
  const pending: Promise<unknown>[] = [];
  const storageServices = services(storage.bindings, {
    requestId: "seam",
    log: createLog({ service: "storage" }),
    waitUntil: (work) => void pending.push(work),
  });
  const { databases, ...calls } = watchSeam(storageServices);
  const watched: StorageServices = {
    ...storageServices,
    ...databases,
    webhooks: { ...storageServices.webhooks, ...databases },
  };
  return { watched, calls, settle: () => Promise.all(pending) };
}

const companyId = freshCompany();
const user = { kind: "session", userId: companyId, email: "mina@example.com" } as const;
const admin = { ...user, kind: "session" } as const;
const member = { companyId, user, firstRead: <T>(read: Promise<T>) => read };
const request = (body: string | null, headers: Record<string, string> = {}) =>
  new Request("http://storage.localhost/", {
    method: "POST",
    body,
    headers: { ...(body === null ? {} : { "content-length": String(body.length) }), ...headers },
  });

describe("data of a company", () => {
  it("is read and written only in the company's database", async () => {
    const { watched, calls, settle } = await startSeam();
    const [bucket] = await readBuckets(watched, companyId, user);
    if (bucket === undefined) throw new Error("no bucket");
    await createBucket(watched, companyId, admin, {
      name: "more",
      display_name: "",
      file_size_limit: null,
      allowed_mime_types: null,
    });
    const target = { ...member, bucket: "company", path: "a/one.txt" };
    await uploadObject(watched, request("one"), target, false);
    const pathOf = (path: string) => ({ bucket: "company", path });
    await copyObject(
      watched,
      companyId,
      user,
      { source: pathOf("a/one.txt"), destination: pathOf("a/two.txt") },
      false,
    );
    await moveObject(
      watched,
      companyId,
      user,
      { source: pathOf("a/two.txt"), destination: pathOf("b/two.txt") },
      false,
    );
    const sort = { column: "name", order: "asc" } as const;
    const page = await listFolder(watched, bucket, { folder: "", search: "", limit: 10, offset: 0, sort, after: null });
    expect(page.rows).toHaveLength(2);
    const object = await readObject(watched, { companyId, ...pathOf("b/two.txt") });
    expect(await (await serveObject(watched, new Request("http://storage.localhost/"), object, null)).text()).toBe(
      "one",
    );
    const limits = { expiresAt: null, maxDownloads: 2, notes: null };
    const { link, token } = await shareObject(watched, object, user.userId, limits);
    expect(await sharesOf(watched, object)).toHaveLength(1);
    const metadata = `bucketName ${btoa("company")},objectName ${btoa("c.txt")}`;
    const { upload } = await createUpload(
      watched,
      member,
      request(null, { "upload-length": "6", "upload-metadata": metadata }),
    );
    const patch = { "content-type": "application/offset+octet-stream", "upload-offset": "0" };
    expect(await patchUpload(watched, member, upload.id, request("abc", patch))).toMatchObject({ offset: 3 });
    await terminateUpload(watched, member, upload.id);
    await setUserQuota(watched, companyId, admin, { userId: user.userId, maxBytes: 1000 });
    expect(await readQuota(watched, companyId, user)).not.toBeNull();
    await renameBelow(watched, bucket, user, { from: "a", to: "d" });
    await removePrefix(watched, bucket, user, "d");
    const otherBucket = (await readBuckets(watched, companyId, user)).find(({ name }) => name === "more");
    if (otherBucket !== undefined) await removeBucket(watched, admin, otherBucket);
    await settle();
    expect([calls.platformCalls, [...calls.requestedCompanies]]).toEqual([[], [companyId]]);

    // The company of a share link is known only after the platform database has resolved its token.
    const { count } = await openShare(watched, token);
    expect(calls.platformCalls).toEqual(["first"]);
    await count();
    await revoke(watched, link);
    expect([calls.platformCalls, [...calls.requestedCompanies]]).toEqual([["first"], [companyId]]);
  });
});
