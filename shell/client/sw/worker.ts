import { ExpirationPlugin } from "workbox-expiration";
import { cleanupOutdatedCaches, matchPrecache, precache } from "workbox-precaching";
import { createPartialResponse, RangeRequestsPlugin } from "workbox-range-requests";
import { registerRoute, setCatchHandler } from "workbox-routing";
import { CacheFirst, StaleWhileRevalidate } from "workbox-strategies";
import { isAsset, isNavigation, isSiteFile } from "./requests.ts";

// The service worker. It lets the shell open offline. Navigations prefer the network, so that the page is up to date. The build
// inserts the list of files that are cached at installation.

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

const navigationLimitMs = 3000;

cleanupOutdatedCaches();
precache(self.__WB_MANIFEST);

registerRoute(isNavigation, async ({ request }) => {
  const response = await fetchInTime(request);
  if (response !== undefined && response.status !== 404) return response;
  // The host may have no page for this address. The shell's page replaces the host's 404 page.
  const start = response && (await fetchInTime(new Request("/")));
  return start?.ok && !start.redirected ? start : await shellPage();
});

const assets = new CacheFirst({ cacheName: "platform-assets", plugins: [new ExpirationPlugin({ maxEntries: 120 })] });
registerRoute(isAsset, async (route) => (await matchPrecache(route.request)) ?? (await assets.handle(route)));

registerRoute(
  isSiteFile,
  new StaleWhileRevalidate({
    cacheName: "platform-files",
    plugins: [
      new ExpirationPlugin({ maxEntries: 60 }),
      new RangeRequestsPlugin(),
      { handlerDidError: async ({ request }) => await precachedFile(request) },
    ],
  }),
);
setCatchHandler(async () => Response.error());

/** A waiting version activates only when the user requests it. */
self.addEventListener("message", ({ data }) => {
  if (data?.type === "SKIP_WAITING") void self.skipWaiting();
});

/** Returns a precached file, or the range of it that a media player requests. */
async function precachedFile(request: Request): Promise<Response | undefined> {
  const precached = await matchPrecache(request);
  return precached && request.headers.has("range") ? await createPartialResponse(request, precached) : precached;
}

/** Returns the precached page. All addresses share this page, so the responses to navigations are not cached. */
async function shellPage(): Promise<Response> {
  return (await matchPrecache("/index.html")) ?? (await matchPrecache("/offline.html")) ?? Response.error();
}

/** Returns the response, or undefined if it fails or does not start within 3 seconds. The body may take longer. */
async function fetchInTime(request: Request): Promise<Response | undefined> {
  const timeout = new Promise<undefined>((done) => setTimeout(done, navigationLimitMs));
  return await Promise.race([fetch(request).catch(() => undefined), timeout]);
}
