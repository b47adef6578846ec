import type { BucketRow } from "../../../db/storage/schema";
import { isActiveMember } from "../../kit/auth/memberships";
import { toSlices } from "../../kit/db/slices";
import { Problem as AnyProblem, invalid } from "../../kit/problem";
import { SECOND_MS } from "../../kit/time";
import { decodeOnce, readPath } from "../objects/path";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { listPresent } from "./signed-url.store";
import { type Grant, openGrant, signGrant } from "./token";

/** Where the routes begin; relative URLs stand behind it. */
const BASE = "/storage/v1";

/** `signedURL` behind the base path, `signedUrl` absolute. */
export type SignedUrl = { signedURL: string; signedUrl: string };

/** The life of a signed URL in milliseconds: `expiresIn` seconds, at most SIGNED_URL_MAX_EXPIRES; 400 `expiresIn: [out_of_range]`. */
export function lifeOf({ settings }: StorageServices, expiresIn: number | undefined): number {
  const { lifeMs, maxLifeMs } = settings.signing;
  const ms = expiresIn === undefined ? Math.min(lifeMs, maxLifeMs) : expiresIn * SECOND_MS;
  if (ms > maxLifeMs) throw invalid({ expiresIn: ["out_of_range"] });
  return ms;
}

/** Where a URL leads: an object of a company. */
type At = { companyId: number; bucket: string; path: string };

/** How long a URL lives, from now, where the call for it came to, and who signs. */
type Options = { lifeMs: number; origin: string; userId: number };

/** Signs the URL of an object. */
export async function signUrl(
  services: StorageServices,
  at: At,
  { lifeMs, origin, userId }: Options,
): Promise<SignedUrl> {
  const { settings, clock } = services;
  const expiresAt = Math.floor((clock.now() + lifeMs) / SECOND_MS);
  const token = await signGrant(settings.signing, { ...at, expiresAt, userId });
  const encoded = at.path.split("/").map(encodeURIComponent).join("/");
  const signedURL = `/object/sign/${at.bucket}/${encoded}?token=${token}`;
  return { signedURL, signedUrl: absoluteUrl(services, origin, signedURL) };
}

/** An address of the service under its public name, or under that by which the caller has reached it. */
export function absoluteUrl({ settings }: StorageServices, origin: string, path: string): string {
  return `${settings.signing.publicBaseUrl ?? origin}${BASE}${path}`;
}

/** As signUrl, for a list of at most 1,000 paths (bucket null: it is empty); those that name no object have an `error` and no URL. One round trip. */
export async function signUrls(
  services: StorageServices,
  bucket: Pick<BucketRow, "id" | "name" | "company_id"> | null,
  paths: readonly string[],
  options: Options,
) {
  const asked = paths.map((given) => ({ given, path: readOrNull(given) }));
  const names = [...new Set(asked.flatMap(({ path }) => path ?? []))];
  const found =
    bucket &&
    (await services.dbOf(bucket.company_id).batch({
      present: toSlices(names).map((slice) => listPresent({ bucketId: bucket.id, names: slice })),
    }));
  const isPresent = new Set(found?.present.flatMap(({ rows }) => rows.map(({ name }) => name)));
  return Promise.all(
    asked.map(async ({ given, path }) => {
      if (path === null) return { path: given, ...NO_URL, error: "validation_failed" };
      if (bucket === null || !isPresent.has(path)) return { path: given, ...NO_URL, error: "object_not_found" };
      const at = { companyId: bucket.company_id, bucket: bucket.name, path };
      return { path: given, ...(await signUrl(services, at, options)), error: null };
    }),
  );
}

const NO_URL = { signedURL: null, signedUrl: null };

function readOrNull(text: string): string | null {
  try {
    return readPath(text);
  } catch (error) {
    if (error instanceof AnyProblem) return null;
    throw error;
  }
}

/**
 * Returns what `read` finds, once the member who signed the URL is known to be in the company: both are asked at the same time. 403
 * `signed_url_invalid` when the member is not, 503 while identity cannot say.
 */
export async function readAsSigner<T>(services: StorageServices, grant: Grant, read: Promise<T>): Promise<T> {
  const { companyId, userId } = grant;
  const [isThere, result] = await Promise.allSettled([
    userId === null ? true : isActiveMember(services, { companyId, userId }),
    read,
  ]);
  if (isThere.status === "rejected") throw isThere.reason;
  if (!isThere.value) throw new Problem("signed_url_invalid");
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/**
 * What the token of a signed URL opens; 403 `signed_url_invalid` where it is not of this bucket and path, then
 * `signed_url_expired`. `rawPath` is what stands in the URL: encoded once, or twice, as clients do that encode what they got.
 */
export async function openSignedUrl(
  { settings, clock }: StorageServices,
  { bucket, rawPath, token }: { bucket: string; rawPath: string; token: string },
): Promise<Grant> {
  const grant = await openGrant(settings.signing, token);
  if (grant === null || grant.bucket !== bucket || !isAt(rawPath, grant.path)) throw new Problem("signed_url_invalid");
  if (grant.expiresAt * SECOND_MS <= clock.now()) throw new Problem("signed_url_expired");
  return grant;
}

function isAt(rawPath: string, path: string): boolean {
  try {
    const once = decodeOnce(rawPath);
    return readPath(once) === path || readPath(decodeOnce(once)) === path;
  } catch (error) {
    // No path at all is not that of the token.
    if (error instanceof AnyProblem) return false;
    throw error;
  }
}
