import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, type TestContext } from "vitest";
import { toCsvLine, withGuard, withoutGuard } from "../../../../cli/people/input/csv.ts";
import { openPeople } from "../../../../cli/people/input/people-file.ts";
import { InputError } from "../../../../cli/people/input/text.ts";
import { makeProject } from "../../../support/cli/project.ts";

/** Stores a file and returns its path. */
function store(context: TestContext, content: string | Uint8Array, name = "people.csv"): string {
  const path = join(makeProject(context, { "empty/": "" }), name);
  writeFileSync(path, content);
  return path;
}

/** Returns the format and the people of a file. */
async function read(context: TestContext, content: string | Uint8Array, name?: string, format = "auto") {
  const { format: detected, records } = await openPeople(store(context, content, name), format);
  const people = [];
  for await (const { line, source, hasOtherColumns } of records) people.push({ line, source, hasOtherColumns });
  return { label: detected.label, people };
}

/** Returns the sentence with which a file is refused. */
async function refusal(context: TestContext, content: string | Uint8Array, name?: string): Promise<string> {
  const error = await read(context, content, name).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InputError)) throw new Error(`not refused: ${error}`);
  return error.message.replace(/\S*\/(?=people)/g, "");
}

const noor = { line: 2, source: { email: "noor@aster.example", name: "Noor" }, hasOtherColumns: false };

it.for<[string, string | Uint8Array]>([
  ["LF", "email,name\nnoor@aster.example,Noor\n"],
  ["CRLF and no line break at the end", "email,name\r\nnoor@aster.example,Noor"],
  ["CR", "email,name\rnoor@aster.example,Noor\r"],
  ["a byte order mark", "\ufeffemail,name\r\nnoor@aster.example,Noor\r\n"],
  ["semicolons", "email;name\nnoor@aster.example;Noor\n"],
  ["tabs", "email\tname\nnoor@aster.example\tNoor\n"],
  ["quotes", '"email","name"\n"noor@aster.example","Noor"\n'],
  ["spaces around titles", " email , name \nnoor@aster.example,Noor\n"],
])("reads CSV with %s", async ([, content], context) => {
  expect(await read(context, content)).toEqual({ label: "CSV", people: [noor] });
});

it("reads quoted separators, quotes and line breaks, and numbers lines as an editor does", async (context) => {
  const content = 'email,name\r\n\r\n"a@x.example","Doe, ""J"".\r\nJr"\r\n\r\n\r\nb@x.example,B\r\nc@x.example,C,D\r\n';
  const { people } = await read(context, content);
  expect(people).toEqual([
    { line: 3, source: { email: "a@x.example", name: 'Doe, "J".\r\nJr' }, hasOtherColumns: false },
    { line: 7, source: { email: "b@x.example", name: "B" }, hasOtherColumns: false },
    { line: 8, source: { email: "c@x.example", name: "C" }, hasOtherColumns: true },
  ]);
});

it.for<[string, string]>([
  ["sep=;", "sep=;\r\nemail;name\r\n"],
  ["a byte order mark and SEP=|", "\ufeffSEP=|\nemail|name\n"],
  ["quotes", '"sep=;"\nemail;name\n'],
  ["more commas than separators", "sep=;\nemail;name;a,b,c,d\n"],
])("skips the first line of Excel with %s and uses its separator", async ([, lines], context) => {
  const separator = lines.includes("|") ? "|" : ";";
  const { people } = await read(context, `${lines}${["noor@aster.example", "Noor"].join(separator)}`);
  expect(people).toMatchObject([{ line: 3, source: noor.source }]);
});

it("decompresses a file whose name ends in .gz", async (context) => {
  const { people } = await read(context, gzipSync("email,name\nnoor@aster.example,Noor\n"), "people.csv.gz");
  expect(people).toEqual([noor]);
});

