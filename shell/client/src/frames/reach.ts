/** Time limit of a probe, ms. A timeout counts as reachable. */
const LIMIT = 5_000;

/**
 * Whether an origin responds. The content policy has to allow the request; the response is not read. Browsers show their own
 * page in a frame whose server does not respond, and scripts cannot detect it.
 */
export async function isReachable(origin: string): Promise<boolean> {
  return (await probe(origin, "HEAD")) || (await probe(origin, "GET"));
}

async function probe(origin: string, method: "HEAD" | "GET"): Promise<boolean> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), LIMIT);
  // A redirect to an origin outside the policy is blocked too, but it shows that the server responded.
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
    // Cancels the rest of a long response.
    if (method === "GET") end.abort();
    document.removeEventListener("securitypolicyviolation", onViolation);
  }
}
