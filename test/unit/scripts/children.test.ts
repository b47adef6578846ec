import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { runScript, startChild, stopChildren } from "../../../scripts/support/processes/children.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Writes a script into a temporary folder and returns its path relative to the repository. */
function script(text: string): string {
  const folder = mkdtempSync(join(root, ".generated/children-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "script.mjs"), text);
  return relative(root, join(folder, "script.mjs"));
}

/** Returns whether a process is running. A zombie process, which only init can remove, is not running. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

it("reports the shortened command line and the output of a failed script", async () => {
  const failing = script('console.error("no such table"); process.exit(3);');
  await expect(runScript(failing, ["--x"])).rejects.toThrow(`${failing} --x ended with 3:\nno such table`);
  const task = "t".repeat(5000);
  const error = await runScript(failing, [task]).catch(String);
  expect(error).toContain("ended with 3:\nno such table");
  expect(error.length).toBeLessThan(400);
});

it("ends child processes and their children when the parent is killed", async () => {
  const grandchild = script('console.log(process.pid); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);');
  const child = script(`
    import { spawn } from "node:child_process";
    console.log(process.pid);
    spawn(process.execPath, [...process.execArgv, "${join(root, grandchild)}"], { stdio: "inherit" });
    setInterval(() => {}, 1000);`);
  const parent = script(`
    import { startChild } from "${join(root, "scripts/support/processes/children.ts")}";
    startChild("${child}", [], (text) => process.stdout.write(text));`);
  const started = spawn(process.execPath, [join(root, parent)], { stdio: ["ignore", "pipe", "inherit"] });
  let pids: number[] = [];
  onTestFinished(() => {
    started.kill("SIGKILL");
    for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
  });
  let output = "";
  for await (const text of started.stdout.setEncoding("utf8")) {
    output += text;
    pids = [...output.matchAll(/^\d+$/gm)].map(Number);
    if (pids.length === 2) break;
  }
  expect(pids.map(isRunning)).toEqual([true, true]);
  started.kill("SIGKILL");
  await once(started, "exit");
  await expect.poll(() => pids.map(isRunning), { timeout: 5000 }).toEqual([false, false]);
});

it("starts no child process while all child processes are being stopped", async () => {
  const slow = script(
    'process.on("SIGTERM", () => setTimeout(process.exit, 300)); setInterval(() => {}, 1000); console.log("up");',
  );
  let output = "";
  const child = startChild(slow, [], (text) => {
    output += text;
  });
  await expect.poll(() => output).toBe("up\n");
  const stopped = stopChildren();
  expect(() => startChild(slow, [])).toThrow("was not started");
  await expect(runScript(slow, [])).rejects.toThrow("was not started");
  await stopped;
  expect(() => process.kill(child.process.pid ?? 0, 0)).toThrow("ESRCH");
  expect(() => startChild(slow, [])).toThrow("was not started");
});
