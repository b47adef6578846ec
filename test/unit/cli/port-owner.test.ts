import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { explainBusyPort } from "../../../cli/serve/port-owner.ts";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { makeProject } from "../../support/cli/project.ts";

const listenOn = (port: number) =>
  `require("node:http").createServer().listen(${port}, "127.0.0.1", () => console.log(process.pid));`;

/** Runs a script whose child process is a server, as `npm start` runs the Workers. Both end with the test. */
async function startParent(context: TestContext, script: string, port: number) {
  const root = makeProject(context, {
    [script]: `require("node:child_process").spawn(process.execPath, ["server.js"], { stdio: ["pipe", "inherit", "inherit"] });`,
    "server.js": `process.stdin.on("close", () => process.exit()).resume();${listenOn(port)}`,
  });
  const parent = spawn(process.execPath, [join(".", script)], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  context.onTestFinished(() => void parent.kill("SIGKILL"));
  const [pid] = await once(parent.stdout, "data");
  return { parent: parent.pid, child: Number(pid) };
}

it("names the npm start process that owns the port, because its Workers cannot be stopped alone", async (context) => {
  const port = await findFreePort();
  const { parent, child } = await startParent(context, "scripts/start.ts", port);
  const text = await explainBusyPort(port);
  expect(text).toContain(`Process ${child} listens there (`);
  expect(text).toMatch(
    new RegExp(`, started by process ${parent} \\(.*scripts/start\\.ts\\)\\. End it: kill ${parent}$`),
  );
});

it("names the process on the port when another program started it", async (context) => {
  const port = await findFreePort();
  const { child } = await startParent(context, "scripts/other.ts", port);
  expect(await explainBusyPort(port)).toMatch(new RegExp(`^Process ${child} .*\\)\\. End it: kill ${child}$`));
});

it("explains how to find an unknown process", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  expect(await explainBusyPort(port)).toBe(`Find the process that listens there: lsof -nP -iTCP:${port} -sTCP:LISTEN`);
});
