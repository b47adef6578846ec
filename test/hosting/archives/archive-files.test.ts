import { describe, expect, it } from "vitest";
import { type ArchiveLimits, readArchive } from "../../../workers/hosting/tar/archive-files";
import { bytesToUtf8 } from "../../../workers/kit/crypto/encoding";
import { joinBytes } from "../../../workers/kit/http/request/body";
import { archiveOf, extended, gzip, inChunks, type TestEntry, tarOf } from "../../support/hosting/archives";

const limits: ArchiveLimits = { files: 5000, totalBytes: 500e6, uploadBytes: 95e6 };

async function filesIn(archive: Uint8Array, changes: Partial<ArchiveLimits> = {}, chunkBytes = 64 * 1024) {
  const files: Record<string, string> = {};
  for await (const { path, size, body } of readArchive(inChunks(archive, chunkBytes), { ...limits, ...changes })) {
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part.slice());
    files[path] = bytesToUtf8(joinBytes(parts, size));
  }
  return files;
}

const filesOfEntries = async (entries: readonly TestEntry[], changes: Partial<ArchiveLimits> = {}) =>
  filesIn(await gzip(tarOf(entries)), changes);

describe("archives of tools", () => {
  it("reads files and skips directories, in chunks of any size", async () => {
    const long = "x".repeat(200_000);
    const archive = await gzip(
      tarOf([
        { path: "./", typeflag: "5" },
        { path: "./index.html", body: "<p>hi" },
        { path: "assets/", typeflag: "5" },
        { path: "assets/app.js", body: long },
        { path: "old/", typeflag: "0" },
        { path: "empty.txt" },
        { path: "v7.txt", typeflag: "\0", body: "7" },
      ]),
    );
    const expected = { "index.html": "<p>hi", "assets/app.js": long, "empty.txt": "", "v7.txt": "7" };
    for (const chunkBytes of [1, 511, 64 * 1024]) expect(await filesIn(archive, {}, chunkBytes)).toEqual(expected);
  });

  it("reads long names of ustar, pax and GNU tar, and comments of git archive", async () => {
    const long = `${"é".repeat(120)}/${"b".repeat(120)}.txt`;
    const files = await filesOfEntries([
      extended({ comment: "0123abcd" }, "g"),
      { path: "a.txt", prefix: "folder/of/ustar", body: "1" },
      extended({ path: long, mtime: "1.5", "SCHILY.xattr.user": "\u00ff" }),
      { path: "short", body: "2" },
      { path: "././@LongLink", typeflag: "L", body: `gnu/${long}\0` },
      { path: "cut", body: "3" },
      extended({ size: "4" }),
      { path: "sized.txt", body: "four", size: 4 },
    ]);
    expect(files).toEqual({ "folder/of/ustar/a.txt": "1", [long]: "2", [`gnu/${long}`]: "3", "sized.txt": "four" });
  });

  it("skips what is not read of a body", async () => {
    const archive = await archiveOf({ "a.txt": "a".repeat(100_000), "b.txt": "b" });
    const paths: string[] = [];
    for await (const { path } of readArchive(inChunks(archive), limits)) paths.push(path);
    expect(paths).toEqual(["a.txt", "b.txt"]);
  });
});

