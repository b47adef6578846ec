import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { storage_objects } from "../../../db/storage/schema";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";
import { resumableOf } from "../../support/storage/resumable";
import { partsOf } from "../../support/storage/uploads";
import { readRows } from "../../support/webhooks/rows";

const OPERATIONS = 600;
const WAVES = 20;
const WAVE = 20;
const PATHS = 12;
const COMPANY_CAP = 4000;
const USER_CAP = 2500;
const MAX_SIZE = 700;
const MAX_OPEN = 4;

/** Numbers that are the same in every run (mulberry32). */
function randomBy(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
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

/** What the rules of quotas make of operations, one after the other. */
function createModel() {
  const objects = new Map<string, { size: number; owner: number }>();
  /** Uploads that are open, by the number of their operation, and what they have reserved. */
  const uploads = new Map<number, Opened & { company: number; user: number }>();
  const sumOf = <T extends { owner: number }>(of: Map<unknown, T>, bytes: (one: T) => number, owner?: number) =>
    [...of.values()].reduce((sum, one) => sum + (owner === undefined || one.owner === owner ? bytes(one) : 0), 0);
  const taken = () => sumOf(objects, ({ size }) => size) + sumOf(uploads, ({ company }) => company);
  const takenBy = (owner: number) =>
    sumOf(objects, ({ size }) => size, owner) + sumOf(uploads, ({ user }) => user, owner);
  /** What `size` bytes of an owner cost where `old` is, beyond what is reserved for them; null where they do not fit. */
  const judge = (
    size: number,
    owner: number,
    old: { size: number; owner: number } | undefined,
    held = { company: 0, user: 0 },
  ): { company: number; user: number } | null => {
    const growth = Math.max(0, size - (old?.size ?? 0));
    const own = old !== undefined && old.owner !== owner ? size : growth;
    const company = Math.max(0, growth - held.company);
    const user = Math.max(0, own - held.user);
    if (company > 0 && taken() + company > COMPANY_CAP) return null;
    return user > 0 && takenBy(owner) + user > USER_CAP ? null : { company, user };
  };
  return {
    objects,
    apply(operation: Operation, number: number): number {
      if (operation.kind === "complete" || operation.kind === "cancel") {
        const upload = uploads.get(operation.number);
        if (upload === undefined) return 404;
        const { path, size, owner } = upload;
        if (operation.kind === "complete") {
          if (judge(size, owner, objects.get(path), upload) === null) return 413;
          objects.set(path, { size, owner });
        }
        uploads.delete(operation.number);
        return 200;
      }
      const { kind, path, owner } = operation;
      const old = objects.get(path);
      if (kind === "put") {
        if (judge(operation.size, owner, old) === null) return 413;
        objects.set(path, { size: operation.size, owner });
        return 200;
      }
      if (kind === "open") {
        const reserved = judge(operation.size, owner, old);
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
        if (judge(old.size, owner, undefined) === null) return 413;
        objects.set(operation.to, { size: old.size, owner });
        return 200;
      }
      objects.delete(path);
      objects.set(operation.to, old);
      return 200;
    },
  };
}

it("keeps the counters equal to a model over 1,000 operations of two owners, and a recount changes nothing", async () => {
  const files = await startFiles({
    DEFAULT_COMPANY_QUOTA_BYTES: String(COMPANY_CAP),
    DEFAULT_USER_QUOTA_BYTES: String(USER_CAP),
  });
  const { storage, put, get, companyId } = files;
  const people = [
    { id: files.memberId, bearer: files.member },
    { id: files.ownerId, bearer: files.owner },
  ];
  const model = createModel();
  const parts = partsOf(files);
  const tus = resumableOf(files);
  const random = randomBy(20_261_123);
  /** Uploads that are open, by the number of their operation. */
  const open = new Map<number, Opened & { id: string; protocol: "parts" | "tus"; bearer: string }>();
  const anyPath = () => `f${random(3)}/${random(PATHS)}.bin`;
  /** Often that of an open upload: what it was to replace changes. */
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
      const taken = [...model.objects.keys()];
      return { kind, path: taken[random(taken.length || 1)] ?? anyPath(), size: 1 + random(MAX_SIZE), owner, protocol };
    }
    if (kind === "open" || kind === "complete" || kind === "cancel") {
      const number = [...open.keys()][random(open.size || 1)] ?? 0;
      return { kind: kind === "cancel" ? kind : "complete", number };
    }
    return kind === "delete" ? { kind, path: path(), owner } : { kind, path: path(), to: anyPath(), owner };
  };
  const openOne = async (operation: Operation & { kind: "open" }, number: number): Promise<number> => {
    const { protocol, size, owner } = operation;
    const bearer = people[owner]?.bearer ?? "";
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
    const bearer = people[operation.owner]?.bearer ?? "";
    if (operation.kind === "put") {
      return (await put(operation.path, new Uint8Array(operation.size), { method: "PUT", bearer })).status;
    }
    if (operation.kind === "delete") return (await get(operation.path, { method: "DELETE", bearer })).status;
    const json = { bucketId: "company", sourceKey: operation.path, destinationKey: operation.to };
    return (await storage.call(`/storage/v1/object/${operation.kind}`, { bearer, json })).status;
  };

  for (let made = 0; made < OPERATIONS; made++) {
    const operation = pick();
    if ("to" in operation && operation.to === operation.path) continue;
    const expected = model.apply(operation, made);
    expect(await run(operation, made), JSON.stringify(operation)).toBe(expected);
  }
  const rows = await readRows(storage_objects, eq(storage_objects.company_id, companyId));
  const owners = [files.memberId, files.ownerId];
  expect(new Map(rows.map(({ name, size, owner_id }) => [name, { size, owner: owners.indexOf(owner_id) }]))).toEqual(
    model.objects,
  );

  for (let wave = 0; wave < WAVES; wave++) {
    const numberOf = (at: number) => OPERATIONS + wave * WAVE + at;
    const statuses = await Promise.all(Array.from({ length: WAVE }, (_, at) => run(pick(), numberOf(at))));
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
  const answer = await storage.call("/api/v1/management/recount_quota", {
    bearer: String(storage.bindings.OPERATOR_KEY),
    json: { flags: { company_id: companyId } },
  });
  expect(JSON.parse((await answer.text()).trim().split("\n").at(-1) ?? "")).toMatchObject({
    counts: { companies: 1, corrected: 0, bytes_delta: 0, complete: true },
  });
}, 120_000);
