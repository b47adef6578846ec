import type { TinyPlatform } from "../../types/tiny.ts";
import { createCore } from "../core.ts";
import type { Page } from "../link.ts";

/** The small build: it begins by itself. `data-shell-origins` and `data-router` of the script's element say what `init` would. */
export function createTiny(page: Page, version: string): TinyPlatform {
  const { surface, start } = createCore(page, version);
  const { shellOrigins, router } = page.document.currentScript?.dataset ?? {};
  void start({
    ...(shellOrigins !== undefined && { shellOrigins: shellOrigins.split(/[\s,]+/).filter(Boolean) }),
    ...(router === "hash" && { router }),
  });
  return surface;
}
