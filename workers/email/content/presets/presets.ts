import type { PresetName } from "../../../../schemas/email/content/presets";
import { ACCOUNT_PRESETS } from "./accounts";
import { BILLING_PRESETS } from "./billing";
import { NEWS_PRESETS } from "./news";
import { ORDER_PRESETS } from "./orders";
import type { Preset } from "./preset";

/** The presets by name. Each built-in design is one of the designs of a preset, or the design of an event of the platform. */
export const PRESETS_BY_NAME: Readonly<Record<PresetName, Preset>> = {
  ...ORDER_PRESETS,
  ...BILLING_PRESETS,
  ...ACCOUNT_PRESETS,
  ...NEWS_PRESETS,
};
