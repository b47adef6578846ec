import { endsInNumber } from "../../../../schemas/text/address";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const CONTROL_PATTERN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const ADDRESS_PATTERN = /^[^\s<>()[\],;:\\"@]+@[^\s<>()[\],;:\\"@]+$/;
const MAX_ADDRESS_LENGTH = 320;

/** Thrown when a value would break a header or the envelope. `field` is the name of the value. */
export class UnsendableMailError extends Error {
  readonly field: string;
  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.name = "UnsendableMailError";
    this.field = field;
  }
}

/** Throws `UnsendableMailError` when the value contains CR, LF or another control character. */
export function checkHeaderText(field: string, value: string): void {
  if (CONTROL_PATTERN.test(value)) throw new UnsendableMailError(field, "control characters are not allowed");
}

/**
 * Returns the address with its domain in ASCII (IDNA) and its local part unchanged. Throws `UnsendableMailError` for anything
 * but a bare `local@domain`, because the address becomes part of the envelope and of a header.
 */
export function normalizeAddress(field: string, address: string): string {
  checkHeaderText(field, address);
  if (address.length > MAX_ADDRESS_LENGTH || !ADDRESS_PATTERN.test(address)) {
    throw new UnsendableMailError(field, "not a bare address");
  }
  const at = address.lastIndexOf("@");
  if (endsInNumber(address.slice(at + 1))) throw new UnsendableMailError(field, "the domain must not end in a number");
  const url = URL.parse(`http://${address.slice(at + 1)}`);
  if (!url || url.hostname === "" || url.host !== url.hostname || url.pathname !== "/" || url.search || url.hash) {
    throw new UnsendableMailError(field, "the domain is not a host name");
  }
  return `${address.slice(0, at)}@${url.hostname}`;
}

/** Returns the part after the `@` of an address returned by `normalizeAddress`. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Returns whether a text contains a character outside printable ASCII. */
export function hasNonAscii(text: string): boolean {
  return /[^ -~]/.test(text);
}
