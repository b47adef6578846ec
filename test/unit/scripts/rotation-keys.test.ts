import { expect, it } from "vitest";
import { settingValue } from "../../../scripts/deploy/rotation/comparison.ts";
import { sealPrefix } from "../../../scripts/deploy/rotation/finish.ts";
import { loadSettings } from "../../../scripts/support/settings-tables.ts";
import { deriveKey } from "../../../workers/kit/crypto/hkdf";
import { importKeyRing, sealedBy } from "../../../workers/kit/crypto/seal";

it("knows how texts begin that identity sealed with a SECRET_KEY", async () => {
  const secret = "one secret of at least thirty-two bytes";
  const { current } = await importKeyRing(await deriveKey(secret, "identity/encryption"), []);
  expect(sealPrefix(secret)).toBe(sealedBy(current));
});

it("reads keys as the services read them", async () => {
  const { identity, email, storage } = await loadSettings();
  expect(settingValue(identity, "JWT_PRIVATE_KEY", '"a\\nb"')).toBe("a\nb");
  const bytes = Buffer.alloc(32, 7);
  const read = settingValue(email, "EMAIL_HASH_PEPPER", ` ${bytes.toString("base64")}\n`);
  expect(Buffer.from(read as Uint8Array)).toEqual(bytes);
  expect(settingValue(storage, "SIGNED_URL_MAX_EXPIRES", "604800")).toBe(7 * 86_400_000);
  expect(() => settingValue(email, "NOPE", "")).toThrow("NOPE");
});
