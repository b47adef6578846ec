import * as z from "zod";

const maxLength = 254;
/** Local part of 1 to 64 characters that need no quoting in a header or envelope; no blanks, no control characters. */
const localPattern = /^[^\s\p{C}<>()[\],;:\\"@]{1,64}$/u;
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostPattern = new RegExp(`^${label}(?:\\.${label})*$`, "i");

/** One label of a host name in any case. */
export const labelPattern = label.replaceAll("a-z", "A-Za-z");
/** Addresses for a document, whose patterns hold in every dialect only without properties: those in Latin script. */
const localText = "[!#-'*+/-9=?A-Z^-~\\u00a1-\\u00ac\\u00ae-\\u024f.-]{1,64}";
export const addressPattern = `^${localText}@${labelPattern}(?:\\.${labelPattern})+$`;

/** Whether a text is a host name of A-labels with at most 253 characters. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && hostPattern.test(text);
}

/** Whether a trimmed text is an address that identity signs in and email sends to. */
export function isAddress(text: string): boolean {
  const [local, domain, ...rest] = text.split("@");
  if (local === undefined || domain === undefined || rest.length > 0) return false;
  return text.length <= maxLength && localPattern.test(local) && domain.includes(".") && isHostName(domain);
}

/** `a***@domain` in lower case; `***` without an `@`. */
export function maskAddress(address: string): string {
  const [local = "", domain] = address.trim().toLowerCase().split("@");
  return domain === undefined ? "***" : `${[...local][0] ?? ""}***@${domain}`;
}

/** An address as identity stores it: trimmed, lower case. */
export const addressSchema = () =>
  z
    .string("invalid")
    .trim()
    .toLowerCase()
    .min(1, { error: "blank", abort: true })
    .max(maxLength, "too_long")
    .refine(isAddress, "invalid_format")
    .meta({ pattern: addressPattern });
