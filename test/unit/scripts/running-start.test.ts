import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findRunning, findTarget } from "../../../cli/target";

const usual = "http://localhost:8787";

/** A program on a port of its own that answers health as identity does, or with something else. */
async function listen(answer: string): Promise<string> {
  const server = createServer((_request, response) => response.end(answer));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

function noteOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "running-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "running.json"), text);
  return join(folder, "running.json");
}

it("finds the running start by its state file", async () => {
  const url = await listen('{"status":"ok"}');
  expect(await findRunning(noteOf(JSON.stringify({ pid: process.pid, url })))).toBe(url);
});

it("ignores a state file that is unreadable, of a dead process or of another program's port", async () => {
  const url = await listen('{"status":"ok"}');
  const other = await listen("hello");
  // The largest id that a process of Linux may have, and one above it.
  expect(await findRunning(noteOf(JSON.stringify({ pid: 4_194_305, url })))).toBe(usual);
  expect(await findRunning(noteOf(JSON.stringify({ pid: process.pid, url: other })))).toBe(usual);
  expect(await findRunning(noteOf(JSON.stringify({ pid: process.pid, url: "http://127.0.0.1:1" })))).toBe(usual);
  expect(await findRunning(noteOf("{"))).toBe(usual);
  expect(await findRunning("/nowhere/running.json")).toBe(usual);
});

it("looks for no running start when an address is given", async () => {
  const env = { PLATFORM_OPERATOR_KEY: "opk_x", PLATFORM_EMAIL_URL: "https://email.example.com" };
  expect((await findTarget("email", undefined, env)).url).toBe("https://email.example.com");
  expect((await findTarget("email", "http://localhost:1/email/", env)).url).toBe("http://localhost:1/email");
});
