import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/support/processes/ports.ts";
import { fetchApp } from "../support/apps/app-project.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const started: { process: ChildProcess; output: string }[] = [];
let state = "";
let ports = { port: 0, mail: 0, smtp: 0, shell: 0 };

beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), "platform-start-"));
  const [port, mail, smtp, shell] = await Promise.all(Array.from({ length: 4 }, findFreePort));
  ports = { port, mail, smtp, shell } as typeof ports;
  return () => rmSync(state, { recursive: true, force: true });
});
afterEach(async () => {
  for (const { process } of started.splice(0)) if (process.exitCode === null) await stop(process, "SIGTERM");
});

/** Runs `npm start` with separate ports and a separate state folder. */
function start(...extraArguments: string[]): { process: ChildProcess; output: string } {
  const options = [
    "--port",
    ports.port,
    "--mail-port",
    ports.mail,
    "--smtp-port",
    ports.smtp,
    "--shell-port",
    ports.shell,
    "--state",
    state,
  ];
  // Platforms that other tests start in this process silence wrangler, whose lines these tests read.
  const { WRANGLER_LOG: _, ...env } = process.env;
  const args = ["scripts/start.ts", ...options.map(String), ...extraArguments];
  const child = spawn(process.execPath, args, { cwd: root, env });
  const run = { process: child, output: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      run.output += text;
    });
  }
  started.push(run);
  return run;
}

async function untilReady(run: { process: ChildProcess; output: string }): Promise<void> {
  await expect.poll(() => run.output, { timeout: 100_000, interval: 100 }).toContain("Ctrl-C");
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  const [code] = await once(child, "exit");
  return code;
}

/**
 * Returns the command lines of processes of this start that are still running. Each contains the state folder or the
 * SMTP port.
 */
function leftovers(): string[] {
  return commandLines().filter((line) => line.includes(state) || line.includes(`--smtp ${ports.smtp}`));
}

function commandLines(): string[] {
  // Small Linux images have no ps.
  if (!existsSync("/proc/self/cmdline")) {
    return execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" }).split("\n");
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch (error) {
        // The process ended between the two calls.
        if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return "";
        throw error;
      }
    });
}

