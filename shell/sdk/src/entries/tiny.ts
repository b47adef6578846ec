import type { TinyPlatform } from "../../types/tiny.ts";
import { createCore } from "../core.ts";
import type { Page } from "../link.ts";

/**
 * Creates the tiny SDK and starts it. The attributes `data-shell-origins` and `data-router` of its script element replace the
 * options of `init`.
 */
export function createTiny(page: Page, version: string): TinyPlatform {
  const { surface, start } = createCore(page, version);
  const { shellOrigins, router } = page.document.currentScript?.dataset ?? {};
  void start({
    ...(shellOrigins !== undefined && { shellOrigins: shellOrigins.split(/[\s,]+/).filter(Boolean) }),
    ...(router === "hash" && { router }),
  });
  return surface;
}
