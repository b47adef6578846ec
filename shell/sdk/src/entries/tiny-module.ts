import type { TinyPlatform } from "../../types/tiny.ts";
import { createTiny } from "./tiny.ts";

/** The shell around this page. */
export const platform: TinyPlatform = createTiny(window, PLATFORM_SDK_VERSION);
