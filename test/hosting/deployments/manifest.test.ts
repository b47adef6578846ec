import { describe, expect, it } from "vitest";
import { type Created, siteOf, startApps } from "../../support/hosting/apps";
import { eventsOf } from "../../support/hosting/events";
import { readError } from "../../support/sibling/sibling";

const sha256 = "0".repeat(64);
const file = { sha256, size: 1 };
const nul = String.fromCharCode(0);

type Errors = Record<string, string[]>;

/** Sends a manifest to a new app and returns the status and field errors. */
async function reject(manifest: unknown, fields: object = {}) {
  const apps = await startApps();
  const { name } = await apps.createApp();
  const response = await apps.call(`apps/${name}/deployments`, {
    json: { app_version: "1.0.0", ...fields, ...(manifest === undefined ? {} : { manifest }) },
  });
  const { field_errors } = (await response.json()) as { field_errors?: Errors };
  const list = await (await apps.call(`apps/${name}/deployments`)).json();
  expect(list, "a rejected request must store nothing").toMatchObject({ count: 0 });
  return [response.status, field_errors];
}

describe("a manifest", () => {
  it.each([
    ["/index.html", "path_absolute"],
    ["C:/index.html", "path_absolute"],
    ["a/../b", "path_dot_segment"],
    ["./a", "path_dot_segment"],
    ["..", "path_dot_segment"],
    ["a//b", "path_empty_segment"],
    ["a/", "path_empty_segment"],
    ["a\\b", "path_invalid_character"],
    [`a${nul}b`, "path_invalid_character"],
    ["a?b", "path_invalid_character"],
    ["a\u2028\u0007b", "path_invalid_character"],
    ["\ud800", "path_invalid_character"],
    ["a%2fb", "path_encoded"],
    ["a%5Cb", "path_encoded"],
    ["%2e%2e/a", "path_encoded"],
    ["", "path_empty"],
    ["a".repeat(1100), "path_too_long"],
    ["é".repeat(513), "path_too_long"],
  ])("is rejected with the path %j", async (path, code) => {
    expect(await reject({ "ok.html": file, [path]: file })).toEqual([400, { [`manifest.${path}`]: [code] }]);
  });

  it.each([
    ["another hash length", { sha256: "00", size: 1 }, "sha256", "invalid"],
    ["an upper-case hash", { sha256: "A".repeat(64), size: 1 }, "sha256", "invalid"],
    ["a hash that is no text", { sha256: 1, size: 1 }, "sha256", "invalid"],
    ["no hash", { size: 1 }, "sha256", "required"],
    ["no size", { sha256 }, "size", "required"],
    ["a size that is text", { sha256, size: "1" }, "size", "invalid"],
    ["a fraction as size", { sha256, size: 1.5 }, "size", "invalid"],
    ["a negative size", { sha256, size: -1 }, "size", "out_of_range"],
    ["a file above the limit", { sha256, size: 95 * 2 ** 20 + 1 }, "size", "too_large"],
    ["another size of the same hash", { sha256, size: 2 }, "size", "mismatch"],
    ["a type that is no text", { sha256, size: 1, type: 7 }, "type", "invalid"],
    ["a long type", { sha256, size: 1, type: "a".repeat(256) }, "type", "too_long"],
  ])("is rejected with %s", async (_title, value, field, code) => {
    const errors = { [`manifest.b.html.${field}`]: [code] };
    expect(await reject({ "a.html": file, "b.html": value })).toEqual([400, errors]);
  });

  it.each([
    ["no files", {}, "blank"],
    ["null", null, "invalid"],
    ["a list", [file], "invalid"],
    ["a text", "a", "invalid"],
    [
      "501 MB",
      Object.fromEntries(
        Array.from({ length: 6 }, (_, i) => [`${i}.bin`, { sha256: String(i).repeat(64), size: 84 * 2 ** 20 }]),
      ),
      "too_large",
    ],
    ["5,001 files", Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`${i}.html`, file])), "too_many"],
  ])("is rejected with %s", async (_title, manifest, code) => {
    expect(await reject(manifest)).toEqual([400, { manifest: [code] }]);
  });

  it("is rejected with paths that differ only in case or Unicode form", async () => {
    expect(await reject({ "Logo.svg": file, "logo.SVG": file })).toEqual([
      400,
      { "manifest.logo.SVG": ["path_case_conflict"] },
    ]);
    expect(await reject({ "\u00e9.svg": file, "e\u0301.svg": file })).toEqual([
      400,
      { "manifest.e\u0301.svg": ["path_case_conflict"] },
    ]);
  });

  it("names the first 20 invalid paths", async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `/${i}.html`);
    const [status, errors] = await reject(Object.fromEntries(paths.map((path) => [path, file])));
    expect([status, Object.keys(errors ?? {})]).toEqual([400, paths.slice(0, 20).map((path) => `manifest.${path}`)]);
  });

  it.each([
    ["1.0", "invalid_format"],
    ["v1.0.0", "invalid_format"],
    ["1.0.0-", "invalid_format"],
    ["01.0.0", "invalid_format"],
    ["", "invalid_format"],
    [`1.0.0-${"a".repeat(60)}`, "too_long"],
  ])("is rejected with the version %j", async (app_version, code) => {
    expect(await reject(undefined, { app_version })).toEqual([400, { app_version: [code] }]);
    expect(await reject(undefined, { shell_version: app_version })).toEqual([400, { shell_version: [code] }]);
  });

  it("may have 5,000 files with the longest paths", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const paths = Array.from({ length: 5000 }, (_, i) => `${String(i).padStart(4, "0")}/${"a".repeat(1019)}`);
    const manifest = Object.fromEntries(paths.map((path) => [path, file]));
    const created = await apps.send<Created>(`apps/${name}/deployments`, { app_version: "1.0.0", manifest }, 201);
    expect(created).toMatchObject({ file_count: 5000, total_bytes: 5000, bytes_new: 1, missing: [sha256] });
  });

  it("accepts paths that are keys of every object", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const { manifest } = await siteOf({ "index.html": "one" });
    const own = { sha256: "1".repeat(64), size: 3 };
    const json = `{"app_version":"1.0.0","manifest":${JSON.stringify(manifest).slice(0, -1)},"__proto__":${JSON.stringify(own)},"constructor":${JSON.stringify(own)}}}`;
    const response = await apps.call(`apps/${name}/deployments`, {
      method: "POST",
      body: json,
      headers: { "content-type": "application/json" },
    });
    expect([response.status, await response.json()]).toMatchObject([201, { file_count: 3, total_bytes: 9 }]);
  });
});

