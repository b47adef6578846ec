import { afterEach, expect, it } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";
import { type Death, killAt } from "../../support/storage/kill";

const realNow = clock.now;

afterEach(() => {
  clock.now = realNow;
});

type Files = Awaited<ReturnType<typeof startFiles>>;
type Call = (files: Files, bindings?: Partial<Files["storage"]["bindings"]>) => Promise<Response>;

const upload =
  (path: string, body: BodyInit, headers: Record<string, string>): Call =>
  ({ storage, member }, bindings) =>
    storage.call(`/storage/v1/object/company/${path}`, {
      method: "PUT",
      bearer: member,
      headers,
      body,
      ...(bindings ? { bindings } : {}),
    });

/** Calls until one is not killed any more: at each step, before and after its work; checks what is left, and calls again. */
async function killEverywhere(
  call: Call,
  prepare: (files: Files) => Promise<unknown>,
  atLeast: number,
  deaths: Death[] = ["before", "after"],
): Promise<void> {
  let kills = 0;
  for (const death of deaths) {
    for (let n = 1; ; n++) {
      const files = await startFiles();
      await prepare(files);
      const killed = killAt(files.storage.bindings, n, death);
      const answer = await call(files, killed);
      if (killed.calls() < n) {
        expect(answer.status).toBe(200);
        break;
      }
      kills += 1;
      await sweepAll(files);
      await expectAgreement(files);
      expect((await call(files)).status, `again after kill ${n} ${death}`).toBe(200);
      await sweepAll(files);
      await expectAgreement(files);
    }
  }
  expect(kills).toBeGreaterThanOrEqual(atLeast);
}

it("a killed upload leaves either nothing or the complete object", async () => {
  const call = upload("a.txt", "hello", { "content-length": "5" });
  await killEverywhere(call, ({ put }) => put("other.txt", "1"), 8);
});

it("a killed overwrite leaves either the previous or the new version", async () => {
  const call = upload("a.txt", "hello", { "content-length": "5" });
  await killEverywhere(call, ({ put, owner }) => put("a.txt", "before", { bearer: owner }), 8);
});

it("a killed upload of unknown length leaves no parts", async () => {
  const bytes = new Uint8Array(9 * 1024 * 1024);
  // Before a step is what is behind the one before it: each of these uploads is 9 MiB, so one of the two is enough.
  await killEverywhere(upload("big.bin", bytes, {}), ({ put }) => put("other.txt", "1"), 7, ["after"]);
}, 60_000);

it("the next request finishes a killed removal of a folder", async () => {
  const names = Array.from({ length: 12 }, (_, at) => `folder/${at}`);
  const call: Call = ({ storage, member }, bindings) =>
    storage.call("/storage/v1/object/company", {
      method: "DELETE",
      bearer: member,
      json: { prefixes: names },
      ...(bindings ? { bindings } : {}),
    });
  await killEverywhere(call, ({ put }) => Promise.all([...names.map((name) => put(name, "12")), put("b", "1")]), 4);
});
