import type { DialogContent } from "../../../schemas/shell/messages.ts";
import type { DialogAnswer, Platform } from "../types/full.ts";
import type { createCore } from "./core.ts";
import type { Page } from "./link.ts";
import { done, failed } from "./result.ts";

const answers: Record<string, DialogAnswer> = {
  PLATFORM_DIALOG_OK: "ok",
  PLATFORM_DIALOG_CANCEL: "cancel",
  PLATFORM_DIALOG_SECONDARY: "secondary",
};

type Core = ReturnType<typeof createCore>;
type Overlays = Pick<Platform, "dialog" | "openModal" | "closeModal" | "openDrawer" | "closeDrawer" | "overlay">;

/** Creates the methods for dialogs, modals and drawers. */
export function createOverlays(page: Page, { link, ready, send }: Core): Overlays {
  return {
    dialog(initialOptions) {
      const id = link.newId();
      let options: DialogContent = { mode: "okCancel", ...initialOptions };
      const answer = ready.then(() =>
        link.request(
          "PLATFORM_DIALOG",
          options,
          ({ type }) => {
            const choice = answers[type];
            return choice && done(choice);
          },
          0,
          id,
        ),
      );
      return Object.assign(answer, {
        async update(change: Partial<DialogContent>) {
          await ready;
          options = { ...options, ...change };
          return link.post("PLATFORM_DIALOG_UPDATE", { ...options, id }) ? done(null) : failed("not_embedded");
        },
      });
    },
    openModal: (request) => send("PLATFORM_OPEN_MODAL", request),
    closeModal: () => send("PLATFORM_CLOSE_MODAL", {}),
    openDrawer: (request) => send("PLATFORM_OPEN_DRAWER", request),
    closeDrawer: () => send("PLATFORM_CLOSE_DRAWER", {}),
    overlay: {
      async autoSize(element = page.document.body) {
        await ready;
        const measure = () => {
          const height = Math.ceil(element.getBoundingClientRect().height);
          if (height > 0) link.post("PLATFORM_OVERLAY_SIZE", { height });
        };
        const observer = new page.ResizeObserver(measure);
        observer.observe(element);
        return link.isOpen() ? done(() => observer.disconnect()) : failed("not_embedded");
      },
    },
  };
}
