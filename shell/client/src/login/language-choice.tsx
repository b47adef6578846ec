import { nameOf } from "../i18n/language-name.ts";
import { useT } from "../i18n/use-t.ts";
import { usePreferences } from "../settings/use-preferences.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";

/**
 * Selects the language on the sign-in page and stores it as a preference. Renders nothing when only one language is offered.
 */
export function LanguageChoice() {
  const { page, language } = useShell();
  const t = useT();
  const offered = useStore(page).config.language;
  const { code } = useStore(language);
  const [, set] = usePreferences();
  if (offered.length < 2) return null;
  return (
    <div class="login-language">
      <Icon name="globe" />
      <select
        aria-label={t("language.label")}
        value={code}
        onChange={({ currentTarget }) => set({ language: currentTarget.value })}
      >
        {offered.map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {nameOf(tag)}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size={14} />
    </div>
  );
}
