import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { share_links } from "../../../db/storage/schema";
import { clock } from "../../../workers/kit/clock";
import { sha256Hex } from "../../../workers/kit/crypto/hash";
import { idBefore } from "../../../workers/kit/ids";
import { restoreAfterEach } from "../../support/restore";
import { freshCompany, readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { insertRow, readRows } from "../../support/webhooks/rows";

restoreAfterEach();

type Files = Awaited<ReturnType<typeof startFiles>>;
type Link = { id: string; token: string; path_url: string; url: string; download_count: number; active: boolean };

const DAY_MS = 24 * 3_600_000;

const post = ({ storage, member }: Files, path: string, json: object, bearer = member) =>
  storage.call(`/storage/v1/share/company/${path}`, { bearer, json });

async function share(files: Files, path: string, json: object): Promise<Link> {
  const response = await post(files, path, json);
  expect(response.status).toBe(201);
  return response.json();
}

const open = ({ storage }: Files, token: string, init: RequestInit = {}) =>
  storage.call(`/storage/v1/share/link/${token}`, init);

const revoke = ({ storage, member }: Files, reference: string, bearer = member) =>
  storage.call(`/storage/v1/share/link/${reference}`, { method: "DELETE", bearer });

const list = async ({ storage, member }: Files, path: string) => {
  const response = await storage.call(`/storage/v1/share/company/${path}`, { bearer: member });
  return (await response.json()) as Link[];
};

const tomorrow = () => new Date(Date.now() + DAY_MS).toISOString();

describe("share links", () => {
  it("downloads the object without a bearer, returns the token once and stores only its hash", async () => {
    const files = await startFiles();
    await files.put("reports/2026.txt", "hello");
    const expires_at = tomorrow();
    const created = await share(files, "reports/2026.txt", { expires_at, max_downloads: 3, notes: " For Mina " });
    expect(created).toEqual({
      id: expect.any(String),
      object_id: expect.any(String),
      bucket: "company",
      path: "reports/2026.txt",
      company_id: files.companyId,
      created_by_id: files.memberId,
      expires_at,
      max_downloads: 3,
      download_count: 0,
      revoked_at: null,
      created_at: expect.any(String),
      notes: "For Mina",
      active: true,
      token: expect.stringMatching(/^[\w-]{43}$/),
      path_url: `/storage/v1/share/link/${created.token}`,
      url: `http://storage.localhost/storage/v1/share/link/${created.token}`,
    });
    const response = await files.storage.call(created.path_url);
    expect([response.status, await response.text()]).toEqual([200, "hello"]);
    const { token, path_url: _path, url: _url, ...shown } = created;
    expect(await list(files, "reports/2026.txt")).toEqual([{ ...shown, download_count: 1 }]);
    const rows = await readRows(share_links, eq(share_links.id, created.id));
    expect(rows).toMatchObject([{ token_hash: await sha256Hex(token) }]);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it("makes two round trips for a download whose last access was recorded less than a day ago", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    const { token } = await share(files, "a.txt", { max_downloads: 9 });
    await open(files, token);
    const before = files.storage.roundTrips();
    await open(files, token);
    expect(files.storage.roundTrips() - before).toBe(2);
  });

  it("counts a download before its first byte, so that exactly the allowed number of parallel downloads succeeds", async () => {
    const files = await startFiles();
    await files.put("a.txt", "hello");
    const { token } = await share(files, "a.txt", { maxDownloads: 3 });
    const responses = await Promise.all(Array.from({ length: 20 }, () => open(files, token)));
    const bodies = await Promise.all(
      responses.filter(({ status }) => status === 200).map((response) => response.text()),
    );
    expect(bodies).toEqual(["hello", "hello", "hello"]);
    const rejected = responses.filter(({ status }) => status !== 200);
    for (const response of rejected) expect(await readError(response)).toEqual([410, "share_inactive"]);
    expect(await list(files, "a.txt")).toMatchObject([{ download_count: 3, active: false }]);
    expect((await open(files, token, { method: "HEAD" })).status).toBe(410);
  });

  it("counts downloads of ranges and empty objects, but not HEAD, 304 and 416", async () => {
    const files = await startFiles();
    await files.put("a.txt", "hello");
    await files.put("empty.txt", "");
    const { token } = await share(files, "a.txt", { max_downloads: 5 });
    const head = await open(files, token, { method: "HEAD" });
    const etag = head.headers.get("etag") ?? "";
    expect([head.status, etag]).toEqual([200, '"5d41402abc4b2a76b9719d911017c592"']);
    expect((await open(files, token, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await open(files, token, { headers: { range: "bytes=9-" } })).status).toBe(416);
    expect(await list(files, "a.txt")).toMatchObject([{ download_count: 0 }]);
    const part = await open(files, token, { headers: { range: "bytes=-2" } });
    expect([part.status, await part.text()]).toEqual([206, "lo"]);
    expect(await list(files, "a.txt")).toMatchObject([{ download_count: 1 }]);
    const empty = await share(files, "empty.txt", { max_downloads: 1 });
    expect((await open(files, empty.token)).status).toBe(200);
    expect((await open(files, empty.token)).status).toBe(410);
  });

  it("expires a link at expires_at, and serves new versions of the object until it is deleted", async () => {
    const files = await startFiles();
    await files.put("a.txt", "one");
    const { token } = await share(files, "a.txt", { expiresAt: tomorrow() });
    await files.put("a.txt", "two", { headers: { "x-upsert": "true" } });
    expect(await (await open(files, token)).text()).toBe("two");
    const now = clock.now();
    clock.now = () => now + DAY_MS;
    expect(await readError(await open(files, token))).toEqual([410, "share_inactive"]);
    clock.now = () => now;
    await files.get("a.txt", { method: "DELETE" });
    expect(await readError(await open(files, token))).toEqual([404, "share_not_found"]);
    await files.put("a.txt", "another object");
    expect(await readError(await open(files, token))).toEqual([404, "share_not_found"]);
  });

  it("requires a valid limit and an existing object for a link", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    for (const json of [{}, { notes: "x" }, { expires_at: null, max_downloads: null }]) {
      expect(await readError(await post(files, "a.txt", json))).toEqual([400, "share_limit_required"]);
    }
    for (const [json, fields] of [
      [{ expires_at: new Date(Date.now() - 1).toISOString() }, { expires_at: ["out_of_range"] }],
      [{ expires_at: "2030-02-30T00:00:00Z" }, { expires_at: ["invalid"] }],
      [{ expires_at: "2030-02-20" }, { expires_at: ["invalid"] }],
      [{ expires_at: 5 }, { expires_at: ["invalid"] }],
      [{ max_downloads: 0 }, { max_downloads: ["out_of_range"] }],
      [{ max_downloads: "3" }, { max_downloads: ["invalid"] }],
      [{ maxDownloads: 2 ** 40 }, { maxDownloads: ["out_of_range"] }],
      [{ max_downloads: 1, notes: "x".repeat(501) }, { notes: ["too_long"] }],
      [{ max_downloads: 1, notes: "\0" }, { notes: ["invalid"] }],
      [{ max_downloads: 1, notes: "\ud800" }, { notes: ["invalid"] }],
    ] as const) {
      const response = await post(files, "a.txt", json);
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ field_errors: fields }),
      ]);
    }
    expect(await readError(await post(files, "none.txt", { max_downloads: 1 }))).toEqual([404, "object_not_found"]);
    const stranger = await files.storage.token({ companyId: freshCompany(), userId: 1 });
    expect((await post(files, "a.txt", { max_downloads: 1 }, stranger)).status).toBe(404);
    expect(await readError(await open(files, "x".repeat(43)))).toEqual([404, "share_not_found"]);
  });

  it("allows at most 100 active links per object", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    const responses = await Promise.all(Array.from({ length: 105 }, () => post(files, "a.txt", { max_downloads: 1 })));
    const rejected = responses.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(5);
    for (const response of rejected) expect(await readError(response)).toEqual([409, "limit_reached"]);
    const [first] = await list(files, "a.txt");
    await revoke(files, first?.id ?? "");
    expect((await post(files, "a.txt", { max_downloads: 1 })).status).toBe(201);
  });
});

