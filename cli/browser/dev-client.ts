import { configEvent, type DevEvent } from "../../schemas/shell/page.ts";
import { hideOverlay, showOverlay } from "./overlay.ts";

// What a page in development loads besides: it follows the server, draws the overlay of a broken edit, hands over what applies in
// place, and reloads what does not. Frames that show a changed file are reloaded alone.

const own = new URL(import.meta.url).searchParams;
const boot = own.get("boot");
let generation = Number(own.get("generation"));

function follow(): void {
  const source = new EventSource("/__dev/events");
  source.onmessage = ({ data }) => apply(JSON.parse(data) as DevEvent);
  addEventListener("pagehide", () => source.close());
  // A page restored from the back/forward cache is outdated.
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

/** Reloads each own frame that shows or loaded one of the files; the page, when it loaded one itself. */
function reloadUsers(paths: string[]): void {
  if (uses(window, paths)) {
    location.reload();
    return;
  }
  for (const frame of document.querySelectorAll("iframe")) {
    const view = ownWindow(frame);
    if (view !== undefined && uses(view, paths)) view.location.reload();
  }
}

function uses(view: Window & typeof globalThis, paths: string[]): boolean {
  const loaded = view.performance.getEntriesByType("resource").map(({ name }) => name);
  return [view.location.href, ...loaded].some((address) => {
    const { origin, pathname } = new URL(address);
    const path = decodeURIComponent(pathname);
    return (
      origin === location.origin && [path, `${path.replace(/\/$/, "")}/index.html`].some((one) => paths.includes(one))
    );
  });
}

/** The window of a frame, when it is on this origin. */
function ownWindow(frame: HTMLIFrameElement): (Window & typeof globalThis) | undefined {
  try {
    const view = frame.contentDocument?.defaultView;
    return view && view.location.origin === location.origin ? view : undefined;
  } catch {
    return undefined;
  }
}

follow();
