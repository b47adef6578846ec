// Passes a request to the Worker that its host names, as the edge does: `bare` to the bare Worker, every other host to the apps of
// hosting. Both contenders thus have the same hop.
type Bindings = { APPS: Fetcher; BARE: Fetcher };

export default {
  fetch(request, { APPS, BARE }) {
    return new URL(request.url).hostname === "bare" ? BARE.fetch(request) : APPS.fetch(request);
  },
} satisfies ExportedHandler<Bindings>;