describe("rejected archives", () => {
  const file = { path: "a.txt", body: "1" };
  it.each<[string, TestEntry[], string]>([
    ["a symbolic link", [{ path: "a", typeflag: "2", linkname: "/etc/passwd" }], "link"],
    ["a hard link", [file, { path: "b", typeflag: "1", linkname: "a.txt" }], "link"],
    ["a device", [{ path: "a", typeflag: "3" }], "device"],
    ["a pipe", [{ path: "a", typeflag: "6" }], "device"],
    ["a sparse file of GNU tar", [{ path: "a", typeflag: "S", body: "1" }], "not a file"],
    ["a sparse file of pax", [extended({ "GNU.sparse.major": "1", path: "a" }), file], "Sparse"],
    ["an absolute path", [{ path: "/etc/passwd", body: "1" }], "absolute"],
    ["a path of Windows", [{ path: "C:/a", body: "1" }], "absolute"],
    ["a parent segment", [{ path: "../a", body: "1" }], "`..`"],
    ["a parent segment inside", [{ path: "a/../../b", body: "1" }], "`..`"],
    ["a parent segment of a directory", [file, { path: "a/../b/", typeflag: "5" }], "`..`"],
    ["a parent segment after ./", [{ path: "./../a", body: "1" }], "`..`"],
    ["a parent segment in pax", [extended({ path: "../a" }), file], "`..`"],
    ["a parent segment in a GNU name", [{ path: "L", typeflag: "L", body: "../a\0" }, file], "`..`"],
    ["a backslash", [{ path: "a\\b", body: "1" }], "character"],
    ["a NUL in pax", [extended({ path: "a\0b" }), file], "character"],
    ["an encoded slash", [{ path: "a%2fb", body: "1" }], "encoded"],
    ["a long path", [extended({ path: "a".repeat(1100) }), file], "longer"],
    ["an empty path", [{ path: "", body: "1" }], "empty"],
    ["an empty segment", [{ path: "a//b", body: "1" }], "`//`"],
    ["a path twice", [file, file], "twice"],
    ["a path twice with ./", [file, { path: "./a.txt", body: "2" }], "twice"],
    ["two paths that differ in case", [file, { path: "A.TXT", body: "2" }], "twice"],
    [
      "two forms of a letter",
      [
        { path: "\u00e9", body: "" },
        { path: "e\u0301", body: "" },
      ],
      "twice",
    ],
    ["no files", [{ path: "a/", typeflag: "5" }], "no files"],
    ["no entries", [], "no files"],
    ["a directory with bytes", [{ path: "a/", typeflag: "5", body: "1" }], "not a file"],
    ["a global path", [extended({ path: "a" }, "g"), file], "global"],
    ["a wrong record", [{ path: "x", typeflag: "x", body: "99 path=a\n" }, file], "extended header"],
    ["a large extended header", [extended({ comment: "x".repeat(70_000) }), file], "too large"],
    ["a name that is not UTF-8", [{ raw: latin1Header() }], "UTF-8"],
    ["a wrong checksum", [{ raw: new Uint8Array(512).fill(65) }], "not a valid tar"],
    ["a size that is no number", [{ raw: headerWithSize("12345678x") }], "size"],
    ["a size beyond all numbers", [{ raw: headerWithSize("\u00ff".repeat(12)) }], "size"],
  ])("reject %s", async (_case, entries, message) => {
    await expect(filesOfEntries(entries)).rejects.toThrow(message);
  });

  it("reject what is not gzip, not tar, or truncated anywhere", async () => {
    const incomplete = { name: "ArchiveError" };
    await expect(filesIn(new TextEncoder().encode("<html>"))).rejects.toMatchObject(incomplete);
    await expect(filesIn(new Uint8Array())).rejects.toMatchObject(incomplete);
    await expect(filesIn(await gzip(new TextEncoder().encode("x".repeat(2000))))).rejects.toMatchObject(incomplete);
    const tar = tarOf([{ path: "a.txt", body: "a".repeat(1000) }]);
    const archive = await gzip(tar);
    for (let length = 0; length < archive.length; length += 3) {
      await expect(filesIn(archive.subarray(0, length))).rejects.toMatchObject(incomplete);
    }
    for (const length of [100, 512, 1000, 1535, 1536, 2047]) {
      await expect(filesIn(await gzip(tar.subarray(0, length)))).rejects.toThrow("ends early");
    }
    await expect(filesIn(joinBytes([archive, new Uint8Array([1, 2, 3])], archive.length + 3))).rejects.toMatchObject(
      incomplete,
    );
    const broken = archive.slice();
    broken[broken.length - 6] = (broken.at(-6) ?? 0) ^ 0xff;
    await expect(filesIn(broken)).rejects.toMatchObject(incomplete);
  });

  it("reject more files, larger files and more bytes than allowed", async () => {
    const archive = await archiveOf({ a: "12345", b: "12345", c: "12345" });
    await expect(filesIn(archive, { files: 2 })).rejects.toThrow("more than 2 files");
    await expect(filesIn(archive, { uploadBytes: 4 })).rejects.toThrow("larger than 4 bytes");
    await expect(filesIn(archive, { totalBytes: 14 })).rejects.toThrow("more than 14 bytes");
    expect(Object.keys(await filesIn(archive, { files: 3, totalBytes: 15, uploadBytes: 5 }))).toEqual(["a", "b", "c"]);
    const directories = Array.from({ length: 20 }, (_, index) => ({ path: `d${index}/`, typeflag: "5" }));
    await expect(filesOfEntries(directories, { files: 2 })).rejects.toThrow("10 entries");
  });

  it("reject a decompression bomb before it has expanded", async () => {
    const bomb = await gzip(new Uint8Array(100e6));
    const file = tarOf([{ path: "a", body: "x" }]);
    const trailing = await gzip(joinBytes([file, new Uint8Array(60e6)], file.length + 60e6));
    await expect(filesIn(trailing, { files: 10, totalBytes: 1e6 })).rejects.toThrow("expands to more than");
    await expect(filesIn(bomb, { files: 10, totalBytes: 1e6 })).rejects.toMatchObject({ name: "ArchiveError" });
  });
});

function headerWithSize(size: string): Uint8Array {
  const block = tarOf([{ path: "a" }]).slice(0, 512);
  block.set(
    [...size].map((character) => character.charCodeAt(0)),
    124,
  );
  return withChecksum(block);
}

function latin1Header(): Uint8Array {
  const block = tarOf([{ path: "a" }]).slice(0, 512);
  block.set([0xe9, 0x2e, 0x74], 0);
  return withChecksum(block);
}

function withChecksum(block: Uint8Array): Uint8Array {
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return block;
}
