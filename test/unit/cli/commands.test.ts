import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { loadConfig } from "../../../cli/config/load.ts";
import { canOpenBrowser } from "../../../cli/serve/open-browser.ts";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { startCommand } from "../../support/cli/command.ts";
import { makeProject } from "../../support/cli/project.ts";
import { writeShell } from "../../support/cli/shell.ts";

function project(context: TestContext, files: Record<string, string>) {
  const root = makeProject(context, files);
  const shell = writeShell(join(makeProject(context, {}), "shell"));
  const run = (args: string[], env: NodeJS.ProcessEnv = {}) =>
    startCommand(context, args, { cwd: root, env: { PLATFORM_SHELL: shell, CI: "1", ...env } });
  return { root, run };
}

describe.concurrent("exit code", { timeout: 60_000 }, () => {
  const usage: [string, string[], RegExp][] = [
    ["no command", [], /Usage: platform/],
    ["an unknown command, with the nearest command in the error", ["biuld"], /Did you mean build\?/],
    [
      "an unknown option, with the nearest option in the error",
      ["build", "--targte", "web"],
      /Did you mean --target\?/,
    ],
    ["a bad value", ["build", "--target", "phone"], /web, desktop/],
    ["a missing value", ["start", "--port"], /argument missing/],
    ["a port out of range", ["start", "--port", "0"], /1 to 65535/],
    ["one argument too many", ["build", "a", "b"], /too many arguments/],
  ];
  for (const [title, args, text] of usage) {
    it(`is 2 for ${title}`, async (context) => {
      const { root, run } = project(context, { "platform.config.ts": "export default {};" });
      const { code, out, err } = await run(args).ended;
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(text);
      expect(existsSync(join(root, "dist"))).toBe(false);
    });
  }

  it("is 0 for help and version", async (context) => {
    const { run } = project(context, {});
    expect(await run(["--help"]).ended).toMatchObject({ code: 0, err: "" });
    expect(await run(["build", "--help"]).ended).toMatchObject({ code: 0, err: "" });
    expect(await run(["--version"]).ended).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it("is 1 for a missing or invalid configuration, without serving or writing anything", async (context) => {
    const { root, run } = project(context, {});
    for (const command of ["start", "build"]) {
      expect(await run([command]).ended).toMatchObject({ code: 1, err: expect.stringContaining("config-not-found") });
      expect(await run([command, "nowhere"]).ended).toMatchObject({
        code: 1,
        err: expect.stringContaining("root-not-found"),
      });
    }
    writeFileSync(join(root, "platform.config.ts"), "export default { titel: 'A', port: 'x', layout: 'y' };\n");
    const { code, err } = await run(["build"]).ended;
    expect(code).toBe(1);
    expect(
      err
        .trim()
        .split("\n")
        .map((line) => line.replace(/^\S+ /, "").split(" ")[1]),
    ).toEqual(["unknown-key", "wrong-type", "invalid-value", "1"]);
    expect(err).toContain("2 errors, 1 warning");
    expect(existsSync(join(root, "dist"))).toBe(false);
  });

  it("is 1 for an unknown key with --strict, and 0 without", async (context) => {
    const { run } = project(context, { "platform.config.ts": "export default { titel: 'A' };\n" });
    expect((await run(["build"]).ended).code).toBe(0);
    expect((await run(["build", "--strict"]).ended).code).toBe(1);
  });

  it("is 1 for a port in use, with a message that names the process", async (context) => {
    const { run } = project(context, { "platform.config.ts": "export default {};\n" });
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, done));
    const { port } = other.address() as AddressInfo;
    const { code, err } = await run(["start", "--port", String(port)]).ended;
    expect(code).toBe(1);
    expect(err).toContain(`error port-in-use: Port ${port} is already in use. Process ${process.pid} listens there (`);
    expect(err).toMatch(new RegExp(`\\). End it: kill ${process.pid}\n$`));
    await new Promise((done) => other.close(done));
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`is 0 after ${signal}`, async (context) => {
      const { run } = project(context, { "platform.config.ts": "console.log('here'); export default {};\n" });
      const port = await findFreePort();
      const { child, ended, readOutput } = run(["dev", "--port", String(port)]);
      await expect.poll(readOutput, { timeout: 30_000 }).toContain(`http://localhost:${port}/`);
      expect((await fetch(`http://localhost:${port}/`)).status).toBe(200);
      child.kill(signal);
      expect(await ended).toMatchObject({ code: 0, err: "[config] here\n" });
    });
  }
});

