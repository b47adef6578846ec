import { canonicalAddress, isAddress, labelPattern } from "../../../../schemas/text/address";
import { hmacHex } from "../../../kit/crypto/hash";
import { invalid } from "../../../kit/problem";
import type { EmailServices } from "../../services";

/** Returns the trimmed address in its original case, or null when mail cannot be sent to it. */
export function readAddress(text: string): string | null {
  const address = text.trim();
  return isAddress(address) ? address : null;
}

/**
 * Pattern of addresses that no mail client displays as a link. Other local parts are valid too, but a mail client may display
 * some of them as links, for example `www.evil.example/login?@a.example`.
 */
export const plainAddress = `(?!www\\.)[a-z0-9._%+-]+@(?:${labelPattern}\\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?`;

const onlyPlainAddress = new RegExp(`^${plainAddress}$`, "i");

/** Returns the trimmed address in its original case, or null when a mail client could display it as a link. */
export function readPlainAddress(text: string): string | null {
  const address = readAddress(text);
  return address !== null && onlyPlainAddress.test(address) ? address : null;
}

/** Returns the hash for address lookups: HMAC-SHA-256 of the canonical address, in 64 lower-case hex digits. */
export function hashAddress(pepper: Uint8Array, address: string): Promise<string> {
  return hmacHex(pepper, canonicalAddress(address));
}

/**
 * Returns the hashes of the address in the filter, one per pepper, or null without a filter. The previous pepper finds rows
 * from before a rotation. Throws 400 `email: [invalid_format]`.
 */
export async function readAddressFilter(
  { keys }: Pick<EmailServices, "keys">,
  email: string | undefined,
): Promise<string[] | null> {
  if (email === undefined) return null;
  const address = readAddress(email);
  if (address === null) throw invalid({ email: ["invalid_format"] });
  const { peppers } = await keys();
  return Promise.all(peppers.map((pepper) => hashAddress(pepper, address)));
}
