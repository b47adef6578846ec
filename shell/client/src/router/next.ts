/** Maximum length of the address to return to after a sign-in. */
const MAX_NEXT = 1500;

/**
 * Returns the address to open after a sign-in. This is `next` if it is a root-relative address of this origin, is not a sign-in
 * page and has at most 1,500 characters. Otherwise this is `/`.
 */
export function safeNext(next: string | null | undefined, origin: string): string {
  if (typeof next !== "string" || next.length > MAX_NEXT || !isRootRelative(next)) return "/";
  let url: URL;
  try {
    url = new URL(next, origin);
  } catch {
    return "/";
  }
  if (url.origin !== origin || isLoginPath(url.pathname)) return "/";
  return url.pathname.startsWith("//") ? "/" : url.pathname + url.search + url.hash;
}

/** Returns whether a path is `/login` or below it, in any encoding. */
function isLoginPath(pathname: string): boolean {
  const [first = ""] = pathname.replace(/^\/+/, "").split("/");
  try {
    return (
      decodeURIComponent(first)
        .toLowerCase()
        .replace(/[/\\].*$/, "") === "login"
    );
  } catch {
    return false;
  }
}

/** Returns whether an address begins with exactly one `/`, not with `/\`, and contains no control character. */
export function isRootRelative(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression must match control characters
  return /^\/(?![/\\])[^\u0000-\u001f\u007f]*$/.test(address);
}

/** Returns the address of the sign-in page that returns to `here`. */
export function loginAddress(here: string): string {
  return here === "/" || here === "" ? "/login" : `/login?next=${encodeURIComponent(here)}`;
}
