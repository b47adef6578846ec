import { APP_SECTION_PREFIX, settingsSections } from "../../../../schemas/shell/settings-sections.ts";
import type { MessageKey } from "../i18n/translate.ts";
import { useT } from "../i18n/use-t.ts";
import { canOpen, itemsOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useViewer } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import type { IconName } from "../ui/icon-names.ts";

export type SectionGroup = "applications" | "preferences" | "system" | "developer";
export type Section = { id: string; group: SectionGroup; title: string; icon: IconName };

type SectionId = (typeof settingsSections)[number];
type SectionDefinition = { id: SectionId; group: SectionGroup; title: MessageKey; icon: IconName };

const sections: Record<SectionId, Omit<SectionDefinition, "id">> = {
  appearance: { group: "preferences", title: "settings.appearance", icon: "palette" },
  "language-and-region": { group: "preferences", title: "settings.language", icon: "globe" },
  "data-privacy": { group: "preferences", title: "settings.privacy", icon: "shield" },
  account: { group: "preferences", title: "account.settings", icon: "circle-user" },
  storage: { group: "preferences", title: "settings.storage", icon: "hard-drive" },
  updates: { group: "system", title: "settings.updates", icon: "download" },
  advanced: { group: "system", title: "settings.advanced", icon: "settings" },
  "legal-documents": { group: "system", title: "settings.legal", icon: "file-text" },
  developer: { group: "developer", title: "settings.developer", icon: "terminal" },
  "service-worker": { group: "developer", title: "settings.worker", icon: "refresh-cw" },
};

const definitions = settingsSections.map((id) => ({ id, ...sections[id] }));

/** Returns the sections that the user can open, in order. Addresses of other sections show the not-found view. */
export function useSections(): Section[] {
  const { page, settings } = useShell();
  const t = useT();
  const text = useText();
  const viewer = useViewer();
  const { config, target } = useStore(page);
  const developer = useStore(settings, ({ developerMode }) => developerMode === true);
  const applicable: Partial<Record<SectionId, boolean>> = {
    account: viewer.signedIn,
    storage: viewer.signedIn && config.storage?.showInSettings === true,
    "legal-documents": Object.keys(config.legalDocuments ?? {}).length > 0,
    developer,
    "service-worker": developer && target === "web",
  };
  const applications = itemsOf(config.navigation)
    .filter(
      ({ item }) => item.settings !== undefined && canOpen(item, viewer) && (viewer.signedIn || !item.requiresAuth),
    )
    .map(
      ({ item }): Section => ({
        id: `${APP_SECTION_PREFIX}${item.path}`,
        group: "applications",
        title: text(item.label),
        icon: "layout-grid",
      }),
    );
  const shellSections = definitions
    .filter(({ id }) => applicable[id] !== false)
    .map((section): Section => ({ ...section, title: t(section.title) }));
  return [...applications, ...shellSections];
}
