import { sha256Hex } from "../../kit/crypto/hash";
import { randomToken } from "../../kit/crypto/random";

const PREFIX_LENGTH = 12;

/** A new service key, `esk_` and 43 URL-safe characters, with what is stored of it (Document 2 "Service key"). */
export async function createServiceKey(): Promise<{ key: string; hash: string; prefix: string }> {
  const key = `esk_${randomToken()}`;
  return { key, hash: await sha256Hex(key), prefix: key.slice(0, PREFIX_LENGTH) };
}
