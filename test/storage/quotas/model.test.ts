import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { storage_objects } from "../../../db/storage/schema";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";
import { readRows } from "../../support/webhooks/rows";

const OPERATIONS = 600;
const WAVES = 20;
const WAVE = 20;
const PATHS = 12;
const COMPANY_CAP = 4000;
const USER_CAP = 2500;
const MAX_SIZE = 700;

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

type Operation =
  | { kind: "put"; path: string; size: number; owner: number }
  | { kind: "delete"; path: string; owner: number }
  | { kind: "move" | "copy"; path: string; to: string; owner: number };

/** What the rules of quotas make of operations, one after the other. */
function createModel() {
  const objects = new Map<string, { size: number; owner: number }>();
  const used = (owner?: number) =>
    [...objects.values()].reduce((sum, file) => sum + (owner === undefined || file.owner === owner ? file.size : 0), 0);
  /** The status of putting `size` bytes of an owner where `old` is. */
  const judge = (size: number, owner: number, old: { size: number; owner: number } | undefined): number => {
    const growth = Math.max(0, size - (old?.size ?? 0));
    const own = old !== undefined && old.owner !== owner ? size : growth;
    if (growth > 0 && used() + growth > COMPANY_CAP) return 413;
    return own > 0 && used(owner) + own > USER_CAP ? 413 : 200;
  };
  return {
    objects,
    apply(operation: Operation): number {
      const { kind, path, owner } = operation;
      const old = objects.get(path);
      if (kind === "put") {
        const status = judge(operation.size, owner, old);
        if (status === 200) objects.set(path, { size: operation.size, owner });
        return status;
      }
      if (old === undefined) return 404;
      if (kind === "delete") {
        objects.delete(path);
        return 200;
      }
      if (objects.has(operation.to)) return 400;
      if (kind === "copy") {
        const status = judge(old.size, owner, undefined);
        if (status === 200) objects.set(operation.to, { size: old.size, owner });
        return status;
      }
      objects.delete(path);
      objects.set(operation.to, old);
      return 200;
    },
  };
}

it("1,000 operations of two owners come to what the rules say, and a recount changes nothing", async () => {
  const files = await startFiles({
    DEFAULT_COMPANY_QUOTA_BYTES: String(COMPANY_CAP),
    DEFAULT_USER_QUOTA_BYTES: String(USER_CAP),
  });
  const { storage, put, get, companyId } = files;
  const people = [
    { id: files.memberId, bearer: files.member },
    { id: files.ownerId, bearer: files.owner },
  ];
  const random = randomBy(20_261_123);
  const path = () => `f${random(3)}/${random(PATHS)}.bin`;
  const pick = (): Operation => {
    const owner = random(2);
    const kind = (["put", "put", "put", "put", "delete", "move", "copy"] as const)[random(7)] ?? "put";
    if (kind === "put") return { kind, path: path(), size: random(MAX_SIZE), owner };
    return kind === "delete" ? { kind, path: path(), owner } : { kind, path: path(), to: path(), owner };
  };
  const run = async (operation: Operation): Promise<number> => {
    const bearer = people[operation.owner]?.bearer ?? "";
    if (operation.kind === "put") {
      return (await put(operation.path, new Uint8Array(operation.size), { method: "PUT", bearer })).status;
    }
    if (operation.kind === "delete") return (await get(operation.path, { method: "DELETE", bearer })).status;
    const json = { bucketId: "company", sourceKey: operation.path, destinationKey: operation.to };
    return (await storage.call(`/storage/v1/object/${operation.kind}`, { bearer, json })).status;
  };

  const model = createModel();
  for (let made = 0; made < OPERATIONS; made++) {
    const operation = pick();
    if ("to" in operation && operation.to === operation.path) continue;
    const expected = model.apply(operation);
    expect(await run(operation), JSON.stringify(operation)).toBe(expected);
  }
  const rows = await readRows(storage_objects, eq(storage_objects.company_id, companyId));
  const owners = [files.memberId, files.ownerId];
  expect(new Map(rows.map(({ name, size, owner_id }) => [name, { size, owner: owners.indexOf(owner_id) }]))).toEqual(
    model.objects,
  );

  for (let wave = 0; wave < WAVES; wave++) {
    const statuses = await Promise.all(Array.from({ length: WAVE }, () => run(pick())));
    expect(statuses.filter((status) => ![200, 400, 404, 409, 413].includes(status))).toEqual([]);
  }
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