const countMails = async (): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${ports.mail}/email`);
  return String(((await response.json()) as unknown[]).length);
};

describe("npm start", () => {
  it("lets users sign in, ends every child process on Ctrl-C, and keeps its data until --reset", async () => {
    const first = start();
    await untilReady(first);
    expect(leftovers().length).toBeGreaterThan(1);
    const base = `http://localhost:${ports.port}`;
    const shell = `http://localhost:${ports.shell}`;
    const services = ["identity", "email", "hosting", "storage"].map((service) => `${base}/${service}/api/docs/`);
    const printedUrls = [`${shell}/`, `http://127.0.0.1:${ports.mail}/`, ...services];
    expect(first.output.split(/\s+/)).toEqual(expect.arrayContaining(printedUrls));
    for (const address of [...printedUrls, `${base}/hosting/api/docs/redoc/`]) {
      expect([address, (await fetch(address)).status]).toEqual([address, 200]);
    }
    const apps = first.output.match(/http:\/\/[a-z0-9]{12}\.localhost:\d+/g) ?? [];
    const titles = await Promise.all(
      apps.map(async (app) => /<title>.*<\/title>/.exec((await fetchApp(app)).text)?.[0]),
    );
    expect(titles).toEqual(["<title>Today</title>", "<title>Orders</title>"]);
    const deployed = statSync(join(state, "data/examples/deployed.json")).mtimeMs;
    const { url, status } = await fetch(base);
    expect([url, status]).toEqual([`${shell}/`, 200]);
    const response = await fetch(`${base}/identity/api/v1/magic-link/request`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ company_id: 1, email: "owner@example.com", redirect_to: `${shell}/login/callback` }),
    });
    expect(response.status).toBe(200);
    await expect.poll(countMails, { timeout: 20_000 }).toBe("1");
    const secrets = readFileSync(join(state, "config/identity/.dev.vars"), "utf8");
    const hostingSettings = readFileSync(join(state, "config/hosting/.dev.vars"), "utf8");
    const hostingHealth = async () => (await fetch(`${base}/hosting/api/v1/health`)).status;
    expect(await stop(first.process, "SIGINT")).toBe(0);
    expect(leftovers()).toEqual([]);

    const second = start();
    await untilReady(second);
    expect(await countMails()).toBe("1");
    // Unchanged examples are not deployed again.
    expect(second.output).toContain(apps.at(0));
    expect(statSync(join(state, "data/examples/deployed.json")).mtimeMs).toBe(deployed);
    // The cron runs shortly after the start. Changes of the settings files apply while the platform runs.
    await expect.poll(() => second.output, { timeout: 20_000 }).toContain("retry_webhooks: processed=0");
    appendFileSync(join(state, "config/hosting/.dev.vars"), 'SCHEDULER_ENABLED="of course"\n');
    await expect.poll(() => hostingHealth(), { timeout: 30_000 }).toBe(503);
    writeFileSync(join(state, "config/hosting/.dev.vars"), hostingSettings);
    await expect.poll(() => hostingHealth(), { timeout: 30_000 }).toBe(200);
    expect(second.output.split("SCHEDULER_ENABLED")).toHaveLength(2);
    expect(readFileSync(join(state, "config/identity/.dev.vars"), "utf8")).toBe(secrets);
    expect(await stop(second.process, "SIGTERM")).toBe(0);
    expect(leftovers()).toEqual([]);

    // A reset keeps the secrets, and a stop during the start ends all child processes.
    const restarted = start("--reset");
    await expect.poll(() => countMails().catch(() => "none yet"), { timeout: 20_000 }).toBe("0");
    expect(restarted.output).not.toContain("Ctrl-C");
    expect(await stop(restarted.process, "SIGINT")).toBe(0);
    expect(leftovers()).toEqual([]);
    expect(readFileSync(join(state, "config/identity/.dev.vars"), "utf8")).toBe(secrets);
  }, 360_000);

  it.each(["port", "shell", "mail", "smtp"] as const)(
    "names the process that uses its %s port, and exits with 1",
    async (name) => {
      const server = createServer().listen(ports[name], "127.0.0.1");
      await once(server, "listening");
      const run = start();
      const [code] = await once(run.process, "close");
      server.close();
      expect(code).toBe(1);
      const lines = run.output.trim().split("\n");
      expect(lines).toEqual([
        expect.stringContaining(`Port ${ports[name]} is in use. Process ${process.pid} listens there`),
        expect.stringContaining("Or choose another port: npm start -- --"),
      ]);
    },
  );

  it("starts the Workers again when their port was in use for a moment", async () => {
    const isWranglerRunning = () => leftovers().some((line) => line.includes("wrangler.js"));
    const run = start();
    await expect.poll(isWranglerRunning, { timeout: 60_000, interval: 20 }).toBe(true);
    const server = createServer().listen(ports.port, "127.0.0.1");
    await once(server, "listening");
    await expect.poll(isWranglerRunning, { timeout: 60_000, interval: 20 }).toBe(false);
    server.close();
    await untilReady(run);
    expect(run.output).toContain(`Port ${ports.port} was in use for a moment.`);
    expect(await stop(run.process, "SIGTERM")).toBe(0);
    expect(leftovers()).toEqual([]);
  }, 180_000);

  it("ends every child process when its output is closed", async () => {
    const run = start();
    await untilReady(run);
    expect(leftovers().length).toBeGreaterThan(1);
    const ended = once(run.process, "exit");
    run.process.stdout?.destroy();
    // The request causes a log line that cannot be written. It may get no response.
    await fetch(`http://localhost:${ports.port}/identity/api/v1/health`).catch(() => null);
    await ended;
    expect(leftovers()).toEqual([]);
  }, 120_000);

  it("reports an invalid setting of a service once, and continues when it is corrected", async () => {
    const file = join(state, "config/hosting/.dev.vars");
    mkdirSync(dirname(file), { recursive: true });
    const change = (from: string, to: string) => writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
    const [fanout, resolver] = ['ACTIONS_RETRY_FANOUT="99"\n', 'ACTIONS_DNS_RESOLVER_URL="resolver"\n'];
    appendFileSync(file, `\n${fanout}`);
    const run = start();
    await expect.poll(() => run.output, { timeout: 60_000, interval: 100 }).toContain("ACTIONS_RETRY_FANOUT");
    expect(run.output).not.toContain("Ctrl-C");
    // The start also reports the next invalid setting, and each setting only once, however often it calls the service.
    change(fanout, resolver);
    await expect.poll(() => run.output, { timeout: 60_000, interval: 100 }).toContain("ACTIONS_DNS_RESOLVER_URL");
    change(resolver, "");
    await untilReady(run);
    expect(run.output.split("invalid setting")).toHaveLength(3);
    expect(run.output.split("request failed").length).toBeLessThan(3);
    expect(await stop(run.process, "SIGTERM")).toBe(0);
  }, 250_000);

  it.each([["--port", "x"], ["--smtp-port", "70000"], ["--port", "1080", "--mail-port", "1080"], ["--nonsense"]])(
    "rejects %s with one line before it starts",
    async (...args) => {
      const run = start(...args);
      const [code] = await once(run.process, "close");
      expect(code).toBe(1);
      expect(run.output.trim().split("\n")).toHaveLength(1);
    },
  );
});
