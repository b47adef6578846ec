import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import type { ManagementLine } from "../../../schemas/management.ts";
import { startCommand } from "../../support/cli/command.ts";
import { makeProject } from "../../support/cli/project.ts";

it.for([
  {
    from: "from its returned position",
    nexts: ["first", "second", undefined],
    sent: [{ batch_size: 5 }, { batch_size: 5, after: "first" }, { after: "second" }],
  },
  {
    from: "that returns no position",
    nexts: [undefined, undefined],
    sent: [{ batch_size: 5 }, { batch_size: 5 }],
  },
])("repeats a command $from until it is complete", async ({ nexts, sent }, context) => {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const next = nexts[received.push((JSON.parse(text) as { flags: unknown }).flags) - 1];
    const isComplete = received.length === nexts.length;
    const counts = { rows: isComplete ? 0 : 1, complete: isComplete };
    const line: ManagementLine = { type: "result", exit_code: 0, line: "", run_id: null, counts };
    response.end(`${JSON.stringify({ ...line, ...(next === undefined ? {} : { next }) })}\n`);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  context.onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ["manage", "email", "reencrypt", "--batch-size", "5", "--url", url];
  const env = { PLATFORM_OPERATOR_KEY: "opk_x" };
  const { ended } = startCommand(context, args, { cwd: makeProject(context, {}), env });
  expect(await ended).toMatchObject({ code: 0, err: "" });
  expect(received).toMatchObject(sent);
  expect(received).toHaveLength(sent.length);
});

it("reports the allowed values of a flag that the service rejects", async (context) => {
  const body = { error_code: "validation_failed", field_errors: { "flags.max_bytes": ["invalid"] } };
  const server = createServer((_request, response) => {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  context.onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ["manage", "storage", "set_quota", "--company", "1", "--max-bytes", "1.5G", "--url", url];
  const env = { PLATFORM_OPERATOR_KEY: "opk_x" };
  const { ended } = startCommand(context, args, { cwd: makeProject(context, {}), env });
  expect(await ended).toMatchObject({
    code: 2,
    err: "--max-bytes: invalid (bytes, or a number with K, M, G or T such as 20G; none: no limit; with --user, default: the company's value)\n",
  });
});

it("passes the argument of a command as a flag, and rejects one that is missing or no number", async (context) => {
  const received: unknown[] = [];
  const line = "approve_hosting_access: company=7 status=approved";
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      received.push(JSON.parse(body));
      const result = { type: "result", exit_code: 0, line, run_id: null, counts: {} };
      response.writeHead(200, { "content-type": "application/x-ndjson" }).end(`${JSON.stringify(result)}\n`);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  context.onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { PLATFORM_OPERATOR_KEY: "opk_x" };
  const cwd = makeProject(context, {});
  const run = (...args: string[]) =>
    startCommand(context, ["manage", "hosting", "approve_hosting_access", ...args, "--url", url], { cwd, env }).ended;
  const { code, out } = await run("7", "--notes", "Signed");
  expect([code, JSON.parse(out)]).toMatchObject([0, { line }]);
  expect(received).toEqual([{ flags: { company_id: 7, notes: "Signed" } }]);
  expect(await run()).toMatchObject({
    code: 2,
    err: expect.stringContaining("missing required argument 'company_id'"),
  });
  expect(await run("seven")).toMatchObject({ code: 2, err: expect.stringContaining("whole number") });
  expect(received).toHaveLength(1);
});
