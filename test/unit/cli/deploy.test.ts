import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { type DeployOptions, runDeploy } from "../../../cli/hosting/deploy.ts";
import { runDeployments, tableOf } from "../../../cli/hosting/deployments.ts";
import { formatBytes } from "../../../cli/hosting/format.ts";
import { runOpen } from "../../../cli/hosting/open-app.ts";
import { runRollback } from "../../../cli/hosting/rollback.ts";
import { semanticVersion, versionOfTime } from "../../../cli/hosting/version.ts";
import { startCommand } from "../../support/cli/command.ts";
import { startHosting } from "../../support/cli/hosting-double.ts";
import { type Files, makeProject, writeFiles } from "../../support/cli/project.ts";
import { writeShell } from "../../support/cli/shell.ts";

const site: Files = {
  "dist/index.html": "<!doctype html><title>Notes</title>",
  "dist/assets/main-4f3c2b1a.js": "console.log('notes')",
  "dist/assets/copy.js": "console.log('notes')",
  "dist/.well-known/security.txt": "Contact: mailto:security@aster.example",
};

/** Creates a project with a built site, over a double of the hosting service. */
async function project(context: TestContext, files: Files = site, config = "") {
  const hosting = await startHosting(context);
  const cwd = makeProject(context, {
    "platform.config.json": `{ "title": "Field Notes", "backend": { "type": "platform", "url": "http://127.0.0.1:9", "companyId": 7 },
      "hosting": { "url": "${hosting.url}", "app": "field-notes" } ${config} }`,
    ...files,
  });
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: cwd, CI: "1", PLATFORM_TOKEN: "secret-token" };
  const out: string[] = [];
  const err: string[] = [];
  const output = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  context.onTestFinished(() => expect([...out, ...err].join("\n")).not.toContain("secret-token"));
  const deploy = (options: DeployOptions = {}) => runDeploy(undefined, { dir: "dist", ...options }, output, cwd, env);
  const uploads = () => hosting.calls.filter((call) => call.startsWith("PUT")).length;
  return { hosting, cwd, env, out, err, output, deploy, uploads };
}

