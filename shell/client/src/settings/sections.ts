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

/** Sections that are a part of another one. Their addresses show that section. */
const joined = { "language-and-region": "appearance", updates: "advanced", "service-worker": "developer" } as const;

type SectionId = Exclude<(typeof settingsSections)[number], keyof typeof joined>;
type SectionDefinition = { id: SectionId; group: SectionGroup; title: MessageKey; icon: IconName };

const sections: Record<SectionId, Omit<SectionDefinition, "id">> = {
  appearance: { group: "preferences", title: "settings.appearance", icon: "palette" },
  "data-privacy": { group: "preferences", title: "settings.privacy", icon: "shield" },
  account: { group: "preferences", title: "account.settings", icon: "circle-user" },
  storage: { group: "preferences", title: "settings.storage", icon: "hard-drive" },
  advanced: { group: "system", title: "settings.advanced", icon: "monitor" },
  "legal-documents": { group: "system", title: "settings.legal", icon: "file-text" },
  developer: { group: "developer", title: "settings.developer", icon: "terminal" },
};

const isJoined = (id: string): id is keyof typeof joined => Object.hasOwn(joined, id);
const definitions = settingsSections.flatMap((id) => (isJoined(id) ? [] : { id, ...sections[id] }));

/** Returns the section that the address `/__settings/<id>` shows. */
export const findSection = (sections: Section[], id: string): Section | undefined =>
  sections.find((section) => section.id === (isJoined(id) ? joined[id] : id));

/** Returns the sections that the user can open, in order. Addresses of other sections show the not-found view. */
export function useSections(): Section[] {
  const { page, settings } = useShell();
  const t = useT();
  const text = useText();
  const viewer = useViewer();
  const { config } = useStore(page);
  const developer = useStore(settings, ({ developerMode }) => developerMode === true);
  const applicable: Partial<Record<SectionId, boolean>> = {
    account: viewer.signedIn,
    storage: viewer.signedIn && config.storage?.showInSettings === true,
    "legal-documents": Object.keys(config.legalDocuments ?? {}).length > 0,
    developer,
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
