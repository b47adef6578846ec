import { ExpirationPlugin } from "workbox-expiration";
import { cleanupOutdatedCaches, matchPrecache, precache } from "workbox-precaching";
import { createPartialResponse, RangeRequestsPlugin } from "workbox-range-requests";
import { registerRoute, setCatchHandler } from "workbox-routing";
import { CacheFirst, StaleWhileRevalidate } from "workbox-strategies";
import { isAsset, isNavigation, isSiteFile } from "./requests.ts";

// The service worker: the shell opens without a network, and is never older than it has to be. The command puts the list of files
// in. What is on the list is kept at installation, and answered where the network does not.

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

const navigationLimitMs = 3000;

cleanupOutdatedCaches();
precache(self.__WB_MANIFEST);

registerRoute(isNavigation, async ({ request }) => {
  const response = await fetchInTime(request);
  if (response !== undefined && response.status !== 404) return response;
  // A host may have words of its own for addresses that have no file: they have the shell of all others.
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

/** A waiting version takes over when a person asks for it, never by itself. */
self.addEventListener("message", ({ data }) => {
  if (data?.type === "SKIP_WAITING") void self.skipWaiting();
});

/** A file of the list, or the range of it that a player asks for. */
async function precachedFile(request: Request): Promise<Response | undefined> {
  const precached = await matchPrecache(request);
  return precached && request.headers.has("range") ? await createPartialResponse(request, precached) : precached;
}

/** Each navigation has the same shell: what a page answered is not kept. */
async function shellPage(): Promise<Response> {
  return (await matchPrecache("/index.html")) ?? (await matchPrecache("/offline.html")) ?? Response.error();
}

/** The answer, unless none begins in time. One that began may take as long as it needs. */
async function fetchInTime(request: Request): Promise<Response | undefined> {
  const late = new Promise<undefined>((done) => setTimeout(done, navigationLimitMs));
  return await Promise.race([fetch(request).catch(() => undefined), late]);
}
