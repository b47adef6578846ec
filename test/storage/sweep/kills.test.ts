import { afterEach, expect, it } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";
import { killAtEachCall, killable } from "../../support/storage/kill";

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

/**
 * Kills a request at each of its database and bucket calls, checks that all rows agree, repeats the request, and
 * returns the number of kills.
 */
async function killEverywhere(call: Call, prepare: (files: Files) => Promise<unknown>): Promise<number> {
  return killAtEachCall(async (at) => {
    const files = await startFiles();
    await prepare(files);
    const { bindings, calls } = killable(files.storage.bindings, at);
    const response = await call(files, bindings);
    if (at === null) expect(response.status).toBe(200);
    await sweepAll(files);
    await expectAgreement(files);
    expect((await call(files)).status, `repeated after kill ${at}`).toBe(200);
    await sweepAll(files);
    await expectAgreement(files);
    return calls();
  });
}

it("leaves either nothing or the complete object when an upload is killed", async () => {
  const call = upload("a.txt", "hello", { "content-length": "5" });
  expect(await killEverywhere(call, ({ put }) => put("other.txt", "1"))).toBeGreaterThanOrEqual(4);
});

it("leaves either the previous or the new version when an overwrite is killed", async () => {
  const call = upload("a.txt", "hello", { "content-length": "5" });
  expect(
    await killEverywhere(call, ({ put, owner }) => put("a.txt", "before", { bearer: owner })),
  ).toBeGreaterThanOrEqual(4);
});

it("leaves no parts when an upload of unknown length is killed", async () => {
  const bytes = new Uint8Array(9 * 1024 * 1024);
  const call = upload("big.bin", bytes, {});
  expect(await killEverywhere(call, ({ put }) => put("other.txt", "1"))).toBeGreaterThanOrEqual(7);
}, 60_000);

it("finishes a killed deletion of several objects at the next request", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `folder/${index}`);
  const call: Call = ({ storage, member }, bindings) =>
    storage.call("/storage/v1/object/company", {
      method: "DELETE",
      bearer: member,
      json: { prefixes: names },
      ...(bindings ? { bindings } : {}),
    });
  const prepare = ({ put }: Files) => Promise.all([...names.map((name) => put(name, "12")), put("b", "1")]);
  expect(await killEverywhere(call, prepare)).toBeGreaterThanOrEqual(2);
});
