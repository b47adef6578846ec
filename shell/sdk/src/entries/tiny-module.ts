import type { TinyPlatform } from "../../types/tiny.ts";
import { createTiny } from "./tiny.ts";

/** The SDK of this page. */
export const platform: TinyPlatform = createTiny(window, PLATFORM_SDK_VERSION);
