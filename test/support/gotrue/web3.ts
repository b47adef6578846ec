import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { goTrueError, invalidGrantError } from "./errors.ts";

/** The fields that GoTrue reads from a signed sign-in message. */
export type SignedMessage = { domain: string; address: string; uri: string; chainId: string };

const headerEnd = " wants you to sign in with your Ethereum account:";
const domainPattern = /^(localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,})(?::\d{1,5})?$/i;
/** How long a message is valid, in ms. */
const VALIDITY = 10 * 60_000;

/** Parses a message and verifies its signature. Throws the same errors as GoTrue. */
export function readSigned({ message, signature }: { message: string; signature: string }): SignedMessage {
  if (message.length < 64) throw goTrueError(400, "validation_failed", "message is too short");
  if (!/^(0x)?[0-9a-f]{130}$/i.test(signature))
    throw goTrueError(400, "validation_failed", "signature must be 65 bytes long");
  const [header = "", address = "", blank, ...rest] = message.split("\n");
  const domain = header.slice(0, -headerEnd.length);
  const fields = new Map(
    rest.flatMap((line): [string, string][] => {
      const at = line.indexOf(":");
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()]];
    }),
  );
  const [uri = "", chainId = ""] = [fields.get("URI"), fields.get("Chain ID")];
  const issuedAt = Date.parse(fields.get("Issued At") ?? "");
  const isWellFormed =
    header.endsWith(headerEnd) &&
    domainPattern.test(domain) &&
    /^0x[0-9a-fA-F]{40}$/.test(address) &&
    blank === "" &&
    URL.canParse(uri) &&
    fields.get("Version") === "1" &&
    Number(chainId) > 0 &&
    Number.isFinite(issuedAt);
  if (!isWellFormed) throw goTrueError(400, "validation_failed", "siwe: the message has another form");
  if (signerOf(message, signature) !== address.toLowerCase())
    throw invalidGrantError("Signature does not match address in message");
  const { protocol, hostname, host } = new URL(uri);
  if (hostname !== "localhost" && (protocol !== "https:" || host !== domain))
    throw invalidGrantError("Signed Ethereum message is using URI which is not allowed on this server");
  if (Math.abs(Date.now() - issuedAt) > VALIDITY) throw invalidGrantError("Ethereum message was issued too long ago");
  return { domain, address: address.toLowerCase(), uri, chainId };
}

/** Returns the hash that `personal_sign` signs for a text. */
export function personalHash(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
}

/** Returns the address of a public key of 65 bytes. */
export const addressOf = (key: Uint8Array): string =>
  `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(-20)).toString("hex")}`;

function signerOf(message: string, signature: string): string | null {
  const bytes = Buffer.from(signature.replace(/^0x/, ""), "hex");
  const recovery = (bytes[64] ?? 0) % 27;
  try {
    const point = secp256k1.Signature.fromBytes(
      Buffer.concat([Buffer.of(recovery), bytes.subarray(0, 64)]),
      "recovered",
    ).recoverPublicKey(personalHash(message));
    return addressOf(point.toBytes(false));
  } catch {
    return null;
  }
}
