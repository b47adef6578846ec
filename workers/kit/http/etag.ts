import { sha256Hex } from "../crypto/hash";

/** Returns a strong ETag of a text. */
export async function etagOf(text: string): Promise<string> {
  return `"${(await sha256Hex(text)).slice(0, 32)}"`;
}

/**
 * Returns the tags listed in `If-Match` or `If-None-Match`. Weak tags lose their `W/` prefix; `*` is returned as is.
 */
export const tagsOf = (condition: string): string[] =>
  condition.split(",").map((tag) => tag.trim().replace(/^W\//, ""));

/** Returns whether the condition lists the ETag or `*`. For `If-None-Match` the response is then 304. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = tagsOf(ifNoneMatch ?? "");
  return tags.includes(etag) || tags.includes("*");
}

/** Returns the headers of a response that clients cache and revalidate. */
export const revalidated = (etag: string) => ({ "cache-control": "private, no-cache", etag });