describe.concurrent("platform deploy", { timeout: 60_000 }, () => {
  it("creates the app, sends each content once with its length, and prints the address", async (context) => {
    const { hosting, out, deploy, uploads } = await project(context);
    expect(await deploy({ message: "First" })).toBe(0);
    expect(hosting.apps).toMatchObject([{ name: "field-notes", display_name: "Field Notes" }]);
    expect([...hosting.tokens]).toEqual(["Bearer secret-token"]);
    const [deployment] = hosting.deployments("field-notes");
    expect(deployment).toMatchObject({ status: "active", not_found: "spa", message: "First" });
    expect(deployment?.app_version).toMatch(semanticVersion);
    expect(deployment?.manifest).toMatchObject({
      "index.html": { size: 35, type: "text/html", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ".well-known/security.txt": { type: "text/plain" },
    });
    // The two scripts are equal.
    expect(uploads()).toBe(3);
    expect(out.join("\n")).toMatch(/4 of 4 files new, 93 B, \d+\.\d s\nhttp:\/\/s[0-9a-f-]+\.localhost\/\n/);
  });

  it("sends nothing for unchanged files, and only the changed file afterwards", async (context) => {
    const { hosting, cwd, out, deploy, uploads } = await project(context);
    await deploy();
    const before = uploads();
    expect(await deploy()).toBe(0);
    expect(uploads()).toBe(before);
    expect(out.join("\n")).toContain("0 of 4 files new, 0 B, ");
    writeFileSync(join(cwd, "dist/index.html"), "<!doctype html><title>Notes 2</title>");
    expect(await deploy()).toBe(0);
    expect(uploads()).toBe(before + 1);
    expect(hosting.apps).toHaveLength(1);
    expect(hosting.deployments("field-notes").map(({ status }) => status)).toEqual([
      "active",
      "superseded",
      "superseded",
    ]);
  });

  it("sends six files at a time", async (context) => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`dist/${index}.txt`, `text ${index}`]));
    const { hosting, deploy } = await project(context, files);
    hosting.state.uploadMs = 20;
    hosting.state.uploadsTogether = 6;
    expect(await deploy()).toBe(0);
    expect(hosting.state.uploadsAtOnce).toBe(6);
    expect(hosting.blobs.size).toBe(30);
  });

  it("continues where an interrupted deployment stopped", async (context) => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`dist/${index}.txt`, `text ${index}`]));
    const { hosting, cwd, env, deploy } = await project(context, files);
    hosting.state.uploadMs = 100;
    const { child, ended } = startCommand(context, ["deploy", "--dir", "dist"], { cwd, env });
    await context.expect.poll(() => hosting.blobs.size, { timeout: 30_000 }).toBeGreaterThan(10);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, err: expect.stringContaining("Run the command again to continue") });
    expect(hosting.calls.some((call) => call.endsWith("finalize"))).toBe(false);
    await context.expect.poll(() => hosting.state.uploads).toBe(0);
    const sent = hosting.blobs.size;
    hosting.calls.length = 0;
    expect(await deploy()).toBe(0);
    expect(hosting.calls.filter((call) => call.startsWith("PUT")).length).toBe(40 - sent);
    expect(hosting.blobs.size).toBe(40);
  });

  it("repeats calls after a lost connection, a rate limit and an unavailable service", async (context) => {
    const { hosting, deploy } = await project(context);
    hosting.fail(/^POST apps$/, "cut");
    hosting.fail(/^PUT/, { ...hosting.refuse(429, "rate_limited"), headers: { "Retry-After": "1" } }, 2);
    hosting.fail(/^PUT/, { status: 503 });
    hosting.fail(/finalize$/, hosting.refuse(503, "service_unavailable"));
    expect(await deploy()).toBe(0);
    expect(hosting.deployments("field-notes")[0]?.status).toBe("active");
  });

  it("sends blobs again that the service reports as missing at the end", async (context) => {
    const { hosting, deploy } = await project(context);
    await deploy();
    const [removed] = hosting.blobs.keys();
    const body = { error_code: "blobs_missing", missing: [removed] };
    hosting.fail(/finalize$/, { status: 409, body });
    hosting.calls.length = 0;
    expect(await deploy()).toBe(0);
    expect(hosting.calls.filter((call) => call.startsWith("PUT"))).toEqual([expect.stringContaining(String(removed))]);
  });

  it("succeeds when the response to the last call was lost", async (context) => {
    const { hosting, out, deploy } = await project(context);
    hosting.fail(/finalize$/, hosting.refuse(409, "invalid_deployment_status"));
    expect(await deploy()).toBe(1);
    hosting.deployments("field-notes").length = 0;
    const { calls } = hosting;
    const original = calls.push.bind(calls);
    calls.push = (...added: string[]) => {
      // The deployment is live before its finalize is answered.
      if (added[0]?.endsWith("finalize"))
        Object.assign(hosting.deployments("field-notes")[0] ?? {}, { status: "active" });
      return original(...added);
    };
    expect(await deploy()).toBe(0);
    expect(out.at(-1)).toContain("files new");
  });

  it("prints the files and changes nothing with --dry-run", async (context) => {
    const { hosting, out, cwd, deploy } = await project(context);
    expect(await deploy({ isDryRun: true })).toBe(0);
    expect(out.join("\n")).toContain('The app "field-notes" would be created.');
    await deploy();
    writeFileSync(join(cwd, "dist/new.html"), "new");
    const [count, stored] = [hosting.deployments("field-notes").length, hosting.blobs.size];
    out.length = 0;
    expect(await deploy({ isDryRun: true })).toBe(0);
    expect(out.join("\n")).toMatch(/\n {2}new {3}3 B {2}new\.html\n/);
    expect(out.at(-1)).toBe("would deploy: 1 of 5 files new, 3 B");
    expect([hosting.deployments("field-notes").length, hosting.blobs.size]).toEqual([count, stored]);
  });

  it("prints JSON on stdout with --json, also for errors", async (context) => {
    const { hosting, out, err, deploy } = await project(context);
    expect(await deploy({ isJson: true, appVersion: "1.4.0" })).toBe(0);
    expect(JSON.parse(out.join("\n"))).toMatchObject({
      app: { name: "field-notes" },
      app_version: "1.4.0",
      url: expect.stringMatching(/^http:/),
      deployment_url: expect.stringContaining("--"),
      files: 4,
      files_new: 4,
      bytes_sent: 93,
      warnings: [],
    });
    out.length = 0;
    hosting.fail(/deployments$/, hosting.refuse(403, "deployment_quota_exceeded"));
    expect(await deploy({ isJson: true })).toBe(1);
    expect(JSON.parse(out.join("\n"))).toEqual({
      error_code: "deployment_quota_exceeded",
      message: "Text of deployment_quota_exceeded. (request r-1)",
    });
    expect(err.join("\n")).toContain("error deployment_quota_exceeded: ");
  });

  it("builds the shell, and uses 404.html for missing paths and the version of the configuration", async (context) => {
    const { hosting, cwd, env, deploy, out, err } = await project(context, {}, ', "version": "2.1.0"');
    env.PLATFORM_SHELL = writeShell(join(cwd, "shell"));
    expect(await deploy({ dir: undefined }), err.join("\n")).toBe(0);
    expect(hosting.deployments("field-notes")[0]).toMatchObject({ app_version: "2.1.0", not_found: "page" });
    expect(out.join("\n")).toContain("assets");
    expect(await deploy({ dir: undefined, skipsBuild: true })).toBe(0);
    expect(out.join("\n")).toMatch(/0 of \d+ files new/);
  });

  it("deploys to a preview, and again to the same one by its name", async (context) => {
    const { hosting, deploy } = await project(context);
    expect(await deploy({ isPreview: true, previewName: "feature/search" })).toBe(0);
    expect(await deploy({ isPreview: true, previewName: "feature/search" })).toBe(0);
    expect(await deploy({ isPreview: true })).toBe(0);
    expect(hosting.apps.map(({ display_name }) => display_name)).toEqual([
      "field-notes preview feature-search",
      "field-notes preview",
    ]);
    hosting.fail(/^POST preview$/, hosting.refuse(403, "preview_forbidden"));
    expect(await deploy({ isPreview: true })).toBe(0);
    expect(hosting.apps).toHaveLength(3);
  });

  it("prints warnings of _headers and _redirects with their line", async (context) => {
    const { hosting, err, deploy } = await project(context);
    const warning = { file: "_redirects", line: 3, text: "/a /b 201", reason: "unknown status" };
    await deploy();
    const [live] = hosting.deployments("field-notes");
    hosting.fail(/finalize$/, { status: 200, body: { ...live, warnings: [warning] } });
    expect(await deploy()).toBe(0);
    expect(err).toContain("warning _redirects:3: unknown status: /a /b 201");
  });
});

