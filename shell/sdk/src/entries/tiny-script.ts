import type { TinyPlatform } from "../../types/tiny.ts";
import { createTiny } from "./tiny.ts";

declare global {
  /** the SDK of this page, set by the script */
  var platform: TinyPlatform;
}

globalThis.platform = createTiny(window, PLATFORM_SDK_VERSION);
