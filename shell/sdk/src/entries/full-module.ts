import type { Platform } from "../../types/full.ts";
import { createPlatform } from "./full.ts";

/** The SDK of this page. */
export const platform: Platform = createPlatform(window, PLATFORM_SDK_VERSION);
