import { createHmac, hkdfSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  base64ToBytes,
  base64urlToBytes,
  bytesToBase64,
  bytesToBase64url,
  bytesToHex,
  bytesToUtf8,
  hexToBytes,
  utf8ToBytes,
} from "../../../workers/kit/crypto/encoding";
import { hmacHex, hmacSha256, sha256Hex, timingSafeEqual } from "../../../workers/kit/crypto/hash";
import { deriveKey } from "../../../workers/kit/crypto/hkdf";
import { randomFromAlphabet, randomHex, randomToken } from "../../../workers/kit/crypto/random";
import { importKeyRing, open, SealError, seal } from "../../../workers/kit/crypto/seal";

const randomKey = () => crypto.getRandomValues(new Uint8Array(32));

describe("encoding of bytes", () => {
  test("agrees with Buffer for every length and byte", () => {
    for (let length = 0; length < 70; length++) {
      const bytes = crypto.getRandomValues(new Uint8Array(length));
      const buffer = Buffer.from(bytes);
      expect(bytesToHex(bytes)).toBe(buffer.toString("hex"));
      expect(bytesToBase64(bytes)).toBe(buffer.toString("base64"));
      expect(bytesToBase64url(bytes)).toBe(buffer.toString("base64url"));
      expect(hexToBytes(buffer.toString("hex").toUpperCase())).toEqual(bytes);
      expect(base64ToBytes(buffer.toString("base64"))).toEqual(bytes);
      expect(base64urlToBytes(buffer.toString("base64url"))).toEqual(bytes);
    }
    const long = new Uint8Array(100_000).fill(251);
    expect(base64ToBytes(bytesToBase64(long))).toEqual(long);
    expect(bytesToUtf8(utf8ToBytes("\uFEFFä€😀"))).toBe("\uFEFFä€😀");
  });

  test.each(["a", "a=", "====", "YQ=", "YQ==\n", " YQ==", "YQ-_", "Y Q=", "YR==", "YWJ="])(
    "rejects %j as base64",
    (text) => {
      expect(() => base64ToBytes(text)).toThrow(TypeError);
    },
  );

  test.each(["a", "YQ==", "YQ+/", "YQ\n", "YR"])("rejects %j as base64url", (text) => {
    expect(() => base64urlToBytes(text)).toThrow(TypeError);
  });

  test("rejects invalid hex and invalid UTF-8", () => {
    for (const text of ["a", "0g", "0x", "00 "]) expect(() => hexToBytes(text)).toThrow(TypeError);
    expect(() => bytesToUtf8(new Uint8Array([0xff]))).toThrow(TypeError);
  });
});

describe("hashes", () => {
  test("match known SHA-256, HMAC and HKDF values", async () => {
    expect(await sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const key = randomKey();
    expect(await hmacHex(key, "ä")).toBe(createHmac("sha256", key).update("ä").digest("hex"));
    expect(await hmacSha256(key, "")).toHaveLength(32);
    for (const bytes of [16, 32, 64]) {
      const expected = new Uint8Array(hkdfSync("sha256", "secret", "", "label", bytes));
      expect(await deriveKey("secret", "label", bytes)).toEqual(expected);
      expect(await deriveKey(utf8ToBytes("secret"), "other", bytes)).not.toEqual(expected);
    }
  });

  test("are compared by timingSafeEqual, which returns true only for equal texts or bytes", () => {
    expect(timingSafeEqual("token", "token")).toBe(true);
    expect(timingSafeEqual("token", utf8ToBytes("token"))).toBe(true);
    expect(timingSafeEqual("", "")).toBe(true);
    for (const other of ["Token", "tokeN", "toke", "token1", "", "tokeñ"]) {
      expect(timingSafeEqual("token", other)).toBe(false);
      expect(timingSafeEqual(other, "token")).toBe(false);
    }
  });
});

describe("random values", () => {
  test("have the requested size and do not repeat", () => {
    expect(randomToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(randomHex(4)).toMatch(/^[0-9a-f]{8}$/);
    expect(new Set(Array.from({ length: 1000 }, () => randomToken())).size).toBe(1000);
  });

  test("contain every letter of an alphabet equally often", () => {
    // With 200 letters, a plain modulo of a byte would draw the first 56 letters twice as often as the others.
    const alphabet = Array.from({ length: 200 }, (_, i) => String.fromCharCode(0x4e00 + i)).join("");
    const text = randomFromAlphabet(alphabet, 200_000);
    expect(text).toHaveLength(200_000);
    const counts = new Map<string, number>();
    for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(200);
    expect(Math.max(...counts.values())).toBeLessThan(1250);
    expect(Math.min(...counts.values())).toBeGreaterThan(750);
    expect(() => randomFromAlphabet("a", 1)).toThrow(RangeError);
  });
});

describe("sealed values", () => {
  const aad = "email:messages:variables_enc:7:0190";

  test("decrypt to the original text, and differ each time for the same text", async () => {
    const raw = randomKey();
    const keys = await importKeyRing(raw, []);
    const texts = ["", "x", '{"name":"Zoë 😀"}', "y".repeat(100_000)];
    for (const text of texts) expect(await open(await seal(text, keys, aad), keys, aad)).toBe(text);
    const [first, second] = [await seal("x", keys, aad), await seal("x", keys, aad)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
    const digest = bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", raw)));
    expect(first.split(".")[1]).toBe(digest.slice(0, 8));
  });

  test("decrypt with a previous key, and are always encrypted with the current key", async () => {
    const [oldRaw, newRaw] = [randomKey(), randomKey()];
    const before = await importKeyRing(oldRaw, []);
    const after = await importKeyRing(newRaw, [oldRaw]);
    expect(await open(await seal("x", before, aad), after, aad)).toBe("x");
    await expect(open(await seal("x", after, aad), before, aad)).rejects.toThrow(SealError);
  });

  test("cannot be decrypted with other additional data, changed parts, or from other texts", async () => {
    const keys = await importKeyRing(randomKey(), []);
    const sealed = await seal("secret", keys, aad);
    await expect(open(sealed, keys, "email:messages:variables_enc:8:0190")).rejects.toThrow(SealError);
    for (let i = 0; i < sealed.length; i++) {
      const changed = sealed.slice(0, i) + (sealed[i] === "A" ? "B" : "A") + sealed.slice(i + 1);
      await expect(open(changed, keys, aad), `changed at ${i}`).rejects.toThrow(SealError);
    }
    for (const text of ["", "v1", "secret", "v1...", `${sealed}.x`, sealed.slice(0, -4)]) {
      await expect(open(text, keys, aad)).rejects.toThrow(SealError);
    }
  });

  test("accept only keys of 32 bytes", async () => {
    await expect(importKeyRing(new Uint8Array(16), [])).rejects.toThrow(SealError);
    await expect(importKeyRing(randomKey(), [new Uint8Array(31)])).rejects.toThrow(SealError);
  });
});
