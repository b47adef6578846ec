import { isAddress } from "../../../schemas/address";
import { hmacHex } from "../../kit/crypto/hash";

/** The trimmed address, case kept, or null when it breaks a rule of email details 3.1. */
export function readAddress(text: string): string | null {
  const address = text.trim();
  return isAddress(address) ? address : null;
}

/** The hash by which an address is found: 64 lower-case hex of the HMAC-SHA-256 of its lower-case form (email details 15.2). */
export function hashAddress(pepper: Uint8Array, address: string): Promise<string> {
  return hmacHex(pepper, address.trim().toLowerCase());
}
