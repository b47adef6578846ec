import { readBoundedText } from "./bounded-text";

const RESOLVE_TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Response codes of RFC 1035: no error, and a name that does not exist. */
const NO_ERROR = 0;
const NAME_ERROR = 3;
const RECORD_TYPES = { A: 1, AAAA: 28, MX: 15, TXT: 16 } as const;

/** An address of a name, with its TTL in seconds. */
export type AddressRecord = { address: string; ttl: number };

/**
 * Returns the IPv4 addresses of a name, then its IPv6 addresses, by DNS over HTTPS in the JSON format. Returns an empty
 * list for an unknown name. Throws when either query gets no response within 5 s, because a partial result could hide
 * an address that is not public.
 */
export async function resolveOverHttps(
  name: string,
  resolverUrl: string,
  fetch: typeof globalThis.fetch,
): Promise<string[]> {
  return (await findAddresses(name, resolverUrl, fetch)).map(({ address }) => address);
}

/** Like resolveOverHttps, but returns each address with its TTL. */
export async function findAddresses(
  name: string,
  resolverUrl: string,
  fetch: typeof globalThis.fetch,
): Promise<AddressRecord[]> {
  const signal = AbortSignal.timeout(RESOLVE_TIMEOUT_MS);
  const records = await Promise.all([
    query(name, "A", resolverUrl, fetch, signal),
    query(name, "AAAA", resolverUrl, fetch, signal),
  ]);
  return records.flat();
}

/**
 * Returns the records of a name: for MX as the resolver formats them (`10 mail.example.com.`), for TXT the joined
 * strings without quotes. Returns an empty list for an unknown name. Throws without a response within 5 s.
 */
export async function findRecords(
  name: string,
  type: "MX" | "TXT",
  resolverUrl: string,
  fetch: typeof globalThis.fetch,
): Promise<string[]> {
  const records = await query(name, type, resolverUrl, fetch, AbortSignal.timeout(RESOLVE_TIMEOUT_MS));
  return records.map(({ address: data }) => (type === "TXT" ? data.replace(/^"|"$/g, "").replace(/"\s+"/g, "") : data));
}

async function query(
  name: string,
  type: keyof typeof RECORD_TYPES,
  resolverUrl: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<AddressRecord[]> {
  const url = new URL(resolverUrl);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  const response = await fetch(url, { headers: { Accept: "application/dns-json" }, redirect: "manual", signal });
  const text = await readBoundedText(response, MAX_RESPONSE_BYTES);
  if (!response.ok) throw new Error(`the resolver returned HTTP ${response.status}`);
  const result: unknown = JSON.parse(text);
  if (typeof result !== "object" || result === null || !("Status" in result)) {
    throw new Error("the resolver's response is not DNS JSON");
  }
  if (result.Status === NAME_ERROR) return [];
  if (result.Status !== NO_ERROR) throw new Error(`the resolver returned the DNS status ${String(result.Status)}`);
  if ("TC" in result && result.TC === true) throw new Error("the resolver's response is truncated");
  const records: unknown[] = "Answer" in result && Array.isArray(result.Answer) ? result.Answer : [];
  // A CNAME in the chain may change before the address does, so all addresses get the shortest TTL.
  const ttl = Math.min(...records.map(readTtl));
  return records.flatMap((record) => readAddress(record, RECORD_TYPES[type])).map((address) => ({ address, ttl }));
}

/** Returns the data of a record with the requested type; skips other records such as CNAME. */
function readAddress(record: unknown, type: number): string[] {
  if (typeof record !== "object" || record === null || !("type" in record) || !("data" in record)) return [];
  return record.type === type && typeof record.data === "string" ? [record.data] : [];
}

/** Returns the TTL of a record in seconds; 0 when it is missing. */
function readTtl(record: unknown): number {
  if (typeof record !== "object" || record === null || !("TTL" in record)) return 0;
  return typeof record.TTL === "number" && record.TTL > 0 ? record.TTL : 0;
}
