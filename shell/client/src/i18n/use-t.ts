import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import type { Translate } from "./translate.ts";

/** Returns the translation function of the current language. */
export function useT(): Translate {
  return useStore(useShell().language).t;
}
