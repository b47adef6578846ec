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

/** The services, of which it is known what they ask past the databases of companies. */
async function startSeam() {
  const storage = await startStorage();
  // Identity knows the member who shares.
  await storage.token({ companyId, userId: companyId });
  const late: Promise<unknown>[] = [];
  const made = services(storage.bindings, {
    requestId: "seam",
    log: createLog({ service: "storage" }),
    waitUntil: (work) => void late.push(work),
  });
  const { databases, ...seen } = watchSeam(made);
  const own: StorageServices = { ...made, ...databases, webhooks: { ...made.webhooks, ...databases } };
  return { own, seen, settle: () => Promise.all(late) };
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
  it("data of a company is read only from the company's database", async () => {
    const { own, seen, settle } = await startSeam();
    const [bucket] = await readBuckets(own, companyId, user);
    if (bucket === undefined) throw new Error("no bucket");
    await createBucket(own, companyId, admin, {
      name: "more",
      display_name: "",
      file_size_limit: null,
      allowed_mime_types: null,
    });
    const target = { ...member, bucket: "company", path: "a/one.txt" };
    await uploadObject(own, request("one"), target, false);
    const at = (path: string) => ({ bucket: "company", path });
    await copyObject(own, companyId, user, { source: at("a/one.txt"), destination: at("a/two.txt") }, false);
    await moveObject(own, companyId, user, { source: at("a/two.txt"), destination: at("b/two.txt") }, false);
    const sort = { column: "name", order: "asc" } as const;
    const page = await listFolder(own, bucket, { folder: "", search: "", limit: 10, offset: 0, sort, after: null });
    expect(page.rows).toHaveLength(2);
    const object = await readObject(own, { companyId, ...at("b/two.txt") });
    expect(await (await serveObject(own, new Request("http://storage.localhost/"), object, null)).text()).toBe("one");
    const wanted = { expiresAt: null, maxDownloads: 2, notes: null };
    const { link, token } = await shareObject(own, object, user.userId, wanted);
    expect(await sharesOf(own, object)).toHaveLength(1);
    const metadata = `bucketName ${btoa("company")},objectName ${btoa("c.txt")}`;
    const { upload } = await createUpload(
      own,
      member,
      request(null, { "upload-length": "6", "upload-metadata": metadata }),
    );
    const patch = { "content-type": "application/offset+octet-stream", "upload-offset": "0" };
    expect(await patchUpload(own, member, upload.id, request("abc", patch))).toMatchObject({ offset: 3 });
    await terminateUpload(own, member, upload.id);
    await setUserQuota(own, companyId, admin, { userId: user.userId, maxBytes: 1000 });
    expect(await readQuota(own, companyId, user)).not.toBeNull();
    await renameBelow(own, bucket, user, { from: "a", to: "d" });
    await removePrefix(own, bucket, user, "d");
    const more = (await readBuckets(own, companyId, user)).find(({ name }) => name === "more");
    if (more !== undefined) await removeBucket(own, admin, more);
    await settle();
    expect([seen.past, [...seen.asked]]).toEqual([[], [companyId]]);

    // A token tells the company of its link; only then that is known.
    const { count } = await openShare(own, token);
    expect(seen.past).toEqual(["first"]);
    await count();
    await revoke(own, link);
    expect([seen.past, [...seen.asked]]).toEqual([["first"], [companyId]]);
  });
});
