import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../cli/config/load.ts";
import { startCommand } from "../../support/cli/command.ts";
import { type Cleanup, makeProject } from "../../support/cli/project.ts";
import { writeShell } from "../../support/cli/shell.ts";

/**
 * Loads a configuration that writes process ids into the file `pids`. Returns the elapsed time in ms and the printed
 * lines.
 */
async function loadTimed(context: Cleanup, text: string, evaluationLimitMs = 10_000) {
  const cwd = makeProject(context, { "platform.config.ts": text });
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const startedAt = performance.now();
  const options = { cwd, command: "build", target: "web", env: process.env, print, evaluationLimitMs } as const;
  const { findings } = await loadConfig(options);
  const ms = performance.now() - startedAt;
  return { codes: findings.map(({ code }) => code), ms, printed, pids: pidsOf(cwd) };
}

const pidsOf = (root: string) => readFileSync(join(root, "pids"), "utf8").trim().split("\n").map(Number);

/** Returns whether a process is running. A zombie process has no command line. */
const isAlive = (pid: number) => {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) && readFileSync(file, "utf8") !== "";
};

describe("evaluation of a configuration", { timeout: 60_000 }, () => {
  it("times out when the configuration waits for a slow process, and kills that process", async (context) => {
    const { codes, ms, pids } = await loadTimed(
      context,
      `import { execSync } from "node:child_process";
      execSync("echo $$ > pids; exec sleep 30", { stdio: "inherit" });
      export default {};`,
      2000,
    );
    expect(codes).toEqual(["config-timeout"]);
    expect(ms).toBeLessThan(15_000);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  it.for([false, true])(
    "does not wait for a process that the configuration leaves running (detached: %s)",
    async (detached, context) => {
      const { codes, ms, printed, pids } = await loadTimed(
        context,
        `import { spawn } from "node:child_process";
      import { writeFileSync } from "node:fs";
      console.log("one");
      const { pid } = spawn("sleep", ["30"], { stdio: "inherit", detached: ${detached} });
      writeFileSync("pids", String(pid));
      console.log("two");
      export default {};`,
      );
      for (const pid of pids) if (detached) process.kill(pid, "SIGKILL");
      expect(codes).toEqual([]);
      expect(printed).toEqual(["one", "two"]);
      expect(ms).toBeLessThan(8000);
      await expect.poll(() => pids.filter(isAlive)).toEqual([]);
    },
  );

  it("stops when the command exits", async (context) => {
    const root = makeProject(context, {
      "platform.config.ts": `import { execSync } from "node:child_process";
      execSync("echo $PPID > pids; echo $$ >> pids; exec sleep 30");
      export default {};`,
    });
    const env = { PLATFORM_SHELL: writeShell(join(makeProject(context, {}), "shell")) };
    const { child, ended } = startCommand(context, ["build"], { cwd: root, env });
    await expect.poll(() => existsSync(join(root, "pids")) && pidsOf(root).length, { timeout: 20_000 }).toBe(2);
    child.kill("SIGINT");
    await ended;
    expect(child.signalCode).toBe("SIGINT");
    await expect.poll(() => pidsOf(root).filter(isAlive)).toEqual([]);
  });
});
