import type { Mailbox } from "../../delivery/messages/direct-content";
import { readAddress } from "../../records/seal/address";

const MAX_NAME_LENGTH = 128;
const NAMED = /^(.*?)\s*<([^<>]+)>$/s;
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/s;

/** Reads `mina@example.com`, `Mina <mina@example.com>` or `"Vale, Mina" <mina@example.com>`. Returns null for anything else. */
export function readMailbox(text: string): Mailbox | null {
  const [, rawName, rawAddress] = NAMED.exec(text.trim()) ?? [null, "", text];
  const address = readAddress(rawAddress ?? "");
  const quoted = QUOTED.exec(rawName ?? "")?.[1];
  const name = (quoted?.replace(/\\(.)/gs, "$1") ?? rawName ?? "").trim();
  if (address === null || name.length > MAX_NAME_LENGTH || /[\p{Cc}\u2028\u2029]/u.test(name)) return null;
  return { name, address };
}

/** Returns `Mina <mina@example.com>`, or the address when there is no name. */
export function showMailbox({ name, address }: Mailbox): string {
  if (name === "") return address;
  const shown = /^[\p{L}\p{N} .'_-]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
  return `${shown} <${address}>`;
}
