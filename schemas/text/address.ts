import * as z from "zod";

const maxLength = 254;
/**
 * Matches a local part of 1 to 64 characters that need no quotes in a header or envelope, except blanks and control characters.
 * U+FFFD stands for bytes that were not UTF-8, so the address that was meant is unknown.
 */
const localPattern = /^[^\s\p{C}\uFFFD<>()[\],;:\\"@]{1,64}$/u;
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostPattern = new RegExp(`^${label}(?:\\.${label})*$`, "i");

/** A pattern for one label of a host name, in any case. */
export const labelPattern = label.replaceAll("a-z", "A-Za-z");
/**
 * A pattern for addresses in the OpenAPI document. Only patterns without Unicode properties work in every regex dialect, so
 * this one covers only Latin script. The last label starts with a letter, as in every top-level domain.
 */
const localText = "[!#-'*+/-9=?A-Z^-~\\u00a1-\\u00ac\\u00ae-\\u024f.-]{1,64}";
const addressText = `${localText}@(?:${labelPattern}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`;
export const addressPattern = `^${addressText}$`;
/** A pattern for `Name <address>` in the OpenAPI document. */
export const namedAddressPattern = `^[^<>\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]{1,128}<${addressText}>$`;

/** Returns whether a text is a host name of at most 253 characters with ASCII labels (A-labels). */
export function isHostName(text: string): boolean {
  return text.length <= 253 && hostPattern.test(text);
}

/** Matches a numeric last label. URL parsers read such a host as an IPv4 address: `10.1` becomes `10.0.0.1`. */
const numericEndPattern = /\.(?:\d+|0x[0-9a-f]*)$/i;

/** Returns whether URL parsers would read a host name as an IPv4 address. Such a host cannot be a mail domain. */
export function endsInNumber(host: string): boolean {
  return numericEndPattern.test(host);
}

/** Returns whether a trimmed text is an address that can be used for sign-in and mail. */
export function isAddress(text: string): boolean {
  const [local, domain, ...rest] = text.split("@");
  if (local === undefined || domain === undefined || rest.length > 0) return false;
  return text.length <= maxLength && localPattern.test(local) && isMailDomain(domain);
}

const isMailDomain = (domain: string) => domain.includes(".") && isHostName(domain) && !endsInNumber(domain);

/**
 * Returns the canonical form of an address: trimmed, lower case, NFC. Comparisons and hashes use this form, and identity stores
 * it.
 */
export function canonicalAddress(text: string): string {
  return text.trim().toLowerCase().normalize("NFC");
}

/** Returns the canonical address without its subaddress. Limits count all of `mina+…@example.com` as one person. */
export function personalAddress(text: string): string {
  return canonicalAddress(text).replace(/(?<=^[^@+]+)\+[^@]*(?=@)/, "");
}

/** Returns the masked address, `a***@domain` in lower case, or `***` for a text without an `@`. */
export function maskAddress(address: string): string {
  const [local = "", domain] = canonicalAddress(address).split("@");
  return domain === undefined ? "***" : `${[...local][0] ?? ""}***@${domain}`;
}

/** An address, converted to its canonical form. */
export const addressSchema = () =>
  z
    .string("invalid")
    .overwrite(canonicalAddress)
    .min(1, { error: "blank", abort: true })
    .max(maxLength, "too_long")
    .refine(isAddress, "invalid_format")
    .meta({ pattern: addressPattern });
