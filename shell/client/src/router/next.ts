/** Maximum length of an address carried through a sign-in. */
const MAX_NEXT = 1500;

/**
 * Returns where to go after a sign-in: a root-relative address of this origin, not a sign-in page, at most 1,500 characters;
 * otherwise `/`.
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

/** Whether the path is `/login` in any encoding. */
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

/** Whether an address starts with exactly one `/`, not `/\`, and contains no control character. */
export function isRootRelative(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  return /^\/(?![/\\])[^\u0000-\u001f\u007f]*$/.test(address);
}

/** Returns the address of a sign-in that returns to `here`. */
export function loginAddress(here: string): string {
  return here === "/" || here === "" ? "/login" : `/login?next=${encodeURIComponent(here)}`;
}
