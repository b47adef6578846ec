/** Longest address that is carried through a sign-in. */
const MAX_NEXT = 1500;

/**
 * Where to go after a sign-in: an address of the own origin that begins with one slash, is no sign-in page and not over 1,500
 * characters. Everything else is `/`.
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

/** `/login`, whatever the spelling: segments are compared decoded. */
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

/** Begins with one `/`, then neither `/` nor `\`, and holds no control character. */
export function isRootRelative(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  return /^\/(?![/\\])[^\u0000-\u001f\u007f]*$/.test(address);
}

/** The address of the sign-in that comes back to `here`. */
export function loginAddress(here: string): string {
  return here === "/" || here === "" ? "/login" : `/login?next=${encodeURIComponent(here)}`;
}
