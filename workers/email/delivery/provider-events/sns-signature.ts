import { importX509 } from "jose";
import { base64ToBytes, utf8ToBytes } from "../../../kit/crypto/encoding";
import type { JsonObject } from "../../../kit/json";
import { readBoundedText } from "../../../kit/net/bounded-text";
import { textOf } from "./provider-event";

const TIMEOUT_MS = 5000;
const MAX_CERTIFICATE_BYTES = 16_384;
const MAX_CERTIFICATES = 20;

const HOST = /^sns\.[a-z0-9-]{3,40}\.amazonaws\.com(?:\.cn)?$/;

/** Returns whether a URL is an https URL of an SNS host, without credentials or a port. */
export function isSnsAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password } = new URL(text);
  return protocol === "https:" && HOST.test(hostname) && port === "" && username === "" && password === "";
}

/** The signed fields in signing order; https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */
const SIGNED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Notification", ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]],
  ["SubscriptionConfirmation", ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]],
  ["UnsubscribeConfirmation", ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]],
]);

const HASHES: ReadonlyMap<string, string> = new Map([
  ["1", "SHA-1"],
  ["2", "SHA-256"],
]);

/** Returns whether SNS signed the body. Returns false when the certificate of SNS cannot be read. */
export async function verifySns(body: JsonObject, fetch: typeof globalThis.fetch): Promise<boolean> {
  const fields = SIGNED_FIELDS.get(textOf(body.Type));
  const hash = HASHES.get(textOf(body.SignatureVersion));
  const { SigningCertURL: url, Signature: signature } = body;
  if (fields === undefined || hash === undefined || typeof url !== "string" || typeof signature !== "string")
    return false;
  if (!isSnsAddress(url) || !new URL(url).pathname.endsWith(".pem")) return false;
  const text = fields.flatMap((name) => (typeof body[name] === "string" ? [`${name}\n${body[name]}\n`] : [])).join("");
  const spki = await readKey(url, fetch);
  if (spki === null) return false;
  const key = await crypto.subtle.importKey("spki", spki, { name: "RSASSA-PKCS1-v1_5", hash }, false, ["verify"]);
  try {
    return await crypto.subtle.verify(key.algorithm.name, key, base64ToBytes(signature), utf8ToBytes(text));
  } catch {
    // The signature is not base64.
    return false;
  }
}

// Keys are cached per isolate and never expire, because SNS serves a new certificate at a new URL.
const certificates = new Map<string, ArrayBuffer>();

/** Returns the public key (SPKI) of the certificate at an SNS URL, or null when it cannot be read. */
async function readKey(url: string, fetch: typeof globalThis.fetch): Promise<ArrayBuffer | null> {
  const cached = certificates.get(url);
  if (cached !== undefined) return cached;
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return null;
    const pem = await readBoundedText(response, MAX_CERTIFICATE_BYTES);
    const key = await importX509(pem, "RS256", { extractable: true });
    const spki = (await crypto.subtle.exportKey("spki", key)) as ArrayBuffer;
    const [oldest] = certificates.keys();
    if (certificates.size >= MAX_CERTIFICATES && oldest !== undefined) certificates.delete(oldest);
    certificates.set(url, spki);
    return spki;
  } catch {
    // The file is unavailable or not a certificate. SNS retries the webhook after the 401.
    return null;
  }
}
