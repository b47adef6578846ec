import type { BucketRow } from "../../../db/storage/schema";
import { isActiveMember } from "../../kit/auth/memberships";
import { toSlices } from "../../kit/db/slices";
import { Problem as AnyProblem, invalid } from "../../kit/problem";
import { SECOND_MS } from "../../kit/time";
import type { ObjectAddress } from "../objects/object";
import { decodeOnce, readPath } from "../objects/path";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { listExistingNames } from "./signed-url.store";
import { type Grant, openGrant, signGrant } from "./token";

/** Base path of the routes; relative URLs are relative to it. */
const BASE = "/storage/v1";

/** `signedURL` is relative to the base path, `signedUrl` is absolute. */
export type SignedUrl = { signedURL: string; signedUrl: string };

/**
 * Returns the lifetime of a signed URL in milliseconds. `expiresIn` is in seconds. Throws 400 `expiresIn: [out_of_range]`
 * above SIGNED_URL_MAX_EXPIRES.
 */
export function readLifetime({ settings }: StorageServices, expiresIn: number | undefined): number {
  const { lifeMs, maxLifeMs } = settings.signing;
  const ms = expiresIn === undefined ? Math.min(lifeMs, maxLifeMs) : expiresIn * SECOND_MS;
  if (ms > maxLifeMs) throw invalid({ expiresIn: ["out_of_range"] });
  return ms;
}

/** The lifetime of a URL in milliseconds, the origin of the request, and the user who signs. */
type Options = { lifeMs: number; origin: string; userId: number };

/** Signs the URL of an object. */
export async function signUrl(
  services: StorageServices,
  address: ObjectAddress,
  { lifeMs, origin, userId }: Options,
): Promise<SignedUrl> {
  const { settings, clock } = services;
  const expiresAt = Math.floor((clock.now() + lifeMs) / SECOND_MS);
  const token = await signGrant(settings.signing, { ...address, expiresAt, userId });
  const encoded = address.path.split("/").map(encodeURIComponent).join("/");
  const signedURL = `/object/sign/${address.bucket}/${encoded}?token=${token}`;
  return { signedURL, signedUrl: absoluteUrl(services, origin, signedURL) };
}

/** Returns an absolute URL of the service. Its base is the public base URL, or else the origin of the request. */
export function absoluteUrl({ settings }: StorageServices, origin: string, path: string): string {
  return `${settings.signing.publicBaseUrl ?? origin}${BASE}${path}`;
}

/**
 * Like signUrl, for at most 1,000 paths in one round trip. A path without an object has an `error` and no URL. A null bucket
 * has no objects.
 */
export async function signUrls(
  services: StorageServices,
  bucket: Pick<BucketRow, "id" | "name" | "company_id"> | null,
  paths: readonly string[],
  options: Options,
) {
  const entries = paths.map((inputPath) => ({ inputPath, path: tryReadPath(inputPath) }));
  const names = [...new Set(entries.flatMap(({ path }) => path ?? []))];
  const results =
    bucket &&
    (await services.dbOf(bucket.company_id).batch({
      existing: toSlices(names).map((slice) => listExistingNames({ bucketId: bucket.id, names: slice })),
    }));
  const existingPaths = new Set(results?.existing.flatMap(({ rows }) => rows.map(({ name }) => name)));
  return Promise.all(
    entries.map(async ({ inputPath, path }) => {
      if (path === null) return { path: inputPath, ...NO_URL, error: "validation_failed" };
      if (bucket === null || !existingPaths.has(path)) return { path: inputPath, ...NO_URL, error: "object_not_found" };
      const address = { companyId: bucket.company_id, bucket: bucket.name, path };
      return { path: inputPath, ...(await signUrl(services, address, options)), error: null };
    }),
  );
}

const NO_URL = { signedURL: null, signedUrl: null };

function tryReadPath(text: string): string | null {
  try {
    return readPath(text);
  } catch (error) {
    if (error instanceof AnyProblem) return null;
    throw error;
  }
}

/**
 * Waits for `read`, and checks in parallel whether the signer is still a member of the company. Returns the result of `read`.
 * Throws 403 `signed_url_invalid` if the signer has left, and 503 if identity does not respond.
 */
export async function readAsSigner<T>(services: StorageServices, grant: Grant, read: Promise<T>): Promise<T> {
  const { companyId, userId } = grant;
  const [membership, result] = await Promise.allSettled([
    userId === null ? true : isActiveMember(services, { companyId, userId }),
    read,
  ]);
  if (membership.status === "rejected") throw membership.reason;
  if (!membership.value) throw new Problem("signed_url_invalid");
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/**
 * Returns the grant in the token of a signed URL. Throws 403 `signed_url_invalid` if the token is not genuine or belongs to
 * another bucket or path, and `signed_url_expired` if it has expired. `rawPath` is the undecoded path of the URL. Some
 * clients encode the path twice.
 */
export async function openSignedUrl(
  { settings, clock }: StorageServices,
  { bucket, rawPath, token }: { bucket: string; rawPath: string; token: string },
): Promise<Grant> {
  const grant = await openGrant(settings.signing, token);
  if (grant === null || grant.bucket !== bucket || !matchesPath(rawPath, grant.path))
    throw new Problem("signed_url_invalid");
  if (grant.expiresAt * SECOND_MS <= clock.now()) throw new Problem("signed_url_expired");
  return grant;
}

function matchesPath(rawPath: string, path: string): boolean {
  try {
    const once = decodeOnce(rawPath);
    return readPath(once) === path || readPath(decodeOnce(once)) === path;
  } catch (error) {
    // An invalid path never matches the token.
    if (error instanceof AnyProblem) return false;
    throw error;
  }
}
