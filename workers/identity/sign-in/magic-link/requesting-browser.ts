import type { RequestingBrowser } from "../../../../db/identity/schema";
import { sha256Hex, timingSafeEqual } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { clientContext } from "../../caller/client/client-context";
import { deviceOf } from "../../caller/client/device";
import type { IdentityServices } from "../../services";
import { readTokenCookie, tokenCookie } from "../completion/cookie";

const COOKIE = "platform_browser";

/**
 * Returns the requesting browser, and the cookie that identifies it during the link's lifetime (`lifeMs`). Only a browser
 * that posts a form or sends a request from our own origin gets a new cookie, because other clients would not store it.
 */
export async function readRequestingBrowser(
  services: IdentityServices,
  request: Request,
  lifeMs: number,
): Promise<{ requestingBrowser: RequestingBrowser; cookie: string | null }> {
  const present = readTokenCookie(services, request, COOKIE);
  const isBrowser = request.headers.get("sec-fetch-site") === "same-origin" || request.headers.has("cookie");
  const mark = present ?? (isBrowser ? randomToken() : null);
  const { userAgent, country } = clientContext(request);
  return {
    requestingBrowser: {
      device: deviceOf(userAgent),
      country,
      browser_hash: mark === null ? null : await sha256Hex(mark),
    },
    cookie: mark === null ? null : tokenCookie(services, request, COOKIE, mark, Math.ceil(lifeMs / 1000)),
  };
}

/** Returns whether this browser requested the link. */
export async function isSameBrowser(
  services: IdentityServices,
  request: Request,
  from: RequestingBrowser | null,
): Promise<boolean> {
  const mark = readTokenCookie(services, request, COOKIE);
  return mark !== null && from?.browser_hash != null && timingSafeEqual(from.browser_hash, await sha256Hex(mark));
}
