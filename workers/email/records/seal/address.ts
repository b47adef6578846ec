import { canonicalAddress, isAddress, labelPattern } from "../../../../schemas/text/address";
import { hmacHex } from "../../../kit/crypto/hash";
import { invalid } from "../../../kit/problem";
import type { EmailServices } from "../../services";

/** The trimmed address, case kept, or null when it is none that mail is sent to. */
export function readAddress(text: string): string | null {
  const address = text.trim();
  return isAddress(address) ? address : null;
}

/**
 * What every mail program reads as an address and as nothing else. Other local parts are allowed too, but some of them would
 * be links of their own: `www.evil.example/login?@a.example`.
 */
export const plainAddress = `(?!www\\.)[a-z0-9._%+-]+@(?:${labelPattern}\\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?`;

const onlyPlainAddress = new RegExp(`^${plainAddress}$`, "i");

/** The trimmed address, case kept, or null when it is none that can be shown to people who trust the sender. */
export function readPlainAddress(text: string): string | null {
  const address = readAddress(text);
  return address !== null && onlyPlainAddress.test(address) ? address : null;
}

/** The hash by which an address is found: 64 lower-case hex of the HMAC-SHA-256 of its canonical form. */
export function hashAddress(pepper: Uint8Array, address: string): Promise<string> {
  return hmacHex(pepper, canonicalAddress(address));
}

/** Hashes by each pepper of the address that a list is narrowed to, or null; rows of before a pepper change are found too. */
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
