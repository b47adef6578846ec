import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, type TestContext, vi } from "vitest";
import { runExport } from "../../../../cli/people/export.ts";
import { runImport } from "../../../../cli/people/import.ts";
import type { CommandSpec } from "../../../../schemas/management/command-spec.ts";
import { type ManagementLine, managementCommands } from "../../../../schemas/management.ts";
import { startCommand } from "../../../support/cli/command.ts";
import { makeProject } from "../../../support/cli/project.ts";

type Request = { flags: Record<string, unknown>; rows?: Record<string, unknown>[] };
type Answer = ManagementLine[] | { status: number; headers?: Record<string, string> };

/** Starts a service that answers each request with the next answer of `answer`. Returns its URL and the requests. */
async function startService(context: TestContext, answer: (request: Request, at: number) => Answer) {
  const requests: Request[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text) as Request;
    const result = answer(body, requests.push(body) - 1);
    if (!Array.isArray(result)) return response.writeHead(result.status, result.headers).end("{}");
    return response.end(result.map((line) => `${JSON.stringify(line)}\n`).join(""));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  context.onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const end = (next?: string): ManagementLine => ({
  type: "result",
  exit_code: 0,
  line: "",
  run_id: null,
  counts: {},
  ...(next === undefined ? {} : { next }),
});

/** Answers each row by the part of its address before `@`, such as `created`. */
const byAddress = ({ rows = [] }: Request): ManagementLine[] => [
  { type: "start", command: "import_people", run_id: null },
  { type: "rows", rows: rows.map(({ email }) => ({ status: String(email).replace(/\d*@.*/, "") })) },
  end(),
];

type Command = "import_people" | "export_people";

/** Runs a command in a process of its own, as a user would. */
function runProcess(context: TestContext, command: Command, cwd: string, args: string[]) {
  const env = { PLATFORM_OPERATOR_KEY: "opk_x" };
  return startCommand(context, ["manage", "identity", command, "--company", "7", ...args], { cwd, env }).ended;
}

/** Runs a command in this process, which is faster. `files` are flags with paths in `cwd`. Removes `cwd` from the output. */
async function run(
  command: Command,
  cwd: string,
  url: string,
  { files, ...flags }: { files: Record<string, string> } & Record<string, unknown>,
) {
  const paths = Object.fromEntries(Object.entries(files).map(([name, path]) => [name, join(cwd, path)]));
  const [out, err]: [string[], string[]] = [[], []];
  const spies = [
    vi.spyOn(console, "log").mockImplementation((line: string) => void out.push(line)),
    vi.spyOn(console, "error").mockImplementation((line: string) => void err.push(line.replaceAll(`${cwd}/`, ""))),
  ];
  const spec = managementCommands.identity.find(({ name }) => name === command) as CommandSpec;
  const target = { url, credential: "opk_x", isLoopback: true };
  try {
    const work = command === "import_people" ? runImport : runExport;
    const code = await work(target, spec, { company: 7, ...flags, ...paths });
    return { code, out: out.join("\n"), err: err.join("\n") };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

it("imports a file in chunks of 500, and prints counts, rate and peak memory", async (context) => {
  const { url, requests } = await startService(context, byAddress);
  const lines = Array.from(
    { length: 1201 },
    (_, at) => `${at % 3 === 0 ? "created" : "unchanged"}${at}@x.example,Noor`,
  );
  const cwd = makeProject(context, { "people.csv": `email,name\n${lines.join("\n")}\n` });
  const { code, out, err } = await runProcess(context, "import_people", cwd, [
    "--file",
    "people.csv",
    "--allow",
    "--url",
    url,
  ]);
  expect({ code, err }).toEqual({ code: 0, err: "CSV: 1201 rows\n" });
  expect(requests.map(({ rows }) => rows?.length)).toEqual([500, 500, 201]);
  expect(requests[0]?.flags).toEqual({ company: 7, allow: true });
  expect(requests[2]?.rows?.at(-1)).toMatchObject({ email: "created1200@x.example", first_name: "Noor" });
  expect(JSON.parse(out)).toMatchObject({
    command: "import_people",
    exit_code: 0,
    counts: {
      created: 401,
      updated: 0,
      unchanged: 800,
      rejected: 0,
      rows_per_second: expect.any(Number),
      peak_mb: expect.any(Number),
    },
  });
});

it("reports rejected rows with line and field, and writes them to a file that imports again", async (context) => {
  const { url, requests } = await startService(context, ({ rows = [] }) => [
    {
      type: "rows",
      rows: rows.map(({ email }) => {
        if (email === "bad") return { status: "rejected", errors: { email: ["invalid_format"] } };
        const skipped = { access: ["access_removed"] };
        return email === "gone@x.example" ? { status: "unchanged", skipped } : { status: "created" };
      }),
    },
    end(),
  ]);
  const content =
    'email;name;created_at\r\na@x.example;"A;B";\r\nbad;"C;\r\nD";\r\nb@x.example;B;soon\r\nc@x.example;C\r\ngone@x.example;;\r\n';
  const cwd = makeProject(context, { "people.csv": content });
  const files = { file: "people.csv", rejected: "rejected.csv" };
  const { code, err } = await run("import_people", cwd, url, { files });
  expect(code).toBe(1);
  expect(err.trim().split("\n")).toEqual([
    "CSV: 5 rows",
    "line 3: email (invalid_format): this is not an email address",
    "line 5: created_at (invalid): the value is not valid",
    "line 6: columns (mismatch): the line has another number of fields than the first line",
    "line 7: access (access_removed): no access given, because an administrator or the directory removed it",
  ]);
  const rejected = readFileSync(join(cwd, "rejected.csv"), "utf8");
  expect(rejected).toBe(
    'email;name;created_at;import_error\r\nbad;"C;\r\nD";;email: invalid_format\r\nb@x.example;B;soon;created_at: invalid\r\nc@x.example;C;columns: mismatch\r\n',
  );
  expect(statSync(join(cwd, "rejected.csv")).mode & 0o777).toBe(0o600);
  expect(requests).toHaveLength(1);
  const again = await run("import_people", cwd, url, { files: { file: "rejected.csv", rejected: "again.csv" } });
  expect(again.err).toContain("line 2: email (invalid_format)");
  expect(readFileSync(join(cwd, "again.csv"), "utf8").split("\r\n")[0]).toBe("email;name;created_at;import_error");
});

it("does not overwrite the imported file with its rejected rows", async (context) => {
  const { url, requests } = await startService(context, byAddress);
  const content = "email\nrejected1@x.example\n";
  const cwd = makeProject(context, { "people.csv": content });
  symlinkSync(join(cwd, "people.csv"), join(cwd, "link.csv"));
  const { code, err } = await run("import_people", cwd, url, { files: { file: "people.csv", rejected: "link.csv" } });
  expect([code, requests.length]).toEqual([1, 0]);
  expect(err).toContain("--rejected must name another file than --file");
  expect(readFileSync(join(cwd, "people.csv"), "utf8")).toBe(content);
});

it("reports a file that changes while it is read", async (context) => {
  const cwd = makeProject(context, { "empty/": "" });
  const path = join(cwd, "people.csv");
  const { url } = await startService(context, (request) => {
    truncateSync(path, FIRST_LINE + 5000 * ROW);
    return byAddress(request);
  });
  const FIRST_LINE = "email\n".length;
  const ROW = "created00000@x.example\n".length;
  const lines = Array.from({ length: 50_000 }, (_, at) => `created${String(at).padStart(5, "0")}@x.example\n`);
  writeFileSync(path, `email\n${lines.join("")}`);
  const { code, out, err } = await run("import_people", cwd, url, { files: { file: "people.csv" } });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ exit_code: 1, counts: { rejected: 0 } });
  expect(err).toMatch(/people\.csv changed while it was read: it had 50000 rows, then \d+\. Import it again\./);
});

it("repeats a chunk after a failure that may be temporary, and waits for a rate limit", async (context) => {
  const limited: ManagementLine = {
    type: "error",
    exit_code: 1,
    line: "CommandError: import_people failed: rate_limited: … (run_id=-)",
    run_id: null,
    retry_after: 1,
  };
  const { url, requests } = await startService(context, (request, at) => {
    if (at === 0) return { status: 503 };
    if (at === 1) return [limited];
    return at === 2 ? [] : byAddress(request);
  });
  const lines = Array.from({ length: 101 }, (_, at) => JSON.stringify({ email: `created${at}@x.example` }));
  const cwd = makeProject(context, { "people.ndjson": lines.join("\n") });
  const { code, out } = await run("import_people", cwd, url, { files: { file: "people.ndjson" }, invite: true });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ counts: { created: 101 } });
  // Invitations count against a limit of the company, so their chunks are smaller.
  expect(requests.map(({ rows }) => rows?.length)).toEqual([100, 100, 100, 100, 1]);
});

