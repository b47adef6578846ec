/** How long an answer may take, ms; who takes longer is not judged by it. */
const LIMIT = 5_000;

/**
 * Whether somebody answers at an origin, which the content policy has to allow. What comes is not read. A browser shows a page of its
 * own in a frame whose server does not answer, and tells nobody.
 */
export async function isReachable(origin: string): Promise<boolean> {
  return (await probe(origin, "HEAD")) || (await probe(origin, "GET"));
}

async function probe(origin: string, method: "HEAD" | "GET"): Promise<boolean> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), LIMIT);
  // An answer that leads to an origin the policy does not know is refused as well, but it is one.
  let isBlocked = false;
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
    isBlocked ||= effectiveDirective === "connect-src" && blockedURI.startsWith(origin);
  };
  document.addEventListener("securitypolicyviolation", onViolation);
  const request = { method, mode: "no-cors", credentials: "omit", cache: "no-store", signal: end.signal } as const;
  try {
    await fetch(`${origin}/`, request);
    return true;
  } catch {
    await new Promise((done) => setTimeout(done));
    return end.signal.aborted || isBlocked;
  } finally {
    clearTimeout(timer);
    // The rest of a long answer is not waited for.
    if (method === "GET") end.abort();
    document.removeEventListener("securitypolicyviolation", onViolation);
  }
}
