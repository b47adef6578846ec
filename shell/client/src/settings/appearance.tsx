import { useLayoutEffect, useRef } from "react";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import type { Theme } from "../theme/theme.ts";
import { Segments } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { AppearancePreview } from "./appearance-preview.tsx";
import { LanguageAndRegion } from "./language-and-region.tsx";
import { usePreferences } from "./use-preferences.ts";

/** The settings for colour scheme, theme and density with a preview, and for language and region. */
export function Appearance() {
  const { page, appearance, settings } = useShell();
  const t = useT();
  const text = useText();
  const { themes } = useStore(page).config;
  const { themeName, mode } = useStore(appearance);
  const { density = "comfortable" } = useStore(settings);
  const [{ colorScheme = "system" }, set] = usePreferences();
  const all = [{ name: "default", label: t("appearance.default"), theme: undefined as Theme | undefined }].concat(
    themes.map((theme) => ({ name: theme.name, label: text(theme.displayName ?? theme.name), theme })),
  );
  return (
    <>
      <div class="setting">
        <h2>{t("appearance.scheme")}</h2>
        <div>
          <Segments
            label={t("appearance.scheme")}
            value={colorScheme}
            onChange={(next) => set({ colorScheme: next })}
            options={[
              { value: "light", text: <Label icon="sun" text={t("appearance.light")} /> },
              { value: "dark", text: <Label icon="moon" text={t("appearance.dark")} /> },
              { value: "system", text: <Label icon="monitor" text={t("appearance.system")} /> },
            ]}
          />
        </div>
      </div>
      {themes.length === 0 ? null : (
        <div class="setting">
          <h2>{t("appearance.theme")}</h2>
          <fieldset class="themes">
            <legend class="visually-hidden">{t("appearance.theme")}</legend>
            {all.map(({ name, label, theme }) => (
              <label key={name} class="theme">
                <input
                  type="radio"
                  class="visually-hidden"
                  name="theme"
                  checked={name === themeName}
                  onChange={() => set({ themeName: name })}
                />
                <Swatch palette={theme?.colors[mode] ?? {}} mode={mode} />
                <span>{label}</span>
              </label>
            ))}
          </fieldset>
        </div>
      )}
      <div class="setting wide-only">
        <h2>{t("appearance.density")}</h2>
        <div>
          <Segments
            label={t("appearance.density")}
            value={density}
            onChange={(next) => settings.set((last) => ({ ...last, density: next }))}
            options={[
              { value: "comfortable", text: t("appearance.comfortable") },
              { value: "compact", text: t("appearance.compact") },
            ]}
          />
        </div>
      </div>
      <AppearancePreview />
      <div class="setting">
        <h2>{t("settings.language")}</h2>
        <LanguageAndRegion />
      </div>
    </>
  );
}

const Label = ({ icon, text }: { icon: "sun" | "moon" | "monitor"; text: string }) => (
  <>
    <Icon name={icon} />
    {text}
  </>
);

/** The built-in palette, for colours that a theme does not set. Keep the values equal to those in tokens.css. */
const builtIn = {
  light: { background: "oklch(1 0 0)", primary: "oklch(0.52 0.17 262)", sidebarBackground: "oklch(0.978 0.004 260)" },
  dark: {
    background: "oklch(0.185 0.009 260)",
    primary: "oklch(0.7 0.13 262)",
    sidebarBackground: "oklch(0.158 0.008 260)",
  },
};

function Swatch({ palette, mode }: { palette: Partial<Record<string, string>>; mode: "light" | "dark" }) {
  const ref = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const [side, area] = ref.current?.querySelectorAll("i") ?? [];
    const dot = ref.current?.querySelector("b");
    const colors = { ...builtIn[mode], ...palette };
    if (side) side.style.background = colors.sidebarBackground;
    if (area) area.style.background = colors.background;
    if (dot) dot.style.background = colors.primary;
  }, [palette, mode]);
  return (
    <span ref={ref} class="swatch" aria-hidden="true">
      <i />
      <i>
        <b />
      </i>
    </span>
  );
}
