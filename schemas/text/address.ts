import * as z from "zod";

const maxLength = 254;
/** Local part of 1 to 64 characters that need no quoting in a header or envelope; no blanks, no control characters. */
const localPattern = /^[^\s\p{C}<>()[\],;:\\"@]{1,64}$/u;
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostPattern = new RegExp(`^${label}(?:\\.${label})*$`, "i");

/** One label of a host name in any case. */
export const labelPattern = label.replaceAll("a-z", "A-Za-z");
/**
 * Addresses for a document, whose patterns hold in every dialect only without properties: those in Latin script. Their last label
 * begins with a letter, as those of all mail servers do.
 */
const localText = "[!#-'*+/-9=?A-Z^-~\\u00a1-\\u00ac\\u00ae-\\u024f.-]{1,64}";
export const addressPattern = `^${localText}@(?:${labelPattern}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`;

/** Whether a text is a host name of A-labels with at most 253 characters. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && hostPattern.test(text);
}

/** A last label that a URL parser reads as a number makes the host an IPv4 address: `10.1` is `10.0.0.1` to it. */
const numericEndPattern = /\.(?:\d+|0x[0-9a-f]*)$/i;

/** Whether a host name would be parsed as a number, and so cannot be a mail server. */
export function endsInNumber(host: string): boolean {
  return numericEndPattern.test(host);
}

/** Whether a trimmed text is an address that identity signs in and email sends to. */
export function isAddress(text: string): boolean {
  const [local, domain, ...rest] = text.split("@");
  if (local === undefined || domain === undefined || rest.length > 0) return false;
  return text.length <= maxLength && localPattern.test(local) && isMailDomain(domain);
}

const isMailDomain = (domain: string) => domain.includes(".") && isHostName(domain) && !endsInNumber(domain);

/** An address in the one form in which it is stored by identity, compared and hashed: trimmed, lower case, NFC. */
export function canonicalAddress(text: string): string {
  return text.trim().toLowerCase().normalize("NFC");
}

/** The canonical address without the part from a `+` on: limits count all of `mina+…@example.com` as one person. */
export function personalAddress(text: string): string {
  return canonicalAddress(text).replace(/(?<=^[^@+]+)\+[^@]*(?=@)/, "");
}

/** `a***@domain` in lower case; `***` without an `@`. */
export function maskAddress(address: string): string {
  const [local = "", domain] = canonicalAddress(address).split("@");
  return domain === undefined ? "***" : `${[...local][0] ?? ""}***@${domain}`;
}

/** An address as identity stores it, in its canonical form. */
export const addressSchema = () =>
  z
    .string("invalid")
    .overwrite(canonicalAddress)
    .min(1, { error: "blank", abort: true })
    .max(maxLength, "too_long")
    .refine(isAddress, "invalid_format")
    .meta({ pattern: addressPattern });