describe.concurrent("the folder of a deployment", { timeout: 60_000 }, () => {
  it("leaves out files that no site needs and files with secrets, and names them", async (context) => {
    const extra = {
      ".env": "KEY=1",
      ".env.production": "",
      "node_modules/a/index.js": "",
      ".git/HEAD": "",
      ".DS_Store": "",
    };
    const files = Object.fromEntries(Object.entries(extra).map(([path, text]) => [`dist/${path}`, text]));
    const { hosting, out, deploy } = await project(context, { ...site, ...files, "dist/a/.DS_Store": "x" });
    expect(await deploy()).toBe(0);
    expect(Object.keys(hosting.deployments("field-notes")[0]?.manifest ?? {})).toHaveLength(4);
    expect(out.join("\n")).toMatch(/not deployed: .*and 1 more/);
  });

  const refusals: [string, (folder: string) => void, RegExp][] = [
    ["an empty folder", () => undefined, /^error folder-empty: .* has no files\.$/],
    [
      "a symbolic link",
      (folder) => symlinkSync("/etc/passwd", join(folder, "passwd")),
      /^error unsupported-file: passwd is a symbolic link; replace it with the file\.$/,
    ],
    [
      "a name that no address can have",
      (folder) => writeFileSync(join(folder, "a?b%2fc"), "x"),
      /^error unsupported-file: "a\?b%2fc" has a path with/,
    ],
  ];
  for (const [title, prepare, text] of refusals) {
    it(`is rejected for ${title} before any call`, async (context) => {
      const { hosting, cwd, err, deploy } = await project(context, {});
      mkdirSync(join(cwd, "dist"));
      prepare(join(cwd, "dist"));
      expect(await deploy()).toBe(1);
      expect(err.join("\n")).toMatch(text);
      expect(hosting.calls).toEqual([]);
    });
  }

  it("is rejected when it does not exist", async (context) => {
    const { err, deploy } = await project(context, {});
    expect(await deploy({ dir: "nowhere" })).toBe(1);
    expect(err.join("\n")).toMatch(/^error folder-not-found: .*nowhere does not exist\.$/);
    expect(await deploy({ dir: "platform.config.json" })).toBe(1);
    expect(err.join("\n")).toMatch(/error folder-not-found: .*platform\.config\.json is not a folder\.$/);
    expect(await deploy({ dir: undefined, skipsBuild: true })).toBe(1);
    expect(err.join("\n")).toMatch(/error build-missing: dist\/web does not exist/);
  });

  it("is rejected when a file changes while it is sent", async (context) => {
    const { hosting, cwd, err, deploy } = await project(context);
    hosting.fail(/^PUT/, hosting.refuse(400, "blob_hash_mismatch"));
    expect(await deploy()).toBe(1);
    expect(err.join("\n")).toMatch(/error file-changed: \S+ changed while it was deployed/);
    writeFiles(cwd, { "dist/later.txt": "later" });
    expect(await deploy()).toBe(0);
  });
});

