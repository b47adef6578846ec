import { checkAppearance } from "./appearance.ts";
import { checkBackend } from "./backend.ts";
import type { RuleContext } from "./context.ts";
import { checkFiles } from "./files.ts";
import { checkItems } from "./items.ts";
import { checkLanguages } from "./languages.ts";
import { checkTrust } from "./trust.ts";
import { checkUrls } from "./urls.ts";

/**
 * Runs the rules that compare values with each other and with files. Returns the files that the configuration names.
 */
export function checkRules(context: RuleContext): string[] {
  checkItems(context);
  checkUrls(context);
  checkTrust(context);
  checkBackend(context);
  checkAppearance(context);
  checkLanguages(context);
  return checkFiles(context);
}