describe.concurrent("browser", { timeout: 60_000 }, () => {
  it("opens once when the server is ready, and only causes a warning when it cannot be opened", async (context) => {
    const { root, run } = project(context, {
      "platform.config.ts": "export default { title: 'A' };\n",
      "browser.sh": '#!/bin/sh\necho "$1" >> opened.txt\n',
    });
    chmodSync(join(root, "browser.sh"), 0o755);
    const port = await findFreePort();
    const opened = () => (existsSync(join(root, "opened.txt")) ? readFileSync(join(root, "opened.txt"), "utf8") : "");
    const { child, ended, readOutput } = run(["start", "--port", String(port)], {
      CI: "",
      DISPLAY: ":9",
      BROWSER: join(root, "browser.sh"),
    });
    await expect.poll(opened, { timeout: 30_000 }).toBe(`http://localhost:${port}/\n`);
    writeFileSync(join(root, "platform.config.ts"), "export default { title: 'B' };\n");
    await expect.poll(readOutput, { timeout: 30_000 }).toContain("Restarted");
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    expect(opened()).toBe(`http://localhost:${port}/\n`);
    const other = run(["start", "--port", String(await findFreePort())], {
      CI: "",
      DISPLAY: ":9",
      BROWSER: "/no/such/program",
    });
    await expect.poll(other.readOutput, { timeout: 30_000 }).toContain("warning: no browser could be opened");
    other.child.kill("SIGTERM");
    expect((await other.ended).code).toBe(0);
  });

  it("does not open without a display, in CI or with BROWSER=none", () => {
    expect(canOpenBrowser({}, "linux")).toBe(false);
    expect(canOpenBrowser({ DISPLAY: ":0" }, "linux")).toBe(true);
    expect(canOpenBrowser({ WAYLAND_DISPLAY: "wayland-0" }, "linux")).toBe(true);
    expect(canOpenBrowser({}, "darwin")).toBe(true);
    expect(canOpenBrowser({ CI: "true" }, "darwin")).toBe(false);
    expect(canOpenBrowser({ BROWSER: "none" }, "darwin")).toBe(false);
  });
});

describe.concurrent("init", { timeout: 60_000 }, () => {
  it("creates the folder with a configuration that has no findings", async (context) => {
    const { root, run } = project(context, {});
    expect((await run(["init", "new/place"]).ended).code).toBe(0);
    const folder = join(root, "new/place");
    const options = { root: folder, cwd: root, command: "start", target: "web", env: {} } as const;
    expect(await loadConfig(options)).toMatchObject({ findings: [], result: { config: { port: 3000 } } });
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("dist/\n");
    expect(readFileSync(join(folder, "platform.config.ts"), "utf8")).not.toContain("import");
  });

  it("keeps existing files, or with --force overwrites the configuration in its format", async (context) => {
    const { root, run } = project(context, { "platform.config.json": "{ }", ".gitignore": "a\n/dist" });
    const text = (name: string) => readFileSync(join(root, name), "utf8");
    expect(await run(["init"]).ended).toMatchObject({ code: 0, out: expect.stringContaining("already exists") });
    expect(text("platform.config.json")).toBe("{ }");
    expect((await run(["init", "--force"]).ended).code).toBe(0);
    expect(JSON.parse(text("platform.config.json"))).toMatchObject({
      port: 3000,
      navigation: [{ path: "home" }, { path: "settings" }],
    });
    expect(existsSync(join(root, "platform.config.ts"))).toBe(false);
    expect(text(".gitignore")).toBe("a\n/dist");
  });

  it("adds a new line to a .gitignore without a trailing line break", async (context) => {
    const { root, run } = project(context, { ".gitignore": "a" });
    mkdirSync(join(root, "x"));
    await run(["init"]).ended;
    expect(readFileSync(join(root, ".gitignore"), "utf8")).toBe("a\ndist/\n");
  });
});
