// Sample mails of all presets. scripts/designs.ts and tests use this file; no Worker imports it.

import { EMAIL_LANGUAGES } from "../../../../schemas/email/content/catalog-texts";
import { PRESETS } from "../../../../schemas/email/content/presets";
import { exampleVariables } from "../../content/catalog/examples";
import { ownEvent } from "../../content/event-types/own-event";
import { LIBRARY_DESIGNS } from "../../content/library/designs/designs";
import { adaptedMail, type SampleMail } from "../../content/library/samples";
import { PRESETS_BY_NAME } from "../../content/presets/presets";
import { presetType } from "./preset";

/** Returns the mail of each preset in each language: in its default design, and then in its other designs. */
export function presetMails(options: Parameters<typeof adaptedMail>[3] = {}): SampleMail[] {
  const rank = ({ preset, key }: { preset: (typeof PRESETS)[number]; key: string }) =>
    Math.sign(PRESETS_BY_NAME[preset].designs.indexOf(key));
  const mails = PRESETS.flatMap((preset) => PRESETS_BY_NAME[preset].designs.map((key) => ({ preset, key })));
  return mails
    .sort((a, b) => rank(a) - rank(b))
    .flatMap(({ preset, key }) =>
      EMAIL_LANGUAGES.map((language) => {
        const design = LIBRARY_DESIGNS.find((candidate) => candidate.key === key);
        if (design === undefined) throw new Error(`${preset}: no design ${key}`);
        const event = ownEvent(presetType(preset, language));
        const variables = exampleVariables(event, language, []);
        const mail = adaptedMail(design, event, language, { ...options, variables });
        return { ...mail, name: `${preset} ${key}` };
      }),
    );
}
