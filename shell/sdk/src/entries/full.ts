import type { Platform } from "../../types/full.ts";
import { createCore } from "../core.ts";
import type { Page } from "../link.ts";
import { createLogger } from "../logger.ts";
import { createOverlays } from "../overlay.ts";
import { createStorage } from "../storage.ts";

/** The whole library over a window. */
export function createPlatform(page: Page, version: string): Platform {
  const core = createCore(page, version);
  const { surface, start, tell } = core;
  const own: Omit<Platform, keyof typeof surface> = {
    init: start,
    login: (options = {}) => tell("PLATFORM_LOGIN", options),
    logout: () => tell("PLATFORM_LOGOUT", {}),
    updatePreferences: (change) => tell("PLATFORM_PREFERENCES_UPDATE", change),
    getLogger: (name) => createLogger(name, () => surface.settings?.developer.enabled === true),
    version,
    ...createOverlays(page, core),
    ...createStorage(core),
  };
  // What the surface tells by getters is read when it is asked for.
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(surface)) as Platform;
}
