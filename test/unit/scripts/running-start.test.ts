import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findRunning, findTarget } from "../../../cli/target";

const defaultUrl = "http://localhost:8787";

/** Starts a server that responds to every request with `body`, and returns its URL. */
async function listen(body: string): Promise<string> {
  const server = createServer((_request, response) => response.end(body));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

function writeStateFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "running-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "running.json"), text);
  return join(folder, "running.json");
}

it("finds a running `npm start` by its state file", async () => {
  const url = await listen('{"status":"ok"}');
  expect(await findRunning(writeStateFile(JSON.stringify({ pid: process.pid, url })))).toBe(url);
});

it("ignores a state file that is unreadable, of a dead process, or with the port of another program", async () => {
  const url = await listen('{"status":"ok"}');
  const other = await listen("hello");
  // This process id is one above the largest process id of Linux.
  expect(await findRunning(writeStateFile(JSON.stringify({ pid: 4_194_305, url })))).toBe(defaultUrl);
  expect(await findRunning(writeStateFile(JSON.stringify({ pid: process.pid, url: other })))).toBe(defaultUrl);
  expect(await findRunning(writeStateFile(JSON.stringify({ pid: process.pid, url: "http://127.0.0.1:1" })))).toBe(
    defaultUrl,
  );
  expect(await findRunning(writeStateFile("{"))).toBe(defaultUrl);
  expect(await findRunning("/nowhere/running.json")).toBe(defaultUrl);
});

it("ignores a running `npm start` when a URL is configured", async () => {
  const env = { PLATFORM_OPERATOR_KEY: "opk_x", PLATFORM_EMAIL_URL: "https://email.example.com" };
  expect((await findTarget("email", undefined, env)).url).toBe("https://email.example.com");
  expect((await findTarget("email", "http://localhost:1/email/", env)).url).toBe("http://localhost:1/email");
});
