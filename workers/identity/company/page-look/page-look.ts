import { errorName } from "../../../kit/log";
import { type PageLook, pageLook } from "../../../kit/pages/company-look";
import { SECOND_MS } from "../../../kit/time";
import { emailCaller } from "../../mail/outbox/email-service";
import type { IdentityServices } from "../../services";

/** How long a page waits for the email service, in ms. */
const MAX_WAIT_MS = 300;
const FRESH_MS = 60 * SECOND_MS;
/** How long no page asks the email service again after it failed. */
const PAUSE_MS = 15 * SECOND_MS;
const MAX_ENTRIES = 1000;

/**
 * The looks of companies that this isolate read recently, with the time (unix ms) until they are fresh, and the time until which no
 * page asks the email service.
 */
export type PageLooks = { entries: Map<number, { look: PageLook; freshUntil: number }>; pausedUntil: number };

class HttpError extends Error {
  constructor(status: number) {
    super();
    this.name = `http_${status}`;
  }
}

/** Returns an empty cache. */
export const createPageLooks = (): PageLooks => ({ entries: new Map(), pausedUntil: 0 });

/**
 * Returns the look of an existing company, which the email service stores. Never throws: a page without a look is complete. A look
 * that is no longer fresh is returned at once and read again after the response, and a page waits at most 300 ms for the first.
 */
export async function readPageLook(services: IdentityServices, companyId: number): Promise<PageLook> {
  const { pageLooks: cache, clock, waitUntil } = services;
  const now = clock.now();
  const stored = cache.entries.get(companyId);
  if ((stored && stored.freshUntil > now) || cache.pausedUntil > now) return stored?.look ?? {};
  if (stored) {
    // Other requests use the stored look meanwhile.
    stored.freshUntil = now + PAUSE_MS;
    waitUntil(refresh(services, companyId));
    return stored.look;
  }
  return refresh(services, companyId);
}

async function refresh(services: IdentityServices, companyId: number): Promise<PageLook> {
  const { pageLooks: cache, clock, log } = services;
  try {
    const look = await fetchLook(services, companyId);
    cache.entries.delete(companyId);
    const [oldest] = cache.entries.keys();
    if (cache.entries.size >= MAX_ENTRIES && oldest !== undefined) cache.entries.delete(oldest);
    cache.entries.set(companyId, { look, freshUntil: clock.now() + FRESH_MS });
    return look;
  } catch (error) {
    cache.pausedUntil = clock.now() + PAUSE_MS;
    log.warn("branding not read", { cause: errorName(error) });
    return {};
  }
}

async function fetchLook(services: IdentityServices, companyId: number): Promise<PageLook> {
  const call = emailCaller(services);
  if (call === null) return {};
  const response = await call(`/api/v1/branding/page?company_id=${companyId}`, {
    headers: { authorization: `Bearer ${services.settings.emailServiceKey}`, "x-request-id": services.requestId },
    redirect: "manual",
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new HttpError(response.status);
  }
  const { primary_color, logo_url, logo_dark_url } = await response.json<Record<string, unknown>>();
  const urlOf = (value: unknown) => (typeof value === "string" && URL.canParse(value) ? value : "");
  const logos = { logoUrl: urlOf(logo_url), darkLogoUrl: urlOf(logo_dark_url) };
  return pageLook({ primaryColor: String(primary_color), ...logos });
}
