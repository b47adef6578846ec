import { sha256Hex } from "../crypto/hash";

/** The strong ETag of what a text says all of. */
export async function etagOf(text: string): Promise<string> {
  return `"${(await sha256Hex(text)).slice(0, 32)}"`;
}

/** The tags that `If-Match` or `If-None-Match` lists, weak ones as strong; `*` stands for itself. */
export const tagsOf = (condition: string): string[] =>
  condition.split(",").map((tag) => tag.trim().replace(/^W\//, ""));

/** Whether `If-None-Match` names the ETag, so that the answer is 304. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = tagsOf(ifNoneMatch ?? "");
  return tags.includes(etag) || tags.includes("*");
}

/** Headers of an answer that clients keep and ask about again. */
export const revalidated = (etag: string) => ({ "cache-control": "private, no-cache", etag });
