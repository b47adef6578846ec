import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { storage_objects } from "../../../db/storage/schema";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";
import { tusClient } from "../../support/storage/resumable";
import { multipartClient } from "../../support/storage/uploads";
import { readRows } from "../../support/webhooks/rows";

const OPERATIONS = 600;
const WAVES = 20;
const WAVE = 20;
const PATHS = 12;
const COMPANY_CAP = 4000;
const USER_CAP = 2500;
const MAX_SIZE = 700;
const MAX_OPEN = 4;

/** Returns a seeded random number generator (mulberry32), so that every run is the same. */
function randomBy(seed: number): (below: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

type Opened = { path: string; size: number; owner: number };
type Operation =
  | ({ kind: "open"; protocol: "parts" | "tus" } & Opened)
  | { kind: "complete"; number: number }
  | { kind: "cancel"; number: number }
  | { kind: "put"; path: string; size: number; owner: number }
  | { kind: "delete"; path: string; owner: number }
  | { kind: "move" | "copy"; path: string; to: string; owner: number };

/** Creates a model that applies operations in sequence by the quota rules. */
function createModel() {
  const objects = new Map<string, { size: number; owner: number }>();
  /** Open uploads with their reserved bytes, by the number of their operation. */
  const uploads = new Map<number, Opened & { company: number; user: number }>();
  const sumOf = <T extends { owner: number }>(rows: Map<unknown, T>, bytes: (item: T) => number, owner?: number) =>
    [...rows.values()].reduce((sum, item) => sum + (owner === undefined || item.owner === owner ? bytes(item) : 0), 0);
  const usedBytes = () => sumOf(objects, ({ size }) => size) + sumOf(uploads, ({ company }) => company);
  const usedBytesBy = (owner: number) =>
    sumOf(objects, ({ size }) => size, owner) + sumOf(uploads, ({ user }) => user, owner);
  /** Returns the bytes still to reserve for replacing `old`, or null when they exceed a quota. */
  const reserve = (
    size: number,
    owner: number,
    old: { size: number; owner: number } | undefined,
    alreadyReserved = { company: 0, user: 0 },
  ): { company: number; user: number } | null => {
    const growth = Math.max(0, size - (old?.size ?? 0));
    const ownerGrowth = old !== undefined && old.owner !== owner ? size : growth;
    const company = Math.max(0, growth - alreadyReserved.company);
    const user = Math.max(0, ownerGrowth - alreadyReserved.user);
    if (company > 0 && usedBytes() + company > COMPANY_CAP) return null;
    return user > 0 && usedBytesBy(owner) + user > USER_CAP ? null : { company, user };
  };
  return {
    objects,
    apply(operation: Operation, number: number): number {
      if (operation.kind === "complete" || operation.kind === "cancel") {
        const upload = uploads.get(operation.number);
        if (upload === undefined) return 404;
        const { path, size, owner } = upload;
        if (operation.kind === "complete") {
          if (reserve(size, owner, objects.get(path), upload) === null) return 413;
          objects.set(path, { size, owner });
        }
        uploads.delete(operation.number);
        return 200;
      }
      const { kind, path, owner } = operation;
      const old = objects.get(path);
      if (kind === "put") {
        if (reserve(operation.size, owner, old) === null) return 413;
        objects.set(path, { size: operation.size, owner });
        return 200;
      }
      if (kind === "open") {
        const reserved = reserve(operation.size, owner, old);
        if (reserved === null) return 413;
        uploads.set(number, { path, size: operation.size, owner, ...reserved });
        return 200;
      }
      if (old === undefined) return 404;
      if (kind === "delete") {
        objects.delete(path);
        return 200;
      }
      if (objects.has(operation.to)) return 400;
      if (kind === "copy") {
        if (reserve(old.size, owner, undefined) === null) return 413;
        objects.set(operation.to, { size: old.size, owner });
        return 200;
      }
      objects.delete(path);
      objects.set(operation.to, old);
      return 200;
    },
  };
}

it("keeps the quota counters equal to a model over 1,000 operations of two users, and a recount corrects nothing", async () => {
  const files = await startFiles({
    DEFAULT_COMPANY_QUOTA_BYTES: String(COMPANY_CAP),
    DEFAULT_USER_QUOTA_BYTES: String(USER_CAP),
  });
  const { storage, put, get, companyId } = files;
  const users = [
    { id: files.memberId, bearer: files.member },
    { id: files.ownerId, bearer: files.owner },
  ];
  const model = createModel();
  const parts = multipartClient(files);
  const tus = tusClient(files);
  const random = randomBy(20_261_123);
  /** Open uploads, by the number of their operation. */
  const open = new Map<number, Opened & { id: string; protocol: "parts" | "tus"; bearer: string }>();
  const anyPath = () => `f${random(3)}/${random(PATHS)}.bin`;
  /**
   * Returns the path of an open upload half of the time, so that the object that it replaces changes during the upload.
   */
  const path = () => {
    const uploads = [...open.values()];
    return (random(2) === 0 ? uploads[random(uploads.length || 1)]?.path : undefined) ?? anyPath();
  };
  const kinds = [
    ...(["put", "put", "put", "put", "delete", "move", "copy", "open", "open", "complete", "complete"] as const),
    ...(["move", "cancel"] as const),
  ];
  const pick = (): Operation => {
    const owner = random(2);
    const kind = kinds[random(kinds.length)] ?? "put";
    if (kind === "put") return { kind, path: path(), size: random(MAX_SIZE), owner };
    if (kind === "open" && open.size < MAX_OPEN) {
      const protocol = random(2) === 0 ? "tus" : "parts";
      const paths = [...model.objects.keys()];
      return { kind, path: paths[random(paths.length || 1)] ?? anyPath(), size: 1 + random(MAX_SIZE), owner, protocol };
    }
    if (kind === "open" || kind === "complete" || kind === "cancel") {
      const number = [...open.keys()][random(open.size || 1)] ?? 0;
      return { kind: kind === "cancel" ? kind : "complete", number };
    }
    return kind === "delete" ? { kind, path: path(), owner } : { kind, path: path(), to: anyPath(), owner };
  };
  const openOne = async (operation: Operation & { kind: "open" }, number: number): Promise<number> => {
    const { protocol, size, owner } = operation;
    const bearer = users[owner]?.bearer ?? "";
    const options = { bearer, headers: { "x-upsert": "true" } };
    const isTus = protocol === "tus";
    const opened = isTus
      ? await tus.create(operation.path, size, options)
      : await parts.open(operation.path, { size }, options);
    if (opened.status !== 201) return opened.status;
    const id = isTus
      ? (opened.headers.get("location")?.split("/").at(-1) ?? "")
      : ((await opened.json()) as { id: string }).id;
    if (!isTus) expect((await parts.send(id, 1, new Uint8Array(size), { bearer })).status).toBe(200);
    open.set(number, { path: operation.path, size, owner, id, protocol, bearer });
    return 200;
  };
  const end = async (kind: "complete" | "cancel", number: number): Promise<number> => {
    const upload = open.get(number);
    if (upload === undefined) return 404;
    const { id, protocol, size, bearer } = upload;
    const { status } =
      protocol === "tus"
        ? await (kind === "cancel" ? tus.terminate(id, { bearer }) : tus.patch(id, 0, new Uint8Array(size), { bearer }))
        : await parts[kind](id, { bearer });
    if (status < 300) open.delete(number);
    return status === 204 ? 200 : status;
  };
  const run = async (operation: Operation, number: number): Promise<number> => {
    if (operation.kind === "complete" || operation.kind === "cancel") return end(operation.kind, operation.number);
    if (operation.kind === "open") return openOne(operation, number);
    const bearer = users[operation.owner]?.bearer ?? "";
    if (operation.kind === "put") {
      return (await put(operation.path, new Uint8Array(operation.size), { method: "PUT", bearer })).status;
    }
    if (operation.kind === "delete") return (await get(operation.path, { method: "DELETE", bearer })).status;
    const json = { bucketId: "company", sourceKey: operation.path, destinationKey: operation.to };
    return (await storage.call(`/storage/v1/object/${operation.kind}`, { bearer, json })).status;
  };

  for (let number = 0; number < OPERATIONS; number++) {
    const operation = pick();
    if ("to" in operation && operation.to === operation.path) continue;
    const expected = model.apply(operation, number);
    expect(await run(operation, number), JSON.stringify(operation)).toBe(expected);
  }
  const rows = await readRows(storage_objects, eq(storage_objects.company_id, companyId));
  const owners = [files.memberId, files.ownerId];
  expect(new Map(rows.map(({ name, size, owner_id }) => [name, { size, owner: owners.indexOf(owner_id) }]))).toEqual(
    model.objects,
  );

  for (let wave = 0; wave < WAVES; wave++) {
    const numberOf = (index: number) => OPERATIONS + wave * WAVE + index;
    const statuses = await Promise.all(Array.from({ length: WAVE }, (_, index) => run(pick(), numberOf(index))));
    expect(statuses.filter((status) => ![200, 400, 404, 409, 413, 423].includes(status))).toEqual([]);
    const stored = await readRows(storage_objects, eq(storage_objects.company_id, companyId));
    const sumOf = (list: typeof stored) => list.reduce((sum, { size }) => sum + size, 0);
    expect(sumOf(stored)).toBeLessThanOrEqual(COMPANY_CAP);
    for (const id of owners) {
      expect(sumOf(stored.filter(({ owner_id }) => owner_id === id))).toBeLessThanOrEqual(USER_CAP);
    }
  }
  for (const number of open.keys()) expect([200, 404]).toContain(await end("cancel", number));
  await sweepAll(files);
  await expectAgreement(files);
  const response = await storage.call("/api/v1/management/recount_quota", {
    bearer: String(storage.bindings.OPERATOR_KEY),
    json: { flags: { company_id: companyId } },
  });
  expect(JSON.parse((await response.text()).trim().split("\n").at(-1) ?? "")).toMatchObject({
    counts: { companies: 1, corrected: 0, bytes_delta: 0, complete: true },
  });
}, 120_000);