describe("the revocation of share links", () => {
  it("revokes a link by id or token, rejects its downloads, and is idempotent", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    const first = await share(files, "a.txt", { max_downloads: 9 });
    const second = await share(files, "a.txt", { max_downloads: 9 });
    const ended = await revoke(files, first.id);
    const row = (await ended.json()) as { revoked_at: string };
    expect([ended.status, row]).toEqual([
      200,
      expect.objectContaining({ id: first.id, active: false, revoked_at: expect.any(String) }),
    ]);
    expect(await (await revoke(files, first.token)).json()).toEqual(row);
    expect(await readError(await open(files, first.token))).toEqual([410, "share_inactive"]);
    expect((await revoke(files, second.token)).status).toBe(200);
    expect((await list(files, "a.txt")).map(({ active }) => active)).toEqual([false, false]);
  });

  it("lets only the creator, owners and staff revoke a link, and returns 404 to other companies", async () => {
    const files = await startFiles();
    const { storage, companyId, owner } = files;
    await files.put("a.txt", "1");
    const [first, second] = [
      await share(files, "a.txt", { max_downloads: 1 }),
      await share(files, "a.txt", { max_downloads: 1 }),
    ];
    const other = await storage.token({ companyId, userId: files.memberId + 5 });
    const staff = await storage.token({ companyId, isStaff: true, userId: files.memberId + 6 });
    const stranger = await storage.token({ companyId: freshCompany(), isOwner: true, userId: 1 });
    expect(await readError(await revoke(files, first.id, other))).toEqual([403, "forbidden"]);
    expect(await readError(await revoke(files, first.id, stranger))).toEqual([404, "share_not_found"]);
    expect(await readError(await revoke(files, "nonsense"))).toEqual([404, "share_not_found"]);
    const introspections = storage.introspected.length;
    expect((await revoke(files, first.id, owner)).status).toBe(200);
    expect((await revoke(files, second.id, staff)).status).toBe(200);
    // Revoking the link of another user introspects the token, because its claims may be outdated.
    expect(storage.introspected.length - introspections).toBe(2);
  });
});

