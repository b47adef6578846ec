import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../support/harness.ts";

const launcher = fileURLToPath(new URL("../../cli/platform.mjs", import.meta.url));
const OPERATOR_KEY = `opk_${"k".repeat(40)}`;
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ identity: { OPERATOR_KEY } });
  return () => platform.close();
});

/** `platform …` as a script calls it: its output is piped. */
function run(args: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> {
  const own = { PATH: process.env.PATH ?? "", PLATFORM_OPERATOR_KEY: OPERATOR_KEY, ...env };
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, ...args], { env: own, timeout: 30_000 }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

const manage = (command: string, ...flags: string[]) =>
  run(["manage", "identity", command, ...flags, "--url", `${platform.url}/identity`]);

describe("platform manage", () => {
  it("makes a staff account whose printed link signs in, and answers JSON when piped", async () => {
    const { code, out, err } = await manage("create_staff", "--email", "ops@example.com", "--company", "1");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const result = JSON.parse(out) as { line: string; exit_code: number };
    expect(result).toMatchObject({ command: "create_staff", exit_code: 0, run_id: null, counts: {} });
    const link = new URL(/link=(\S+)/.exec(result.line)?.[1] ?? "");
    expect(link.href).toMatch(`${platform.url}/identity/api/v1/magic-link/verify?token=`);
    const signedIn = await fetch(`${platform.url}/identity/api/v1/magic-link/verify`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: link.searchParams.get("token"), company_id: 1 }),
    });
    expect(signedIn.status).toBe(200);
  });

  it("ends with 1 and one line when the command fails", async () => {
    const { code, out, err } = await manage("create_staff", "--email", "ops@example.com", "--company", "77");
    expect({ code, out, err }).toEqual({
      code: 1,
      out: "",
      err: "CommandError: create_staff failed: CommandRefusal: there is no company 77 (run_id=-)\n",
    });
  });

  it("ends with 1 when the key is refused or nobody answers, and never shows the key", async () => {
    const refused = await run(
      ["manage", "identity", "set_staff", "--email", "a@example.com", "--off", "--url", `${platform.url}/identity`],
      { PLATFORM_OPERATOR_KEY: `opk_${"x".repeat(40)}` },
    );
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("token_invalid");
    const away = await run(["manage", "identity", "set_staff", "--email", "a@example.com", "--off"], {
      PLATFORM_IDENTITY_URL: "http://127.0.0.1:9",
    });
    expect(away).toMatchObject({ code: 1, err: expect.stringContaining("Unreachable: http://127.0.0.1:9") });
    expect(refused.err + away.err).not.toContain("opk_");
  });

  it("ends with 1 when the answer breaks off", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end('{"type":"start","command":"set_staff","run_id":null}\n');
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    afterAll(() => server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { code, err } = await run(["manage", "identity", "set_staff", "--email", "a@example.com", "--off"], {
      PLATFORM_IDENTITY_URL: `http://127.0.0.1:${port}`,
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: "CommandError: set_staff failed: Interrupted: the answer ended before its last line (run_id=-)\n",
    });
  });

  it.each([
    [["manage", "identity", "nonsense"]],
    [["manage", "nowhere", "create_staff"]],
    [["manage", "identity", "create_staff", "--email", "a@example.com"]],
    [["manage", "identity", "create_staff", "--email", "a@example.com", "--company", "x"]],
    [["manage", "identity", "create_staff", "--email", "a@example.com", "--company", "1", "--nope"]],
    [["manage", "identity", "set_staff", "--email", "a@example.com", "--off", "--url", "http://example.com"]],
    [["manage", "identity", "set_staff", "--email", "a@example.com", "--off", "--url", "nonsense"]],
  ])("ends with 2 for %j", async (args) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).not.toBe("");
  });

  it("shows its help, with ranges and defaults, with 0", async () => {
    const { code, out } = await run(["manage", "identity", "create_company", "--help"]);
    expect(code).toBe(0);
    for (const flag of ["--name <text>", "--owner-email <address>", "--redirect-origin <url>", "--url <origin>"]) {
      expect(out).toContain(flag);
    }
    expect((await run(["manage", "identity", "create_staff", "--help"])).out).toMatch(
      /--company <n> +id of the company/,
    );
  });

  it("makes a signing key pair that identity takes", async () => {
    const { code, out } = await run(["manage", "identity", "generate_jwt_keys"], { PLATFORM_OPERATOR_KEY: "" });
    expect(code).toBe(0);
    const pair = JSON.parse(out) as { private_key: string; public_key: string };
    expect(pair.private_key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(pair.public_key).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    const { createPrivateKey, createPublicKey } = await import("node:crypto");
    const derived = createPublicKey(createPrivateKey(pair.private_key)).export({ type: "spki", format: "pem" });
    expect(derived).toBe(pair.public_key);
  });
});
