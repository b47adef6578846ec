import type { Platform } from "../../types/full.ts";
import { createCommands } from "../commands.ts";
import { createCore } from "../core.ts";
import type { Page } from "../link.ts";
import { createLogger } from "../logger.ts";
import { createOverlays } from "../overlay.ts";
import { createStorage } from "../storage.ts";

/** Creates the full SDK for a window. */
export function createPlatform(page: Page, version: string): Platform {
  const core = createCore(page, version);
  const { surface, start, send } = core;
  const additions: Omit<Platform, keyof typeof surface> = {
    init: start,
    login: (options = {}) => send("PLATFORM_LOGIN", options),
    logout: () => send("PLATFORM_LOGOUT", {}),
    updatePreferences: (change) => send("PLATFORM_PREFERENCES_UPDATE", change),
    getLogger: (name) => createLogger(name, () => surface.settings?.developer.enabled === true),
    version,
    ...createCommands(page, core),
    ...createOverlays(page, core),
    ...createStorage(core),
  };
  // Copy property descriptors, so that getters are evaluated on access.
  return Object.defineProperties(additions, Object.getOwnPropertyDescriptors(surface)) as Platform;
}
