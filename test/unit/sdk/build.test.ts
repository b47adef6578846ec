import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repository } from "../../../scripts/support/shell/current.ts";
import { buildSdk } from "../../../scripts/support/shell/sdk.ts";
import { createPlatform } from "../../../shell/sdk/src/entries/full.ts";
import { fakePage } from "../../support/sdk/fake-window.ts";

let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "platform-sdk-"));
  await buildSdk(repository, folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string) => readFileSync(join(folder, "sdk", name), "utf8");
const sizeOf = (name: string) => gzipSync(read(name), { level: 9 }).length;

const application = (module: string) => `import { platform } from "./${module}.js";
const { data } = await platform.getAccessToken({ minTtl: 60 });
const token: string | null = data;
platform.on("session", ({ user }) => console.log(user?.email, token));
// @ts-expect-error there is no such event
platform.on("sessions", () => undefined);
`;
const fullApplication = `${application("platform")}
const { data: { embedded, level } } = await platform.init({ shellOrigins: ["https://shell.example.com"], router: "hash" });
const answer = await platform.dialog({ title: "Delete 3 orders?", mode: "delete" });
if (answer.error === null && answer.data === "ok" && embedded && level === "token") await platform.badge(3);
const listed = await platform.storage.from("invoices").list("2026", { limit: 10 });
platform.getLogger("orders").info(listed.data?.map(({ name }) => name), platform.version);
`;
const scriptApplication = "void platform.ready.then(({ data }) => document.title.concat(String(data.user?.email)));\n";

describe("published library", () => {
  test("does not exceed its size limits", () => {
    const sizes = { tiny: sizeOf("tiny.js"), module: sizeOf("tiny.module.js"), full: sizeOf("platform.js") };
    console.log(`tiny ${sizes.tiny} B, as a module ${sizes.module} B, full ${sizes.full} B gzip`);
    expect(sizes.tiny).toBeLessThan(4000);
    expect(sizes.module).toBeLessThan(4000);
    expect(sizes.full).toBeLessThan(8000);
  });

  test("is documented completely on its page", () => {
    const page = readFileSync(join(repository, "docs/sdk.md"), "utf8");
    const platform = createPlatform(fakePage().page, "0.0.0-test");
    const missing = Object.keys(platform).filter((name) => !page.includes(`platform.${name}`));
    expect(missing).toEqual([]);
    const operations = Object.keys(platform.storage.from("invoices"));
    expect(operations.filter((name) => !page.includes(`\`${name}(`))).toEqual([]);
  });

  test("makes no requests and uses no storage", () => {
    for (const name of ["tiny.js", "tiny.module.js", "platform.js"]) {
      expect(read(name)).not.toMatch(
        /\bimport\b|\brequire\b|\bfetch\b|localStorage|sessionStorage|indexedDB|cookie\s*=/,
      );
    }
  });

  test("includes types that applications compile with", async () => {
    writeFileSync(join(folder, "sdk/use-tiny.ts"), application("tiny.module"));
    writeFileSync(join(folder, "sdk/use-full.ts"), fullApplication);
    writeFileSync(join(folder, "sdk/use-script.ts"), `/// <reference path="./tiny.d.ts" />\n${scriptApplication}`);
    const options = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--module",
      "esnext",
      "--lib",
      "es2022,dom",
    ];
    const compiler = join(repository, "node_modules/.bin/tsc");
    const compile = (...names: string[]) =>
      promisify(execFile)(compiler, [
        ...options,
        "--moduleResolution",
        "bundler",
        ...names.map((name) => join(folder, "sdk", name)),
      ])
        .then(() => "")
        .catch(({ stdout }: { stdout: string }) => stdout);
    expect(await compile("use-tiny.ts", "use-full.ts")).toBe("");
    expect(await compile("use-script.ts")).toBe("");
  });
});
