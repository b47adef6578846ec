/** Keys, in snake case, whose values are never stored with an event. */
const SECRET_KEY =
  /^(?:token|password|passwd|pwd|secret|client_secret|api_?key|authorization(?:_header)?|credentials?|private_key|magic_link(?:_url)?|sign_?in_(?:url|link))$|_(?:tokens?|secret|password|api_key)$/;
/** Path segments of sign-in pages. */
const SIGN_IN_PATH = /(?:^|\/)(?:magic[-_]?link|sign[-_]?in|log[-_]?in)(?=\/|$)/i;
const SECRET_PARAMETER = /^(?:.*[-_.])?(?:tokens?|secret|password|api_?key)$/;

/**
 * Returns the value without keys that look like secrets, and without URLs that sign a user in or contain a secret, at
 * every depth.
 */
export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isSecretUrl(item)).map(redact);
  if (typeof value !== "object" || value === null) return value;
  const safeEntries = Object.entries(value).filter(
    ([key, item]) => !SECRET_KEY.test(toSnakeCase(key)) && !isSecretUrl(item),
  );
  return Object.fromEntries(safeEntries.map(([key, item]) => [key, redact(item)]));
}

function toSnakeCase(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

function isSecretUrl(value: unknown): boolean {
  if (typeof value !== "string" || !/^[a-z][a-z0-9+.-]*:\/\//i.test(value.trim())) return false;
  const url = URL.parse(value.trim());
  if (!url) return false;
  // Applications with hash routing have the path and parameters in the fragment.
  const [fragmentPath = "", fragmentQuery = ""] = url.hash.slice(1).split("?");
  const parameters = [url.search, `?${fragmentQuery}`, `?${fragmentPath}`].flatMap((text) => [
    ...new URLSearchParams(text).keys(),
  ]);
  return (
    SIGN_IN_PATH.test(url.pathname) ||
    SIGN_IN_PATH.test(fragmentPath) ||
    parameters.some((name) => SECRET_PARAMETER.test(toSnakeCase(name)))
  );
}
