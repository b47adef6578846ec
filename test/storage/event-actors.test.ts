import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { event_log } from "../../db/storage/schema";
import { startFiles } from "../support/storage/files";
import { readRows } from "../support/webhooks/rows";

const key = (sourceKey: string, destinationKey: string) => ({ bucketId: "company", sourceKey, destinationKey });

it("records the session or token that made a change, in the event log and in the envelope", async () => {
  const { storage, owner, companyId, ownerId, put } = await startFiles();
  const call = async (path: string, init: object) => {
    const url = path.replace("{company}", String(companyId)).replace("{owner}", String(ownerId));
    expect((await storage.call(`/storage/v1/${url}`, { bearer: owner, ...init })).status, path).toBeLessThan(300);
  };
  expect((await put("f/a.txt", "a", { bearer: owner })).status).toBe(200);
  await call("object/copy", { json: key("f/a.txt", "b.txt") });
  await call("object/move", { json: key("b.txt", "f/c.txt") });
  await call("object/prefix/company", { json: { from: "f", to: "g" } });
  await call("bucket", { json: { name: "others" } });
  await call("quota/company/{company}", { method: "PUT", json: { max_bytes: 1000 } });
  await call("quota/company/{company}/user/{owner}", { method: "PUT", json: { max_bytes: 1000 } });
  const pat = await storage.token({ companyId, userId: ownerId, isOwner: true, pat: {} });
  await call("object/company/g/a.txt", { method: "DELETE", bearer: pat });
  const rows = await readRows(event_log, eq(event_log.company_id, companyId));
  const bySession = { kind: "session", user_id: ownerId };
  const actors = rows.map(({ event_type, actor, envelope }) => {
    const envelopeActor = JSON.parse(envelope ?? "{}").actor;
    expect(envelopeActor, event_type).toEqual(JSON.parse(actor ?? "null"));
    return [event_type, envelopeActor];
  });
  expect(actors.toSorted()).toEqual([
    ["storage.bucket.created", bySession],
    ["storage.bucket.created", bySession],
    ["storage.object.deleted", { kind: "pat", user_id: ownerId }],
    ["storage.object.moved", bySession],
    ["storage.object.uploaded", bySession],
    ["storage.object.uploaded", bySession],
    ["storage.prefix.renamed", bySession],
    ["storage.quota.changed", bySession],
    ["storage.quota.changed", bySession],
  ]);
});
