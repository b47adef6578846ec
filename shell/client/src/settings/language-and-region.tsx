import { useState } from "react";
import { nameOf } from "../i18n/language-name.ts";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { usePreferences } from "./use-preferences.ts";

const zonesOf = (): string[] => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The settings for language and time zone. */
export function LanguageAndRegion() {
  const { page, language } = useShell();
  const t = useT();
  const offered = useStore(page).config.language;
  const { code } = useStore(language);
  const [{ region }, set] = usePreferences();
  const [typed, setTyped] = useState(region ?? browserZone());
  const [zones] = useState(zonesOf);
  const matchedZone = zones.find((zone) => zone.toLowerCase() === typed.trim().toLowerCase().replaceAll(" ", "_"));
  const now = new Intl.DateTimeFormat(code, {
    dateStyle: "full",
    timeStyle: "short",
    timeZone: matchedZone ?? "UTC",
  }).format(new Date());
  return (
    <div class="setting-fields">
      <SelectField
        label={t("language.label")}
        value={code}
        onChange={(event) => set({ language: event.currentTarget.value })}
        options={offered.map((tag) => ({ value: tag, text: nameOf(tag) }))}
      />
      <TextField
        label={t("language.zone")}
        list="time-zones"
        value={typed}
        autocomplete="off"
        spellcheck={false}
        help={t("language.now", { now })}
        error={matchedZone === undefined ? t("language.unknownZone") : undefined}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setTyped(value);
          const zone = zones.find(
            (candidate) => candidate.toLowerCase() === value.trim().toLowerCase().replaceAll(" ", "_"),
          );
          if (zone !== undefined) set({ region: zone });
        }}
      />
      <datalist id="time-zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  );
}