it.for<[string, { dry_run?: true }, string]>([
  [
    "an import",
    {},
    "999 of 1200 rows were imported, and 1 was rejected. Run the same command again to continue; repeated rows change nothing.",
  ],
  ["a dry run", { dry_run: true }, "1000 of 1200 rows were checked."],
])("prints the number of rows that %s processed before a call failed", async ([, flags, sentence], context) => {
  const { url } = await startService(context, (request, at) => (at < 2 ? byAddress(request) : { status: 403 }));
  const lines = Array.from({ length: 1200 }, (_, at) => `${at === 7 ? "rejected" : "created"}${at}@x.example\n`);
  const cwd = makeProject(context, { "people.csv": `email\n${lines.join("")}` });
  const { code, out, err } = await run("import_people", cwd, url, { files: { file: "people.csv" }, ...flags });
  expect([code, out]).toEqual([1, ""]);
  expect(err.split("\n").slice(-2)).toEqual(["CommandError: import_people failed: 403: HTTP 403 (run_id=-)", sentence]);
});

it("does not suggest to repeat a command with a wrong flag", async (context) => {
  const { url } = await startService(context, () => ({ status: 404 }));
  const cwd = makeProject(context, { "people.csv": "email\na@x.example\n" });
  const { code, err } = await run("import_people", cwd, url, { files: { file: "people.csv" } });
  expect([code, err]).toEqual([2, "CSV: 1 rows\nThe service does not know this command."]);
});

