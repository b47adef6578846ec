import { expect, it } from "vitest";
import { encodedLines, encodedSize, encodedText } from "../../../../workers/email/delivery/mime/encoded-file";
import { UnsendableMailError } from "../../../../workers/email/delivery/mime/mail-address";
import { buildMime } from "../../../../workers/email/delivery/mime/mime";
import type { OutgoingAttachment, OutgoingMail } from "../../../../workers/email/delivery/providers/types";
import { createAttachment } from "../../../support/email/attachments";

const date = new Date("2026-11-21T12:00:00Z");

const mail: OutgoingMail = {
  messageId: `msg_${"1f".repeat(16)}`,
  from: { name: "Shop", address: "shop@example.test" },
  to: "mina@example.test",
  subject: "Invoice; multipart/related",
  html: '<img src="cid:logo">',
  text: "Hello\n.\nslot-0",
  acceptedAt: date.getTime(),
  lane: "transactional",
  companyId: 1,
  requestId: "request",
};

async function textOf(content: ReturnType<typeof buildMime>): Promise<string> {
  let text = "";
  for (const part of content) {
    if (typeof part === "string") text += part;
    else for await (const lines of encodedLines(await part.open())) text += lines;
  }
  return text;
}

/** A part of a MIME message: its headers, unfolded, and its parts or its body. */
type Part = { headers: string[]; parts: Part[]; body: string };

function readPart(text: string): Part {
  const end = text.indexOf("\r\n\r\n");
  const headers = text.slice(0, end).replace(/\r\n /g, " ").split("\r\n");
  const body = text.slice(end + 4);
  const boundary = headers.map((line) => /^Content-Type: multipart\/.*boundary=(\S+)/.exec(line)?.[1]).find(Boolean);
  if (boundary === undefined) return { headers, parts: [], body };
  const [, ...pieces] = `\r\n${body}`.split(`\r\n--${boundary}`);
  expect(pieces.at(-1)?.trim()).toBe("--");
  return { headers, body: "", parts: pieces.slice(0, -1).map((piece) => readPart(piece.slice(2))) };
}

/** Returns the nesting of a message, such as `mixed(alternative(plain html) pdf)`. */
function structureOf({ headers, parts }: Part): string {
  const type = headers.map((line) => /^Content-Type: [a-z]+\/([a-z]+)/.exec(line)?.[1]).find(Boolean) ?? "";
  return parts.length === 0 ? type : `${type}(${parts.map(structureOf).join(" ")})`;
}

const compose = async (attachments: OutgoingAttachment[]) =>
  readPart(await textOf(buildMime({ ...mail, attachments }, date)));

const image = { contentId: "logo", contentType: "image/png", filename: "attachment; inline.png" };

it.each([
  ["mixed(alternative(plain html) pdf pdf)", [{}, { filename: "inline attachment.pdf" }]],
  ["related(alternative(plain html) png)", [image]],
  ["mixed(related(alternative(plain html) png) pdf)", [{}, image]],
])("nests the parts as %s", async (structure, files) => {
  const message = await compose(files.map(createAttachment));
  expect(structureOf(message)).toBe(structure);
  const all = (part: Part): Part[] => [part, ...part.parts.flatMap(all)];
  for (const { headers } of all(message).filter((part) => part.headers.some((line) => line.includes("/related;")))) {
    expect(headers.join()).toContain('multipart/related; type="multipart/alternative"; boundary=');
  }
  const leaves = all(message).filter(({ parts }) => parts.length === 0);
  expect(leaves.slice(0, 2).map(({ body }) => body)).toEqual(["Hello\r\n.\r\nslot-0", '<img src="cid:logo">']);
  for (const { body } of leaves.slice(2)) expect(atob(body)).toBe("%PDF-1.7");
  const shown = leaves.find(({ headers }) => headers.includes("Content-ID: <logo>"));
  expect(shown !== undefined).toBe(structure.includes("png"));
  expect(shown?.headers.some((line) => line.startsWith("Content-Disposition: inline;")) ?? true).toBe(true);
});

it.each([
  ["invoice.pdf", '"invoice.pdf"', 'filename="invoice.pdf"'],
  ['a "b" \\ c.pdf', '"a \\"b\\" \\\\ c.pdf"', 'filename="a \\"b\\" \\\\ c.pdf"'],
  ["Übersicht.pdf", '"=?utf-8?B?w5xiZXJzaWNodC5wZGY=?="', "filename*=utf-8''%C3%9Cbersicht.pdf"],
])("writes the file name %s", async (filename, name, disposition) => {
  const [, { headers } = { headers: [] }] = (await compose([createAttachment({ filename })])).parts;
  expect(headers).toEqual([
    `Content-Type: application/pdf; name=${name}`,
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: attachment; ${disposition}`,
  ]);
});

it("splits long file names into lines of at most 78 characters (RFC 2231)", async () => {
  for (const filename of [`${"Rechnung für März 🎉 ".repeat(10)}.pdf`, `${"x'*%".repeat(50)}.pdf`]) {
    const text = await textOf(buildMime({ ...mail, attachments: [createAttachment({ filename })] }, date));
    expect(text.split("\r\n").filter((line) => line.startsWith(" ") && line.length > 78)).toEqual([]);
    const values = [...text.matchAll(/filename\*(\d+)\*=([^;\r]*)/g)];
    expect(values.map(([, index]) => Number(index))).toEqual(values.map((_, index) => index));
    expect(
      decodeURIComponent(
        values
          .map(([, , value]) => value)
          .join("")
          .replace("utf-8''", ""),
      ),
    ).toBe(filename);
  }
});

it("encodes a stream of any chunks in lines of 76 characters", async () => {
  const bytes = Uint8Array.from({ length: 500 }, (_, index) => (index * 7) % 256);
  const expected = Buffer.from(bytes).toString("base64");
  for (const chunks of [[500], [1, 56, 1, 442], Array<number>(500).fill(1), [0, 57, 443]]) {
    const texts: string[] = [];
    for await (const text of encodedText(await createAttachment({ bytes, chunks }).open())) texts.push(text);
    expect(texts.join("")).toBe(expected);
    expect(expected.length).toBe(encodedSize(bytes.length));
    let lines = "";
    for await (const text of encodedLines(await createAttachment({ bytes, chunks }).open())) lines += text;
    expect(lines).toBe(expected.replace(/.{1,76}/g, "$&\r\n"));
  }
});

it.each([
  ["a line break in a file name", { filename: "a\r\nX: y.pdf" }],
  ["a media type with parameters", { contentType: 'text/html; name="a"' }],
  ["a content id with a bracket", { contentId: "logo>" }],
])("throws for %s", (_title, changes) => {
  expect(() => buildMime({ ...mail, attachments: [createAttachment(changes)] }, date)).toThrow(UnsendableMailError);
});
