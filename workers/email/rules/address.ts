import { hmacHex } from "../../kit/crypto/hash";

const MAX_ADDRESS_LENGTH = 254;
/** Local part of 1 to 64 characters that need no quoting in a header or envelope; no blanks, no control characters. */
const LOCAL_PATTERN = /^[^\s\p{C}<>()[\],;:\\"@]{1,64}$/u;
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HOST_PATTERN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, "i");

/** Whether a text is a host name of A-labels with at most 253 characters. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && HOST_PATTERN.test(text);
}

/** The trimmed address, case kept, or null when it breaks a rule of email details 3.1. */
export function readAddress(text: string): string | null {
  const address = text.trim();
  const [local, domain, ...rest] = address.split("@");
  if (local === undefined || domain === undefined || rest.length > 0) return null;
  if (address.length > MAX_ADDRESS_LENGTH || !LOCAL_PATTERN.test(local)) return null;
  return domain.includes(".") && isHostName(domain) ? address : null;
}

/** `a***@domain` in lower case; `***` without an `@` (email details 4.1). */
export function maskAddress(address: string): string {
  const [local = "", domain] = address.trim().toLowerCase().split("@");
  return domain === undefined ? "***" : `${[...local][0] ?? ""}***@${domain}`;
}

/** The hash by which an address is found: 64 lower-case hex of the HMAC-SHA-256 of its lower-case form (email details 15.2). */
export function hashAddress(pepper: Uint8Array, address: string): Promise<string> {
  return hmacHex(pepper, address.trim().toLowerCase());
}
