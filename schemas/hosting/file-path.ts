// This file imports nothing, so that the command line can load it without a build.

/** Maximum length of a path in UTF-8 bytes. */
export const MAX_PATH_BYTES = 1024;

/** The reason why a path cannot be part of a deployment. */
export type PathProblem =
  | "path_empty"
  | "path_too_long"
  | "path_absolute"
  | "path_dot_segment"
  | "path_empty_segment"
  | "path_invalid_character"
  | "path_encoded";

const encoder = new TextEncoder();
// Control characters, lone surrogates, the backslash, and characters that a URL path cannot contain unencoded and unambiguously.
const invalidCharacter = /[\p{Cc}\p{Surrogate}\\?#]/u;
// A server or client may decode these sequences to a slash, backslash, dot, NUL or percent sign.
const encodedCharacter = /%(?:2f|5c|2e|00|25)/iu;

/**
 * Returns why a path cannot be part of a deployment, or null for a valid path. A valid path is relative, has segments separated by
 * slashes and is at most MAX_PATH_BYTES long; no segment is empty, `.` or `..`.
 */
export function filePathProblem(path: string): PathProblem | null {
  if (path === "") return "path_empty";
  if (encoder.encode(path).length > MAX_PATH_BYTES) return "path_too_long";
  if (invalidCharacter.test(path)) return "path_invalid_character";
  if (encodedCharacter.test(path)) return "path_encoded";
  if (path.startsWith("/") || /^[a-z]:/iu.test(path)) return "path_absolute";
  const segments = path.split("/");
  if (segments.includes("")) return "path_empty_segment";
  return segments.some((segment) => segment === "." || segment === "..") ? "path_dot_segment" : null;
}
