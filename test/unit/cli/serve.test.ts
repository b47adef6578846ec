import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { networkAddresses, PortInUseError } from "../../../cli/serve/listen.ts";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { makeProject } from "../../support/cli/project.ts";
import { follow, startServer } from "../../support/cli/server.ts";

const config = (title: string, options = "") => `export default { title: "${title}", ${options} };\n`;

async function startProject(context: TestContext, files: Record<string, string>, options = {}) {
  const root = makeProject(context, files);
  const server = await startServer(context, root, options);
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  return { root, write, ...server };
}

describe.concurrent("development server", { timeout: 30_000 }, () => {
  it("serves the shell at page addresses and files of static/ at the root, and returns 404 for missing files", async (context) => {
    const { get } = await startProject(context, {
      "platform.config.ts": config("A", 'navigation: [{ label: "D", path: "docs", url: "/__welcome" }]'),
      "static/a.txt": "hello",
      "static/tool/index.html": "<p>tool</p>",
    });
    for (const path of ["/", "/docs", "/docs/deep/er?x=1", "/login/callback", "/__settings/appearance"]) {
      const page = await get(path);
      expect([path, page.status, page.headers["cache-control"]]).toEqual([path, 200, "no-store"]);
      expect(page.body).toContain('id="platform-page"');
      expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    }
    expect(await get("/a.txt")).toMatchObject({ status: 200, body: "hello" });
    expect(await get("/tool")).toMatchObject({ status: 302 });
    const tool = await get("/tool/");
    expect(tool.body).toBe("<p>tool</p>");
    expect(tool.headers["content-security-policy"]).toBeUndefined();
    expect((await get("/nothing.js")).status).toBe(404);
    expect((await get("/nothing")).status).toBe(404);
    expect((await get("/sw.js")).body).toContain("unregister");
    for (const path of [
      "/../../etc/passwd",
      "/assets/..%2fshell.json",
      "/%2e%2e/platform.config.ts",
      "/assets/%00",
      "/%",
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, path === "/%" ? 400 : 404]);
    }
  });

  it("serves ranges and 304 for files of static/", async (context) => {
    const { get, write } = await startProject(context, {
      "platform.config.ts": config("A"),
      "static/talk.mp4": "0123456789",
      "static/empty.mp4": "",
    });
    const response = await get("/talk.mp4");
    const { etag = "" } = response.headers;
    expect(response).toMatchObject({ status: 200, body: "0123456789", headers: { "accept-ranges": "bytes" } });
    expect(response.headers["cache-control"]).toBe("no-store");
    const part = async (headers: Record<string, string>) => {
      const { status, body, headers: responseHeaders } = await get("/talk.mp4", headers);
      return [status, body, responseHeaders["content-range"], responseHeaders["content-length"]];
    };
    expect(await part({ range: "bytes=0-3" })).toEqual([206, "0123", "bytes 0-3/10", "4"]);
    expect(await part({ range: "bytes=7-" })).toEqual([206, "789", "bytes 7-9/10", "3"]);
    expect(await part({ range: "bytes=-2" })).toEqual([206, "89", "bytes 8-9/10", "2"]);
    expect(await part({ range: "bytes=8-99", "if-range": etag })).toEqual([206, "89", "bytes 8-9/10", "2"]);
    expect((await part({ range: "bytes=10-" })).slice(0, 3)).toEqual([
      416,
      "The file has no such range.\n",
      "bytes */10",
    ]);
    expect((await part({ range: "bytes=-0" }))[0]).toBe(416);
    for (const range of ["bytes=0-1,4-5", "bytes=5-2", "bytes=-", "lines=0-1", "bytes=a-b"])
      expect([range, ...(await part({ range }))]).toEqual([range, 200, "0123456789", undefined, "10"]);
    expect(await part({ range: "bytes=0-3", "if-range": '"other"' })).toEqual([200, "0123456789", undefined, "10"]);
    expect((await get("/empty.mp4")).status).toBe(200);
    expect((await get("/empty.mp4", { range: "bytes=0-" })).status).toBe(416);
    expect(await part({ "if-none-match": `"x", ${etag}` })).toEqual([304, "", undefined, undefined]);
    write("static/talk.mp4", "0123");
    expect(await part({ "if-none-match": etag })).toEqual([200, "0123", undefined, "4"]);
  });

  it("rejects a foreign Host header", async (context) => {
    const { get } = await startProject(context, { "platform.config.ts": config("A") });
    expect((await get("/", { host: "evil.example.com" })).status).toBe(403);
    expect((await get("/", { host: "localhost.evil.example.com" })).status).toBe(403);
    expect((await get("/", { host: "[::1]:1" })).status).toBe(200);
  });

  it("rejects a port that is in use on any address", async (context) => {
    for (const host of ["127.0.0.1", "::1", "0.0.0.0", "::"]) {
      const other = createServer();
      await new Promise<void>((done) => other.listen(0, host, done));
      const { port } = other.address() as AddressInfo;
      const root = makeProject(context, { "platform.config.ts": config("A") });
      await expect(startServer(context, root, { port })).rejects.toThrow(PortInUseError);
      await new Promise((done) => other.close(done));
    }
  });

  it("accepts requests from other machines only with --host", async (context) => {
    const closed = await startProject(context, { "platform.config.ts": config("A") });
    const open = await startProject(context, { "platform.config.ts": config("A") }, { isOpen: true });
    expect((await fetch(`http://127.0.0.1:${open.port}/`)).status).toBe(200);
    expect((await fetch(`http://[::1]:${open.port}/`)).status).toBe(200);
    for (const address of networkAddresses()) {
      const readStatus = (port: number) =>
        fetch(`http://${address}:${port}/`).then(
          ({ status }) => status,
          () => "refused",
        );
      expect([await readStatus(closed.port), await readStatus(open.port)]).toEqual(["refused", 200]);
      expect((await closed.get("/", { host: address })).status).toBe(403);
    }
    expect((await open.get("/", { host: "192.0.2.99" })).status).toBe(403);
  });

  it("applies an edit without a reload where possible", async (context) => {
    const { write, port, out } = await startProject(context, { "platform.config.ts": config("A") });
    const events = await follow(context, port);
    expect(await events.next()).toMatchObject({ type: "state", generation: 0, findings: [] });
    write("platform.config.ts", config("B"));
    expect(await events.next()).toMatchObject({ type: "config", generation: 1, page: { config: { title: "B" } } });
    write("platform.config.ts", config("B", 'layout: "app-bar"'));
    expect(await events.next()).toEqual({ type: "reload" });
    expect(out.some((line) => /^Restarted: platform\.config\.ts changed \(\d+ ms\)$/.test(line))).toBe(true);
  });

  it("updates the page after a save by rename, after changes of imports or .env, and when a deleted file is created again", async (context) => {
    const { root, write, port } = await startProject(context, {
      "platform.config.ts":
        'import { title } from "./lib/title.ts";\nexport default { title: title + (process.env.MARK ?? "") };\n',
      "lib/title.ts": 'export const title = "one";\n',
    });
    const events = await follow(context, port);
    await events.next();
    const title = async () => (await events.next()).page?.config.title;
    write("lib/new.ts", 'export const title = "two";\n');
    renameSync(join(root, "lib/new.ts"), join(root, "lib/title.ts"));
    expect(await title()).toBe("two");
    write(".env", "MARK=!\n");
    expect(await title()).toBe("two!");
    rmSync(join(root, ".env"));
    expect(await title()).toBe("two");
    rmSync(join(root, "lib"), { recursive: true });
    expect(await events.next()).toMatchObject({ type: "broken", findings: [{ code: "config-syntax" }] });
    mkdirSync(join(root, "lib"));
    write("lib/title.ts", 'export const title = "three";\n');
    expect(await title()).toBe("three");
    rmSync(join(root, "platform.config.ts"));
    expect(await events.next()).toMatchObject({ type: "broken", findings: [{ code: "config-not-found" }] });
    write("platform.config.json", '{ "title": "four" }');
    expect(await title()).toBe("four");
  });

  it("restarts once for a file that was deleted and restored", async (context) => {
    const { root, write, port, out } = await startProject(context, {
      "platform.config.ts": 'import { title } from "./nav";\nexport default { title };\n',
      "nav.ts": 'export const title = "one";\n',
    });
    const events = await follow(context, port);
    await events.next();
    rmSync(join(root, "nav.ts"));
    expect(await events.next()).toMatchObject({ type: "broken" });
    write("nav.ts", 'export const title = "two";\n');
    expect(await events.next()).toMatchObject({ type: "config", page: { config: { title: "two" } } });
    write("platform.config.ts", config("three"));
    expect(await events.next()).toMatchObject({ type: "config", page: { config: { title: "three" } } });
    write("platform.config.ts", config("four"));
    expect(await events.next()).toMatchObject({ type: "config", page: { config: { title: "four" } } });
    const restarts = out
      .map((line) => /^Restarted: (.*) changed/.exec(line)?.[1])
      .filter((names) => names !== undefined);
    expect(restarts).toEqual(["nav.ts", "platform.config.ts", "platform.config.ts"]);
  });

  it("keeps serving the last valid configuration while an edit is broken", async (context) => {
    const { write, get, port, err } = await startProject(context, { "platform.config.ts": config("A") });
    const events = await follow(context, port);
    await events.next();
    write("platform.config.ts", "export default { title: 5 };\n");
    expect(await events.next()).toMatchObject({
      type: "broken",
      findings: [{ code: "wrong-type", line: 1, column: 25 }],
    });
    expect((await get("/")).body).toContain("<title>A</title>");
    expect(err.join("\n")).toContain("platform.config.ts:1:25 error wrong-type title");
    const lateEvents = await follow(context, port);
    expect(await lateEvents.next()).toMatchObject({ type: "state", findings: [{ code: "wrong-type" }] });
    write("platform.config.ts", config("A"));
    expect(await events.next()).toMatchObject({ type: "state", generation: 0, findings: [] });
  });

  it("moves to a changed port, and keeps the old port when the new one is in use", async (context) => {
    const { write, port, get } = await startProject(
      context,
      { "platform.config.ts": config("A", `port: ${await findFreePort()}`) },
      { port: undefined },
    );
    const events = await follow(context, port);
    await events.next();
    const busy = createServer();
    await new Promise<void>((done) => busy.listen(0, "127.0.0.1", done));
    write("platform.config.ts", config("B", `port: ${(busy.address() as AddressInfo).port}`));
    expect(await events.next()).toMatchObject({
      type: "broken",
      findings: [{ code: "port-in-use", line: 1, path: "port" }],
    });
    expect((await get("/")).body).toContain("<title>A</title>");
    const next = await findFreePort();
    write("platform.config.ts", config("B", `port: ${next}`));
    expect(await events.next()).toMatchObject({ type: "config" });
    expect(await events.next()).toEqual({ type: "moved", port: next });
    expect((await fetch(`http://127.0.0.1:${next}/`)).status).toBe(200);
    await new Promise((done) => busy.close(done));
  });

  it("reports changed files of static/, including those in a new folder", async (context) => {
    const { root, write, port } = await startProject(context, { "platform.config.ts": config("A") });
    const events = await follow(context, port);
    await events.next();
    mkdirSync(join(root, "static/deep"), { recursive: true });
    write("static/deep/a.css", "a{}");
    expect(await events.nextOf("static")).toEqual({ type: "static", paths: ["/deep/a.css"] });
    write("static/deep/a.css", "b{}");
    expect(await events.nextOf("static")).toEqual({ type: "static", paths: ["/deep/a.css"] });
    expect(await (await fetch(`http://127.0.0.1:${port}/deep/a.css`)).text()).toBe("b{}");
  });
});
