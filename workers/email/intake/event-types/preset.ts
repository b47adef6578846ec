import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { PublicPreset } from "../../../../schemas/email/content/event-types";
import { PRESET_PREFIX, type PresetName } from "../../../../schemas/email/content/presets";
import { PRESETS_BY_NAME } from "../../content/presets/presets";
import { presentFields } from "./event-type.present";
import type { EventTypeInput } from "./event-type-input";
import { readVariableInputs } from "./variables-input";

/** Returns the event type that a preset creates. The samples are in the default language. */
export function presetType(preset: PresetName, language: EmailLanguage = "en"): EventTypeInput {
  const { labels, description, variables, designs, texts } = PRESETS_BY_NAME[preset];
  const [design] = designs;
  if (design === undefined) throw new Error(`${preset}: no design`);
  return {
    event_type: `${PRESET_PREFIX}.${preset}`,
    labels,
    description,
    variables: readVariableInputs(variables((en, fr) => (language === "fr" ? fr : en))),
    default_language: language,
    default_template: design,
    texts,
  };
}

/** Returns the API representation of a preset. */
export function presentPreset(preset: PresetName): PublicPreset {
  const suitable_templates = [...PRESETS_BY_NAME[preset].designs];
  return { preset, ...presentFields(presetType(preset)), suitable_templates };
}
