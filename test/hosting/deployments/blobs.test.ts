import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hosting_blobs } from "../../../db/hosting/schema";
import { clock } from "../../../workers/kit/clock";
import { HOUR_MS } from "../../../workers/kit/time";
import { hashOf, startApps } from "../../support/hosting/apps";
import { testEnv } from "../../support/hosting/hosting";
import { readError } from "../../support/sibling/sibling";
import { readRows, updateRows } from "../../support/webhooks/rows";

const encode = (text: string) => new TextEncoder().encode(text);

/** Starts with a draft that declares one file with the content `hello`. */
async function startDraft() {
  const apps = await startApps();
  const { name } = await apps.createApp();
  const { created } = await apps.createDeployment(name, { "a.txt": "hello" });
  const sha256 = await hashOf(encode("hello"));
  const row = and(eq(hosting_blobs.company_id, apps.companyId), eq(hosting_blobs.sha256, sha256));
  return {
    ...apps,
    name,
    sha256,
    id: created.id,
    put: (text = "hello", headers: Record<string, string> = {}) => apps.putBlob(name, sha256, encode(text), headers),
    stored: () => testEnv.FILES.get(`blobs/${apps.companyId}/${sha256}`),
    readRow: async () => (await readRows(hosting_blobs, row))[0],
    changeRow: (values: Partial<typeof hosting_blobs.$inferInsert>) => updateRows(hosting_blobs, values, row),
  };
}

describe("the upload of a file", () => {
  it("stores the bytes once for the company", async () => {
    const draft = await startDraft();
    const response = await draft.put();
    expect([response.status, await response.json()]).toEqual([201, { sha256: draft.sha256, size: 5 }]);
    expect(await (await draft.stored())?.text()).toBe("hello");
    expect((await draft.put()).status).toBe(200);
    const other = await draft.createApp();
    const { created } = await draft.createDeployment(other.name, { "b.txt": "hello" });
    expect(created).toMatchObject({ missing: [], bytes_missing: 0, bytes_new: 0 });
  });

  it("accepts an empty file", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    await apps.deploy(name, { "empty.txt": "" });
  });

  it.each([
    ["another hash", "hallo", {}, 400, "blob_hash_mismatch"],
    ["another length", "hello!", {}, 400, "blob_size_mismatch"],
    ["no length", "hello", { "content-length": "" }, 411, "length_required"],
    ["a malformed length", "hello", { "content-length": "five" }, 400, "validation_failed"],
  ])("stores nothing with %s", async (_title, text, headers: Record<string, string>, status, code) => {
    const draft = await startDraft();
    const { "content-length": length = String(text.length) } = headers;
    const response = await draft.call(`apps/${draft.name}/blobs/${draft.sha256}`, {
      method: "PUT",
      headers: length === "" ? {} : { "content-length": length },
      body: text,
    });
    expect(await readError(response)).toEqual([status, code]);
    expect(await draft.stored()).toBeNull();
    expect(await readError(await draft.finalize(draft.name, draft.id))).toEqual([409, "blobs_missing"]);
    expect((await draft.put()).status).toBe(201);
  });

  it("rejects a hash that no manifest of the company names", async () => {
    const [apps, others] = [await startApps(), await startDraft()];
    const { name } = await apps.createApp();
    for (const sha256 of [others.sha256, "nonsense"]) {
      expect(await readError(await apps.putBlob(name, sha256, encode("hello")))).toEqual([404, "blob_not_declared"]);
    }
    expect(await others.stored()).toBeNull();
  });

  it("is repeatable in parallel", async () => {
    const draft = await startDraft();
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => draft.put()))).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 201)).toBe(true);
    expect((await draft.finalize(draft.name, draft.id)).status).toBe(200);
  });
});

describe("a file that a clean-up removes", () => {
  it("is rejected with 503 for two minutes after the mark, and then taken back", async () => {
    const draft = await startDraft();
    await draft.put();
    await draft.changeRow({ removed_at: clock.now() });
    const busy = await draft.put();
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "240"]);
    expect((await draft.createDeployment(draft.name, { "a.txt": "hello" })).created.missing).toEqual([draft.sha256]);
    expect(await readError(await draft.finalize(draft.name, draft.id))).toEqual([409, "blobs_missing"]);
    await draft.changeRow({ removed_at: clock.now() - 121_000 });
    expect((await draft.put()).status).toBe(201);
    expect(await draft.readRow()).toMatchObject({ removed_at: null, stored_at: expect.any(Number) });
  });

  it("is marked as used by a deployment that names it, at most every 12 hours", async () => {
    const draft = await startDraft();
    await draft.put();
    const recent = clock.now() - 11 * HOUR_MS;
    await draft.changeRow({ touched_at: recent });
    await draft.createDeployment(draft.name, { "a.txt": "hello" });
    expect(await draft.readRow()).toMatchObject({ touched_at: recent });
    await draft.changeRow({ touched_at: clock.now() - 13 * HOUR_MS });
    const before = clock.now();
    await draft.createDeployment(draft.name, { "a.txt": "hello" });
    expect((await draft.readRow())?.touched_at).toBeGreaterThanOrEqual(before);
  });

  it("is marked as used by its upload", async () => {
    const draft = await startDraft();
    await draft.changeRow({ touched_at: 1 });
    expect((await draft.put()).status).toBe(201);
    expect((await draft.readRow())?.touched_at).toBeGreaterThan(1);
  });
});
