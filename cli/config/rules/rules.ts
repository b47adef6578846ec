import { checkAppearance } from "./appearance.ts";
import { checkBackend } from "./backend.ts";
import type { RuleContext } from "./context.ts";
import { checkFiles } from "./files.ts";
import { checkItems } from "./items.ts";
import { checkLanguages } from "./languages.ts";
import { checkTrust } from "./trust.ts";
import { checkUrls } from "./urls.ts";

/** Judges what values must be beside each other and beside the files around them. Returns the files that are named. */
export function checkRules(context: RuleContext): string[] {
  checkItems(context);
  checkUrls(context);
  checkTrust(context);
  checkBackend(context);
  checkAppearance(context);
  checkLanguages(context);
  return checkFiles(context);
}
