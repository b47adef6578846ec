import { describe, expect, it } from "vitest";
import { partTypeOf, readAttachments } from "../../../../workers/email/delivery/attachments/attachment-input";
import { base64Size, decodeBase64 } from "../../../../workers/kit/crypto/base64-bytes";
import { Problem } from "../../../../workers/kit/problem";

const settings = { maxAttachments: 10, maxAttachmentBytes: 5_242_880 };
const content = btoa("%PDF-1.7");
const bytes = new TextEncoder().encode("%PDF-1.7");

/** Returns the field errors of the attachments. */
function errorsOf(attachments: unknown, limits = settings): unknown {
  try {
    readAttachments(attachments, limits);
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.options.field_errors;
  }
}

describe("readAttachments", () => {
  it("reads base64, the numbers of Python's SDK, a Buffer of Node, and objects of storage", () => {
    const attachments = [
      { filename: "a.pdf", content },
      { filename: "b.PDF", content: [...bytes], content_type: "Application/PDF; x=1" },
      { filename: "c", content: { type: "Buffer", data: [...bytes] }, content_id: "<logo@1>" },
      { storage: { bucket: "company", path: "reports/plan.pdf" } },
    ];
    const file = { contentId: null, source: { kind: "bytes", bytes } };
    expect(readAttachments(attachments, settings)).toEqual([
      { ...file, filename: "a.pdf", contentType: "application/pdf", field: "attachments.0" },
      { ...file, filename: "b.PDF", contentType: "application/pdf", field: "attachments.1" },
      {
        ...file,
        filename: "c",
        contentType: "application/octet-stream",
        contentId: "logo@1",
        field: "attachments.2",
      },
      {
        filename: "plan.pdf",
        contentType: null,
        contentId: null,
        field: "attachments.3",
        source: { kind: "storage", bucket: "company", path: "reports/plan.pdf" },
      },
    ]);
    expect(readAttachments(undefined, settings)).toEqual([]);
    expect(readAttachments(null, settings)).toEqual([]);
  });

  it.each([
    ["no list", {}, { attachments: ["invalid"] }],
    ["too many", Array(11).fill({ filename: "a", content }), { attachments: ["too_many"] }],
    ["no object", ["a"], { "attachments.0": ["invalid"] }],
    ["no content and no name", [{}], { "attachments.0.content": ["required"], "attachments.0.filename": ["required"] }],
    ["a URL", [{ filename: "a.pdf", path: "https://a.test/a.pdf" }], { "attachments.0.path": ["not_allowed"] }],
    ["content that is not base64", [{ filename: "a", content: "a b" }], { "attachments.0.content": ["invalid"] }],
    ["numbers above 255", [{ filename: "a", content: [256] }], { "attachments.0.content": ["invalid"] }],
    ["a line break in the name", [{ filename: "a\r\nb", content }], { "attachments.0.filename": ["invalid"] }],
    ["a folder in the name", [{ filename: "../a.pdf", content }], { "attachments.0.filename": ["invalid"] }],
    ["the name of a folder", [{ filename: "..", content }], { "attachments.0.filename": ["invalid"] }],
    [
      "a backslash in the name of an object",
      [{ storage: { bucket: "b", path: "a/..\\b.pdf" } }],
      { "attachments.0.filename": ["invalid"] },
    ],
    ["a reversed name", [{ filename: "a\u202efdp.pdf", content }], { "attachments.0.filename": ["invalid"] }],
    ["a long name", [{ filename: "a".repeat(256), content }], { "attachments.0.filename": ["too_long"] }],
    ["a program", [{ filename: "setup.EXE", content }], { "attachments.0.filename": ["not_allowed"] }],
    [
      "a program with a dot behind it",
      [{ filename: "a.bat. ", content }],
      { "attachments.0.filename": ["not_allowed"] },
    ],
    [
      "the type of a program",
      [{ filename: "a", content, content_type: "application/x-msdownload" }],
      { "attachments.0.content_type": ["not_allowed"] },
    ],
    ["no media type", [{ filename: "a", content, content_type: "pdf" }], { "attachments.0.content_type": ["invalid"] }],
    [
      "an invalid content id",
      [{ filename: "a", content, content_id: "a b" }],
      { "attachments.0.content_id": ["invalid"] },
    ],
    [
      "one content id twice",
      [1, 2].map(() => ({ filename: "a", content, content_id: "logo" })),
      { "attachments.1.content_id": ["duplicate"] },
    ],
    [
      "an object without bucket",
      [{ filename: "a", storage: { path: 1 } }],
      { "attachments.0.storage.bucket": ["required"], "attachments.0.storage.path": ["invalid"] },
    ],
    [
      "an object and content",
      [{ filename: "a", content, storage: { bucket: "b", path: "p" } }],
      { "attachments.0.content": ["not_allowed"] },
    ],
    [
      "a program in storage",
      [{ storage: { bucket: "b", path: "a.exe" } }],
      { "attachments.0.filename": ["not_allowed"] },
    ],
  ])("rejects %s", (_title, attachments, errors) => {
    expect(errorsOf(attachments)).toEqual(errors);
  });

  it("counts the bytes of all attachments together", () => {
    const files = [
      { filename: "a", content },
      { filename: "b", content: [...bytes] },
    ];
    expect(errorsOf(files, { ...settings, maxAttachmentBytes: 16 })).toBeNull();
    expect(errorsOf(files, { ...settings, maxAttachmentBytes: 15 })).toEqual({ attachments: ["too_large"] });
  });
});

it("sends mails and other files that consist of parts as bytes, because such parts cannot be base64", () => {
  const bytesType = "application/octet-stream";
  expect(["message/rfc822", "multipart/mixed", "", "text/plain"].map(partTypeOf)).toEqual([
    ...[bytesType, bytesType, bytesType, "text/plain"],
  ]);
});

it("decodes large base64, and rejects what is not base64", () => {
  const large = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256);
  for (const size of [0, 1, 2, 3, 24_575, 24_576, 24_577, 100_000]) {
    const text = Buffer.from(large.subarray(0, size)).toString("base64");
    for (const form of [text, text.replace(/=/g, "")]) {
      expect(Buffer.from(decodeBase64(form) ?? []).equals(large.subarray(0, size))).toBe(true);
      expect(base64Size(form)).toBe(size);
    }
  }
  for (const text of ["a", "====", "ab=c", "ab c", "a-b_", "YWI=\n"]) expect(decodeBase64(text)).toBeNull();
});