describe.concurrent("a deployment that is refused", { timeout: 60_000 }, () => {
  it("says how to get the approval to host, and asks for it on a terminal", async (context) => {
    const { hosting, env, cwd, output, err, deploy } = await project(context);
    hosting.state.isDenied = true;
    expect(await deploy()).toBe(1);
    expect(err.join("\n")).toContain("error hosting_access_denied: ");
    expect(err.join("\n")).toContain("platform manage hosting approve_hosting_access 7");
    expect(hosting.state.requests).toBe(0);
    const asking = { ...output, confirm: async () => true };
    expect(await runDeploy(undefined, { dir: "dist" }, asking, cwd, env)).toBe(1);
    expect(hosting.state.requests).toBe(1);
  });

  it("names the missing sign-in, configuration and set-up", async (context) => {
    const { hosting, env, cwd, err, deploy } = await project(context);
    delete env.PLATFORM_TOKEN;
    expect(await deploy()).toBe(1);
    expect(err.join("\n")).toMatch(/error signed-out: .*`platform login`.*PLATFORM_TOKEN/);
    env.PLATFORM_TOKEN = "secret-token";
    hosting.fail(/./, hosting.refuse(401, "token_invalid"));
    expect(await deploy()).toBe(1);
    expect(err.join("\n")).toMatch(/error token_invalid: .*\nSign in with `platform login`/);
    hosting.fail(/./, hosting.refuse(503, "hosting_not_configured"));
    expect(await deploy()).toBe(1);
    expect(err.join("\n")).toMatch(/error hosting_not_configured: .*\n.*HOSTING_APP_DOMAIN/);
    const backend = { type: "platform", url: "http://127.0.0.1:9", companyId: 7 };
    const write = (config: object) => writeFileSync(join(cwd, "platform.config.json"), JSON.stringify(config));
    write({ backend });
    expect(await deploy()).toBe(1);
    expect(err.join("\n")).toContain("error hosting-missing: ");
    write({ backend, hosting: { url: "http://hosting.example.com", app: "field-notes" } });
    expect(await deploy()).toBe(1);
    expect(err.join("\n")).toContain("error https-required: ");
    write({ backend, hosting: { url: hosting.url, app: "Field Notes" } });
    expect(await deploy()).toBe(1);
    expect(err.join("\n")).toContain("invalid-value hosting.app: ");
  });
});

