import type { PageItem } from "../../../../schemas/shell/page.ts";
import type { Frame } from "../frames/frame.ts";
import { levelOfItem, levelOfOverlay, type OverlayTarget, overlayTarget, type TrustLevel } from "../frames/trust.ts";
import type { Shell } from "../shell/shell.ts";
import { textOf } from "../shell/use-text.ts";
import { createStore, type Readable } from "../store.ts";

export type OverlaySize = "sm" | "md" | "lg" | "full" | `${number}${"px" | "rem" | "em" | "vw" | "vh" | "%"}`;
export type OverlayPosition = "right" | "left" | "top" | "bottom";

/** The open overlay. At most one is open; opening another one replaces it. */
export type Overlay = {
  id: number;
  kind: "modal" | "drawer";
  position: OverlayPosition;
  size: OverlaySize;
  title: string;
  /** name shown above dialogs of the page inside; not the title, because the opener may choose the title */
  speaker: string;
  dismissible: boolean;
  url: string;
  target: OverlayTarget;
  level: TrustLevel;
  /** the frame that opened the overlay */
  opener: Frame | null;
  item?: PageItem;
  /** size in px that the page inside requested */
  requestedSize?: { height: number; width?: number };
};

export type OverlayRequest = {
  kind: "modal" | "drawer";
  url: string;
  title?: string;
  size?: OverlaySize;
  dismissible?: boolean;
  position?: OverlayPosition;
};

export type Overlays = Readable<Overlay | null> & {
  /** Opens an item in an overlay. */
  openItem: (item: PageItem) => void;
  /** Opens an overlay for an application and returns its id. If `level` is undefined, it is derived from the opener. */
  open: (request: OverlayRequest, opener: Frame | null, level?: TrustLevel) => number;
  close: () => void;
  /** Sets the size that the page inside requests, px. */
  resize: (height: number, width: number | undefined) => void;
};

/** Creates the overlays of a shell. Navigation closes the open overlay. */
export function createOverlays(shell: Pick<Shell, "page" | "language" | "router">): Overlays {
  const current = createStore<Overlay | null>(null);
  let count = 0;
  const showOverlay = (overlay: Omit<Overlay, "id" | "target">) => {
    const { config, mode } = shell.page.get();
    count += 1;
    current.set({ ...overlay, id: count, target: overlayTarget(overlay.url, config, location.origin, mode) });
  };
  shell.router.subscribe(() => {
    if (shell.router.get().cause !== "frame") current.set(null);
  });
  return {
    get: current.get,
    subscribe: current.subscribe,
    openItem(item) {
      const kind = item.openIn === "drawer" ? "drawer" : "modal";
      const size = kind === "drawer" ? "md" : "lg";
      const title = textOf(shell as Shell, item.label);
      showOverlay({
        kind,
        size,
        title,
        speaker: title,
        position: item.drawerPosition,
        dismissible: true,
        url: item.url,
        level: levelOfItem(item),
        opener: null,
        item,
      });
    },
    open({ kind, url, title, size, dismissible = true, position = "right" }, opener, requestedLevel) {
      const absolute = URL.canParse(url, location.origin) ? new URL(url, location.origin).href : undefined;
      const level =
        requestedLevel ?? (opener === null || absolute === undefined ? "none" : levelOfOverlay(opener, absolute));
      const origin = absolute === undefined ? "" : new URL(absolute).origin;
      // Dialogs of a page must not show the name of another origin.
      const speaker = opener?.origin === origin ? (opener.speaker ?? opener.label) : origin;
      const details = { title: title ?? opener?.label ?? "", speaker, size: size ?? "md" };
      showOverlay({ kind, url, ...details, position, dismissible, level, opener });
      return count;
    },
    close: () => current.set(null),
    resize: (height, width) =>
      current.set((last) => last && { ...last, requestedSize: { height, ...(width === undefined ? {} : { width }) } }),
  };
}