it.for<[string, string | Uint8Array, string]>([
  [
    "Latin-1",
    Buffer.from("email,name\na@x.example,Zo\u00eb\nb@x.example,Ana\u00efs\n", "latin1"),
    "people.csv, line 2: the text is not UTF-8",
  ],
  ["a character that is cut off", Buffer.from("email,name\na@x.example,Zo\u00eb").subarray(0, -1), "not UTF-8"],
  ["UTF-16", Buffer.from("\ufeffemail,name\n", "utf16le"), "people.csv is UTF-16"],
  ["gzip without .gz", gzipSync("email\n"), "people.csv is compressed"],
  ["nothing", "", "people.csv is empty"],
  ["only blanks", " \n\n", "people.csv is empty"],
  ["a quote that is not closed", 'email,name\na@x.example,"Noor\nb@x.example,Leo\n', 'a quote (") does not match'],
  ["a quote inside a field", 'email,name\na@x.example,No"or\n', 'a quote (") does not match'],
  [
    "no column for the address",
    "id,label\n1,Noor\n",
    "The format of people.csv is unknown. It begins with the fields id, label",
  ],
  ["JSON that ends early", '[{"email": "a@x.example"}, {"email": ', "the file ends in the middle of this object"],
  [
    "a list that is cut off after a person",
    '{"users": [\n{"email": "a@x.example"},\n',
    "line 3: the file ends in the middle of the list",
  ],
  [
    "a second page",
    '{"users": [{"email": "a@x.example"}], "a": {"b": ["}"]}}\n{"users": [{"email": "b@x.example"}]}',
    "people.csv, line 2: the file has more text after the list",
  ],
  ["invalid JSON", '{"email": "a@x.example"}\n{"email": x}\n', "people.csv, line 2: this is not valid JSON"],
  ["a list of texts", '["a@x.example"]', "expected an object with the data of a person"],
  ["an empty list", "[]", "people.csv contains no people."],
  ["a header line alone", "email,name\n", "people.csv contains no people."],
  ["a separator line alone", "sep=;\n", "people.csv contains no people."],
])("refuses %s with a sentence", async ([, content, sentence], context) => {
  expect(await refusal(context, content)).toContain(sentence);
});

it("refuses a file that does not exist, or a folder", async (context) => {
  const folder = makeProject(context, { "empty/": "" });
  await expect(openPeople(join(folder, "missing.csv"), "auto")).rejects.toThrow("cannot be read");
  await expect(openPeople(join(folder, "empty"), "auto")).rejects.toThrow("is not a file");
});

it.for<[string, string, number[]]>([
  ["JSON lines", '{"email":"a@x.example","name":"}\\"{"}\n\n{"email":"b@x.example","name":"é"}\n', [1, 3]],
  ["a list", '[\n  {"email":"a@x.example","name":"}\\"{"},\n  {"email":"b@x.example","name":"é"}\n]', [2, 3]],
  [
    "an object with a list",
    '{"users": [\n{"email":"a@x.example","name":"}\\"{"},{"email":"b@x.example",\n"name":"é"}], "aud": "x", "nextPage": 2}',
    [2, 2],
  ],
  [
    "an object with a list after other members",
    '{"start": 0, "limit":50,\n"total": 2.5e1, "next": "a\\"b,", "last": null, "users":[\n{"email":"a@x.example","name":"}\\"{"},\n{"email":"b@x.example","name":"é"}]}',
    [3, 4],
  ],
])("reads %s", async ([, content, lines], context) => {
  const { label, people } = await read(context, content, "people.json");
  expect(label).toBe("CSV");
  expect(people.map(({ line }) => line)).toEqual(lines);
  expect(people.map(({ source }) => source)).toEqual([
    { email: "a@x.example", name: '}"{' },
    { email: "b@x.example", name: "é" },
  ]);
});

it("reads JSON lines of people who have a list in `data`", async (context) => {
  const rows = ["a@x.example", "b@x.example"].map((email) => ({ email, data: [{ email: "other@x.example" }] }));
  const { people } = await read(context, rows.map((row) => JSON.stringify(row)).join("\n"), "people.json");
  expect(people.map(({ source }) => source)).toEqual(rows);
});

it("reads a large file in pieces", async (context) => {
  const people = Array.from({ length: 5000 }, (_, at) => ({ email: `p${at}@x.example`, name: `é"{${at}}` }));
  const json = await read(
    context,
    JSON.stringify({ Users: people.map((row) => ({ Attributes: [row] })) }),
    "people.json",
  );
  expect([json.label, json.people.length]).toEqual(["Amazon Cognito", 5000]);
  const lines = people.map(({ email, name }) => toCsvLine([email, name])).join("");
  expect((await read(context, `email,name\r\n${lines}`)).people.at(-1)).toEqual({
    line: 5001,
    source: people.at(-1),
    hasOtherColumns: false,
  });
});

it("writes cells that no spreadsheet evaluates, and reads them back", () => {
  const cells = ["=1+1", "+33 1", "-x", "@x", "Noor", "'quoted'", "'=x"];
  expect(cells.map(withGuard).filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
  expect(cells.slice(0, 6).map((cell) => withoutGuard(withGuard(cell)))).toEqual(cells.slice(0, 6));
});
