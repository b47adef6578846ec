import type { MessageKey } from "../i18n/translate.ts";
import { useT } from "../i18n/use-t.ts";
import { itemsOf, mayOpen } from "../router/navigation.ts";
import { PANEL } from "../router/routes.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useViewer } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import type { IconName } from "../ui/icon-names.ts";

export type SectionGroup = "applications" | "preferences" | "system" | "developer";
export type Section = { id: string; group: SectionGroup; title: string; icon: IconName };

type Fixed = { id: string; group: SectionGroup; title: MessageKey; icon: IconName };

const fixed = [
  { id: "appearance", group: "preferences", title: "settings.appearance", icon: "palette" },
  { id: "language-and-region", group: "preferences", title: "settings.language", icon: "globe" },
  { id: "data-privacy", group: "preferences", title: "settings.privacy", icon: "shield" },
  { id: "account", group: "preferences", title: "account.settings", icon: "circle-user" },
  { id: "storage", group: "preferences", title: "settings.storage", icon: "hard-drive" },
  { id: "updates", group: "system", title: "settings.updates", icon: "download" },
  { id: "advanced", group: "system", title: "settings.advanced", icon: "settings" },
  { id: "legal-documents", group: "system", title: "settings.legal", icon: "file-text" },
  { id: "developer", group: "developer", title: "settings.developer", icon: "terminal" },
  { id: "service-worker", group: "developer", title: "settings.worker", icon: "refresh-cw" },
] as const satisfies Fixed[];

/** The sections that apply, in their order. One that does not apply has no address either. */
export function useSections(): Section[] {
  const { page, settings } = useShell();
  const t = useT();
  const text = useText();
  const viewer = useViewer();
  const { config, target } = useStore(page);
  const developer = useStore(settings, ({ developerMode }) => developerMode === true);
  const applies: Partial<Record<(typeof fixed)[number]["id"], boolean>> = {
    account: viewer.signedIn,
    storage: viewer.signedIn && config.storage?.showInSettings === true,
    "legal-documents": Object.keys(config.legalDocuments ?? {}).length > 0,
    developer,
    "service-worker": developer && target === "web",
  };
  const applications = itemsOf(config.navigation)
    .filter(
      ({ item }) => item.settings !== undefined && mayOpen(item, viewer) && (viewer.signedIn || !item.requiresAuth),
    )
    .map(
      ({ item }): Section => ({
        id: `${PANEL}${item.path}`,
        group: "applications",
        title: text(item.label),
        icon: "layout-grid",
      }),
    );
  const own = fixed
    .filter(({ id }) => applies[id as keyof typeof applies] !== false)
    .map((section): Section => ({ ...section, title: t(section.title) }));
  return [...applications, ...own];
}
