import { canonicalAddress, isAddress } from "../../../schemas/address";
import { hmacHex } from "../../kit/crypto/hash";
import { invalid } from "../../kit/problem";
import type { EmailServices } from "../services";

/** The trimmed address, case kept, or null when it is none that mail is sent to. */
export function readAddress(text: string): string | null {
  const address = text.trim();
  return isAddress(address) ? address : null;
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