it.for<[string, string, string[]]>([
  [
    "a CSV file",
    "E-Mail;Vorname;Nachname;;import_error\na@x.example;Noor;;;\n",
    ["Ignored columns: Vorname, Nachname."],
  ],
  [
    "a JSON file",
    '[{"email":"a@x.example","Team":"A"},{"email":"b@x.example","Team":"B","phone":1}]',
    ["Ignored columns: Team, phone."],
  ],
  ["an export of another service", "user_id,email,email_verified,nickname\nauth0|1,a@x.example,true,noor\n", []],
])("names the ignored columns of %s once", async ([, content, lines], context) => {
  const { url } = await startService(context, ({ rows = [] }) => [
    { type: "rows", rows: rows.map(() => ({ status: "created" })) },
    end(),
  ]);
  const cwd = makeProject(context, { people: content });
  const { code, err } = await run("import_people", cwd, url, { files: { file: "people" }, dry_run: true });
  expect([code, err.split("\n").slice(1)]).toEqual([0, lines]);
});

it.for<[string, Record<string, string>, string]>([
  ["a file without people", { file: "header.csv" }, "header.csv contains no people."],
  ["a file that is not UTF-8", { file: "latin1.csv" }, "latin1.csv, line 2: the text is not UTF-8"],
  ["a missing file", { file: "missing.csv" }, "missing.csv cannot be read"],
  ["a folder that does not exist", { file: "people.csv", rejected: "no/x.csv" }, "no/x.csv cannot be written"],
  ["a rejected call", { file: "people.csv" }, "CommandError: import_people failed: 401"],
])("ends without an import for %s", async ([, files, message], context) => {
  const { url, requests } = await startService(context, () => ({ status: 401 }));
  const cwd = makeProject(context, { "people.csv": "email\na@x.example\n", "header.csv": "email,name\n" });
  writeFileSync(join(cwd, "latin1.csv"), Buffer.from("email,name\na@x.example,Zo\u00eb\n", "latin1"));
  const { code, out, err } = await run("import_people", cwd, url, { files });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(message);
  expect(requests).toHaveLength(message.startsWith("CommandError") ? 1 : 0);
});

it("rejects an unknown format with exit code 2", async (context) => {
  const args = ["--file", "people.csv", "--format", "xml", "--url", "http://127.0.0.1:9"];
  const { code, err } = await runProcess(context, "import_people", makeProject(context, {}), args);
  expect(code).toBe(2);
  expect(err).toContain("Allowed choices are auto, csv, auth0");
});

const member = {
  email: "=noor@aster.example",
  email_verified: true,
  first_name: "Noor",
  last_name: "",
  language: null,
  time_zone: null,
  created_at: "2021-03-04T05:06:07.000Z",
  groups: ["Sales", "Support"],
  provider_accounts: [{ provider: "google", issuer: "https://accounts.google.com", subject: "1" }],
  id: 42,
  username: "noor",
  access_state: "allowed",
  state_reason: "admin",
  is_company_owner: true,
  is_staff: false,
  last_seen_at: null,
  user_metadata: { a: 1 },
};