describe.concurrent("platform deployments, rollback and open", { timeout: 60_000 }, () => {
  async function withTwo(context: TestContext) {
    const opened = await project(context);
    await opened.deploy({ appVersion: "1.0.0", message: "First" });
    await opened.deploy({ appVersion: "2.0.0" });
    opened.out.length = 0;
    const ids = opened.hosting.deployments("field-notes").map(({ id }) => id);
    const rollback = (root?: string, id?: string) => runRollback({ root, id }, opened.output, opened.cwd, opened.env);
    return { ...opened, ids, rollback };
  }

  it("lists the deployments and marks the live one", async (context) => {
    const { out, output, cwd, env, ids, hosting } = await withTwo(context);
    expect(await runDeployments(undefined, { isJson: false }, output, cwd, env)).toBe(0);
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
    expect(out[0]).toMatch(
      new RegExp(`^${ids[0]?.slice(0, 8)} {2}2\\.0\\.0 {2}live {8}${time} {2}4 files, 0 B new +user 7$`),
    );
    expect(out[1]).toMatch(new RegExp(`^${ids[1]?.slice(0, 8)} {2}1\\.0\\.0 {2}superseded .*First$`));
    expect(out[2]).toBe(`live at http://${hosting.apps[0]?.slug}.localhost/`);
    out.length = 0;
    await runDeployments(undefined, { isJson: true }, output, cwd, env);
    expect(JSON.parse(out.join("\n"))).toMatchObject(ids.map((id) => ({ id })));
  });

  it("moves the details to a second line in a terminal that is narrower than a line", () => {
    const rows = [
      ["0b1d6f0c", "2.0.0", "live", "2026-11-28 09:00", "4 files, 0 B new", "you", "A message"],
      ["5f7f5a54", "10.0.0", "failed", "2026-11-28 08:00", "", "user 7", ""],
    ];
    expect(tableOf(rows, 100)).toHaveLength(2);
    expect(tableOf(rows, 60)).toEqual([
      "0b1d6f0c  2.0.0   live    2026-11-28 09:00",
      "  4 files, 0 B new, you, A message",
      "5f7f5a54  10.0.0  failed  2026-11-28 08:00",
      "  user 7",
    ]);
  });

  it("rolls back to an id or its first characters, without a file sent", async (context) => {
    const { hosting, out, err, ids, rollback, uploads } = await withTwo(context);
    const before = uploads();
    expect(await rollback(ids[1]?.slice(0, 8))).toBe(0);
    expect(out.join("\n")).toContain(`${ids[1]?.slice(0, 8)} (1.0.0) is live`);
    expect(hosting.deployments("field-notes").map(({ status }) => status)).toEqual(["superseded", "active"]);
    expect(await rollback(".", ids[0])).toBe(0);
    // It is live already.
    expect(await rollback(".", ids[0])).toBe(0);
    expect(uploads()).toBe(before);
    expect(await rollback("00000000")).toBe(1);
    expect(await rollback(".", "latest")).toBe(1);
    expect(err.join("\n")).toMatch(/error deployment-not-found: [\s\S]*error deployment-id-invalid: /);
  });

  it("lets the user choose on a terminal, and names the last one elsewhere", async (context) => {
    const { hosting, output, cwd, env, err, ids, rollback } = await withTwo(context);
    expect(await rollback()).toBe(1);
    expect(err.join("\n")).toContain(`error deployment-required: Name a deployment: \`platform rollback <id>\``);
    const asked: string[][] = [];
    const choosing = {
      ...output,
      choose: async (_question: string, choices: { value: string }[]) => {
        asked.push(choices.map(({ value }) => value));
        return choices[0]?.value;
      },
    };
    expect(await runRollback({ root: undefined, id: undefined }, choosing, cwd, env)).toBe(0);
    expect(asked).toEqual([[ids[1]]]);
    expect(hosting.deployments("field-notes")[1]?.status).toBe("active");
    const cancelling = { ...output, choose: async () => undefined };
    expect(await runRollback({ root: undefined, id: undefined }, cancelling, cwd, env)).toBe(1);
  });

  it("prints the address of the app, and says when it was never deployed", async (context) => {
    const { out, err, output, cwd, env, deploy, hosting } = await project(context);
    for (const command of [
      (...args: [undefined, typeof output, string, NodeJS.ProcessEnv]) =>
        runOpen({ root: undefined, id: undefined }, args[1], args[2], args[3]),
      (...args: [undefined, typeof output, string, NodeJS.ProcessEnv]) =>
        runDeployments(args[0], { isJson: false }, args[1], args[2], args[3]),
    ])
      expect(await command(undefined, output, cwd, env)).toBe(1);
    expect(err[0]).toBe('error app-not-found: There is no app "field-notes" yet. `platform deploy` creates it.');
    await deploy();
    out.length = 0;
    const open = (id?: string) => runOpen({ root: id, id: undefined }, output, cwd, env);
    expect(await open()).toBe(0);
    expect(out).toEqual([`http://${hosting.apps[0]?.slug}.localhost/`]);
    // Deployments of previews belong to another app.
    await deploy({ isPreview: true });
    const preview = hosting.apps[1];
    const id = String(preview?.current_deployment_id);
    out.length = 0;
    expect(await open(id.slice(0, 8))).toBe(0);
    expect(out).toEqual([`http://${preview?.slug}.localhost/visit-${id}`]);
    expect(await open("00000000")).toBe(1);
    expect(err.at(-1)).toContain("deployment-not-found");
    expect(await open("nope")).toBe(1);
    expect(err.at(-1)).toContain("deployment-id-invalid");
  });
});

it("formats sizes and versions", () => {
  expect([0, 999, 1000, 41_000, 41_234, 999_499, 999_600, 3_141_592, 500e6].map(formatBytes)).toEqual([
    "0 B",
    "999 B",
    "1 KB",
    "41 KB",
    "41 KB",
    "999 KB",
    "1 MB",
    "3.1 MB",
    "500 MB",
  ]);
  const times = ["2026-01-02T00:00:00Z", "2026-01-02T00:00:09Z", "2026-11-28T04:30:05Z"];
  expect(times.map((time) => versionOfTime(new Date(time)))).toEqual(["2026.102.0", "2026.102.9", "2026.1128.43005"]);
  for (const time of times) expect(versionOfTime(new Date(time))).toMatch(semanticVersion);
});