describe("a dry run", () => {
  it("lists the missing files and stores nothing", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    await apps.deploy(name, { "index.html": "one", "a.js": "let a" });
    const events = (await eventsOf(apps.companyId)).length;
    const { manifest } = await siteOf({ "index.html": "two!", "a.js": "let a" });
    const json = { app_version: "1.0.1", manifest, dry_run: true };
    const answer = await apps.send(`apps/${name}/deployments`, json, 200);
    const missing = [manifest["index.html"]?.sha256];
    expect(answer).toEqual({ missing, bytes_missing: 4, fits: true });
    expect(await apps.send(`apps/${name}/deployments`, json, 200)).toEqual(answer);
    expect(await (await apps.call(`apps/${name}/deployments`)).json()).toMatchObject({ count: 1 });
    expect(await eventsOf(apps.companyId)).toHaveLength(events);
    const upload = await apps.putBlob(name, missing[0] ?? "", new TextEncoder().encode("two!"));
    expect(await readError(upload)).toEqual([404, "blob_not_declared"]);
  });

  it("needs a manifest", async () => {
    expect(await reject(undefined, { dry_run: true })).toEqual([400, { manifest: ["required"] }]);
  });
});

describe("the size of a stored file", () => {
  it("is compared with each manifest that names its hash", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    await apps.deploy(name, { "index.html": "one" });
    const { manifest } = await siteOf({ "index.html": "one" });
    const json = { app_version: "1.0.1", manifest: { "a.html": { ...manifest["index.html"], size: 4 } } };
    for (const dry_run of [true, false]) {
      const response = await apps.call(`apps/${name}/deployments`, { json: { ...json, dry_run } });
      const errors = { "manifest.a.html.size": ["mismatch"] };
      expect([response.status, await response.json()]).toMatchObject([400, { field_errors: errors }]);
    }
    expect(await (await apps.call(`apps/${name}/deployments`)).json()).toMatchObject({ count: 1 });
  });

  it("is replaced while the file is not stored", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const site = await siteOf({ "index.html": "one" });
    const declare = (size: number) =>
      apps.send<Created>(
        `apps/${name}/deployments`,
        { app_version: "1.0.0", manifest: { "index.html": { ...site.manifest["index.html"], size } } },
        201,
      );
    await declare(4);
    const { id, missing } = await declare(3);
    await apps.uploadMissing(name, site, missing);
    expect((await apps.finalize(name, id)).status).toBe(200);
  });
});