describe("the purge of share links", () => {
  it("removes links that ended more than 30 days ago or have no object, and keeps the others", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    const { object_id: objectId } = (await share(files, "a.txt", { max_downloads: 1 })) as unknown as {
      object_id: string;
    };
    const now = clock.now();
    const old = now - 40 * DAY_MS;
    let number = 0;
    const store = async (values: Partial<typeof share_links.$inferInsert>) => {
      number += 1;
      const id = `${idBefore(old)}-7000-8000-${String(files.companyId).padStart(10, "0")}${String(number).padStart(2, "0")}`;
      await insertRow(share_links, {
        id,
        token_hash: `${id}-hash`,
        company_id: files.companyId,
        object_id: objectId,
        created_by_id: 1,
        created_at: old,
        ...values,
      });
      return id;
    };
    const expiredIds = [
      await store({ revoked_at: now - 31 * DAY_MS }),
      await store({ expires_at: now - 31 * DAY_MS }),
      await store({ max_downloads: 2, download_count: 2 }),
      await store({ object_id: crypto.randomUUID(), max_downloads: 2 }),
    ];
    const remainingIds = [
      await store({ revoked_at: now - 29 * DAY_MS }),
      await store({ expires_at: now - 29 * DAY_MS }),
      await store({ expires_at: now + DAY_MS, max_downloads: 2, download_count: 1 }),
      await store({ max_downloads: 2, download_count: 1 }),
    ];
    await files.storage.runCron("17 * * * *");
    const storedIds = (await readRows(share_links, eq(share_links.company_id, files.companyId))).map(({ id }) => id);
    for (const id of expiredIds) expect(storedIds).not.toContain(id);
    for (const id of remainingIds) expect(storedIds).toContain(id);
    expect(storedIds).toHaveLength(5);
  });
});