it("exports all pages as CSV to a private file, or as JSON lines to stdout", async (context) => {
  const { url, requests } = await startService(context, (_request, at) =>
    at % 2 === 0
      ? [{ type: "rows", rows: [member] }, end("42")]
      : [{ type: "rows", rows: [{ ...member, id: 43, groups: ["A;B"] }] }, end()],
  );
  const cwd = makeProject(context, { "empty/": "" });
  const toFile = await run("export_people", cwd, url, { files: { output: "people.csv" } });
  expect(toFile).toEqual({ code: 0, out: "", err: "export_people: people=2" });
  expect(requests.map(({ flags }) => flags.after)).toEqual([undefined, 42]);
  expect(readFileSync(join(cwd, "people.csv"), "utf8").split("\r\n")).toEqual([
    "email,email_verified,first_name,last_name,language,time_zone,created_at,groups,provider_accounts,id,username,access_state,state_reason,is_company_owner,is_staff,last_seen_at,user_metadata",
    `'=noor@aster.example,true,Noor,,,,2021-03-04T05:06:07.000Z,Sales;Support,"[{""provider"":""google"",""issuer"":""https://accounts.google.com"",""subject"":""1""}]",42,noor,allowed,admin,true,false,,"{""a"":1}"`,
    `'=noor@aster.example,true,Noor,,,,2021-03-04T05:06:07.000Z,"[""A;B""]","[{""provider"":""google"",""issuer"":""https://accounts.google.com"",""subject"":""1""}]",43,noor,allowed,admin,true,false,,"{""a"":1}"`,
    "",
  ]);
  expect(statSync(join(cwd, "people.csv")).mode & 0o777).toBe(0o600);
  chmodSync(join(cwd, "people.csv"), 0o644);
  await run("export_people", cwd, url, { files: { output: "people.csv" } });
  expect(statSync(join(cwd, "people.csv")).mode & 0o777).toBe(0o600);
  const toStdout = await runProcess(context, "export_people", cwd, ["--format", "ndjson", "--url", url]);
  expect(
    toStdout.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([member, { ...member, id: 43, groups: ["A;B"] }]);
});

it("says that an export is incomplete when a page fails", async (context) => {
  const { url } = await startService(context, (_request, at) =>
    at === 0 ? [{ type: "rows", rows: [member] }, end("42")] : { status: 503 },
  );
  const cwd = makeProject(context, { "empty/": "" });
  const { code, err } = await run("export_people", cwd, url, { files: { output: "people.csv" } });
  expect(code).toBe(1);
  expect(err).toContain("The export is incomplete: it ends after 1 people.");
});

it.skipIf(!existsSync("/dev/full"))("says that a file cannot be written when the disk is full", async (context) => {
  const { url } = await startService(context, ({ rows }) =>
    rows === undefined ? [{ type: "rows", rows: [member] }, end()] : byAddress({ flags: {}, rows }),
  );
  const cwd = makeProject(context, { "people.csv": "email\nrejected1@x.example\n" });
  symlinkSync("/dev/full", join(cwd, "full.csv"));
  const exported = await run("export_people", cwd, url, { files: { output: "full.csv" } });
  expect([exported.code, exported.err]).toEqual([1, expect.stringContaining("full.csv cannot be written: ENOSPC")]);
  const imported = await run("import_people", cwd, url, { files: { file: "people.csv", rejected: "full.csv" } });
  expect([imported.code, imported.err]).toEqual([1, expect.stringContaining("full.csv cannot be written: ENOSPC")]);
});

it("ends with a sentence when the reader of stdout has ended", async (context) => {
  const { url } = await startService(context, (_request, at) => [{ type: "rows", rows: [member] }, end(String(at))]);
  const cwd = makeProject(context, { "empty/": "" });
  const args = ["manage", "identity", "export_people", "--company", "7", "--url", url];
  const { child, ended } = startCommand(context, args, { cwd, env: { PLATFORM_OPERATOR_KEY: "opk_x" } });
  child.stdout?.once("data", () => child.stdout?.destroy());
  const { code, err } = await ended;
  expect([code, err]).toEqual([1, "The export is incomplete: stdout cannot be written: write EPIPE\n"]);
});
