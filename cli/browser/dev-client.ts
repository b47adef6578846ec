import { configEvent, type DevEvent } from "../../schemas/shell/page.ts";
import { hideOverlay, showOverlay } from "./overlay.ts";

// Pages load this client in development. It receives events from the server, shows configuration errors in an overlay,
// and applies changes in place or reloads the page. If only a frame loaded a changed file, it reloads that frame.

const clientParams = new URL(import.meta.url).searchParams;
const boot = clientParams.get("boot");
let generation = Number(clientParams.get("generation"));

function follow(): void {
  const source = new EventSource("/__dev/events");
  source.onmessage = ({ data }) => apply(JSON.parse(data) as DevEvent);
  addEventListener("pagehide", () => source.close());
  // A page restored from the back/forward cache has missed events.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}

function apply(event: DevEvent): void {
  switch (event.type) {
    case "state":
      // The server was restarted, or a change happened while the page was disconnected.
      if (event.boot !== boot || event.generation > generation) location.reload();
      else if (event.findings.length > 0) showOverlay(event.findings);
      else hideOverlay();
      return;
    case "config":
      generation = event.generation;
      hideOverlay();
      dispatchEvent(new CustomEvent(configEvent, { detail: event.page }));
      return;
    case "reload":
      location.reload();
      return;
    case "moved":
      location.port = String(event.port);
      return;
    case "static":
      reloadUsers(event.paths);
      return;
    case "broken":
      showOverlay(event.findings);
  }
}

/** Reloads the page if it loaded one of the files. Otherwise reloads each same-origin frame that loaded one. */
function reloadUsers(paths: string[]): void {
  if (hasLoaded(window, paths)) {
    location.reload();
    return;
  }
  for (const frame of document.querySelectorAll("iframe")) {
    const view = sameOriginWindow(frame);
    if (view !== undefined && hasLoaded(view, paths)) view.location.reload();
  }
}

function hasLoaded(view: Window & typeof globalThis, paths: string[]): boolean {
  const loaded = view.performance.getEntriesByType("resource").map(({ name }) => name);
  return [view.location.href, ...loaded].some((address) => {
    const { origin, pathname } = new URL(address);
    const path = decodeURIComponent(pathname);
    return (
      origin === location.origin &&
      [path, `${path.replace(/\/$/, "")}/index.html`].some((candidate) => paths.includes(candidate))
    );
  });
}

/** Returns the window of a frame on this origin, else undefined. */
function sameOriginWindow(frame: HTMLIFrameElement): (Window & typeof globalThis) | undefined {
  try {
    const view = frame.contentDocument?.defaultView;
    return view && view.location.origin === location.origin ? view : undefined;
  } catch {
    return undefined;
  }
}

follow();
