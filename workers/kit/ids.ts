import { clock } from "./clock";
import { bytesToHex } from "./crypto/encoding";

/** The shard number in every id. It is always 0 today; the bits are reserved for a split across several databases. */
const SHARD = 0;

let lastMs = 0;
let sequence = 0;

/**
 * Returns a UUID of version 7 (RFC 9562): unix milliseconds, a 12-bit sequence, 8 bits for a shard and 54 random bits.
 * Within an isolate, ids ascend strictly unless the clock runs backward, so rows sort in creation order and inserts
 * append to the index. An id reveals its creation time; use random bytes for anything that must not be guessed.
 */
export function uuid(): string {
  const hex = timeOrderedHex();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The number of hex characters at the end of an id that hold the hash of a request id. */
const REQUEST_HASH_LENGTH = 10;

/**
 * Returns a uuid() that ends with the hash of a request id instead of random bits. The rows that a request wrote are found
 * by their ids, so that no column or index stores the request id. Ids of one isolate stay unique.
 */
export function uuidOfRequest(requestId: string): string {
  return uuid().slice(0, -REQUEST_HASH_LENGTH) + requestHash(requestId);
}

/**
 * Returns the 10 hex characters at the end of the ids of a request: 40 bits of its FNV-1a hash. Another request has the same
 * hash with a probability of 1 to 10^12. The hash need not resist attacks, because clients choose request ids freely.
 */
export function requestHash(requestId: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < requestId.length; i++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(requestId.charCodeAt(i))) * 0x100000001b3n);
  }
  return BigInt.asUintN(40, hash ^ (hash >> 40n))
    .toString(16)
    .padStart(REQUEST_HASH_LENGTH, "0");
}

const MAX_MS = 2 ** 48 - 1;

/**
 * Returns the 12 hex characters that start every id created at `ms` (unix). They sort before those ids and after all
 * earlier ids.
 */
export const hexBefore = (ms: number): string => Math.min(Math.max(ms, 0), MAX_MS).toString(16).padStart(12, "0");

/** Like hexBefore, with the hyphen of a UUID. */
export function idBefore(ms: number): string {
  const hex = hexBefore(ms);
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Returns a message id: `msg_` and the 32 hex characters of a time-ordered UUID. */
export function messageId(): string {
  return `msg_${timeOrderedHex()}`;
}

function timeOrderedHex(): string {
  const ms = nextTick();
  const [, second = 0, ...rest] = crypto.getRandomValues(new Uint8Array(8));
  // These bytes contain the variant `10`, the shard (split between two bytes) and the random bits.
  const tail = Uint8Array.of(0x80 | (SHARD >> 2), ((SHARD & 3) << 6) | (second & 0x3f), ...rest);
  return ms.toString(16).padStart(12, "0") + (0x7000 | sequence).toString(16) + bytesToHex(tail);
}

function nextTick(): number {
  const now = clock.now();
  // When the sequence is full, ids move on to the next millisecond before the clock does. The clock then has to catch
  // up.
  const isSameTick = now <= lastMs && lastMs - now < 1000;
  if (isSameTick && sequence < 0xfff) {
    sequence += 1;
  } else {
    lastMs = isSameTick ? lastMs + 1 : now;
    // A random start in the lower half leaves at least 2,048 ids in each millisecond.
    sequence = (crypto.getRandomValues(new Uint16Array(1))[0] ?? 0) & 0x7ff;
  }
  return lastMs;
}
