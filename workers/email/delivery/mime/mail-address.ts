import { endsInNumber } from "../../../../schemas/text/address";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_PATTERN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const ADDRESS_PATTERN = /^[^\s<>()[\],;:\\"@]+@[^\s<>()[\],;:\\"@]+$/;
const MAX_ADDRESS_LENGTH = 320;

/** A mail that no provider can be given: a value would break a header or the envelope. `field` names it. */
export class UnsendableMailError extends Error {
  readonly field: string;
  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.name = "UnsendableMailError";
    this.field = field;
  }
}

/** Throws `UnsendableMailError` when the value holds CR, LF or another control character. */
export function checkHeaderText(field: string, value: string): void {
  if (CONTROL_PATTERN.test(value)) throw new UnsendableMailError(field, "control characters are not allowed");
}

/**
 * The address with its domain in ASCII (IDNA); the local part stays as it is. Throws `UnsendableMailError` for a value
 * that is not a bare `local@domain`, because it would be written into the envelope and a header.
 */
export function normalizeAddress(field: string, address: string): string {
  checkHeaderText(field, address);
  if (address.length > MAX_ADDRESS_LENGTH || !ADDRESS_PATTERN.test(address)) {
    throw new UnsendableMailError(field, "not a bare address");
  }
  const at = address.lastIndexOf("@");
  if (endsInNumber(address.slice(at + 1))) throw new UnsendableMailError(field, "the domain is no name");
  const url = URL.parse(`http://${address.slice(at + 1)}`);
  if (!url || url.hostname === "" || url.host !== url.hostname || url.pathname !== "/" || url.search || url.hash) {
    throw new UnsendableMailError(field, "the domain is not a host name");
  }
  return `${address.slice(0, at)}@${url.hostname}`;
}

/** The part after the `@` of an address made by `normalizeAddress`. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Whether a text has characters outside ASCII. */
export function hasNonAscii(text: string): boolean {
  return /[^ -~]/.test(text);
}
