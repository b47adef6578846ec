/** Time limit of a probe, ms. A timeout counts as reachable. */
const LIMIT = 5_000;

/**
 * Returns whether an origin responds. Browsers show their own error page in a frame whose server does not respond, and scripts
 * cannot detect this error page. The content security policy must allow the request. The response is not read.
 */
export async function isReachable(origin: string): Promise<boolean> {
  return (await probe(origin, "HEAD")) || (await probe(origin, "GET"));
}

async function probe(origin: string, method: "HEAD" | "GET"): Promise<boolean> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMIT);
  // The policy also blocks a redirect to an origin that it does not list. In that case the server has responded.
  let isBlocked = false;
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
    isBlocked ||= effectiveDirective === "connect-src" && blockedURI.startsWith(origin);
  };
  document.addEventListener("securitypolicyviolation", onViolation);
  const request = {
    method,
    mode: "no-cors",
    credentials: "omit",
    cache: "no-store",
    signal: controller.signal,
  } as const;
  try {
    await fetch(`${origin}/`, request);
    return true;
  } catch {
    await new Promise((done) => setTimeout(done));
    return controller.signal.aborted || isBlocked;
  } finally {
    clearTimeout(timer);
    // Cancels the rest of a long response.
    if (method === "GET") controller.abort();
    document.removeEventListener("securitypolicyviolation", onViolation);
  }
}
