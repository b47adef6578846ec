import type { PageItem } from "../../../../schemas/shell/page.ts";
import { keysOf } from "../commands/commands.ts";
import { useT } from "../i18n/use-t.ts";
import { useAccountEntries } from "../layouts/account-menu.tsx";
import { useCurrentItem, useNavigation, useOpening } from "../navigation/use-navigation.ts";
import { itemsOf, pathOf } from "../router/navigation.ts";
import { loginAddress } from "../router/next.ts";
import { addressText } from "../router/router.ts";
import { useSections } from "../settings/sections.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useViewer } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import type { IconName } from "../ui/icon-names.ts";

const MAX_RECENT = 3;

export type Choice = {
  key: string;
  text: string;
  keywords?: string;
  hint: string;
  icon?: IconName;
  /** the item whose icon is shown */
  item?: Pick<PageItem, "icon" | "url">;
  /** keys of the shortcut */
  keys?: readonly string[];
  run: () => void;
};

/** Choices below a heading. */
export type ChoiceGroup = { title: string; choices: Choice[] };

/**
 * Returns all choices in groups that are not empty: the commands of the visible application, recent items, the other items with
 * the current one last, settings, and the account with the sign-out last.
 */
export function useChoices(): ChoiceGroup[] {
  const t = useT();
  const { recent, others } = useItemChoices();
  return [
    useCommandChoices(),
    { title: t("palette.recent"), choices: recent },
    { title: t("palette.items"), choices: others },
    { title: t("settings.title"), choices: useSettingsChoices() },
    { title: t("account.settings"), choices: useAccountChoices() },
  ].filter(({ choices }) => choices.length > 0);
}

function useCommandChoices(): ChoiceGroup {
  const { commands, frames, page } = useShell();
  const frame = useStore(frames.current);
  const { config } = useStore(page);
  const set = useStore(commands).find(({ owner }) => owner === frame?.id);
  if (frame === null || set === undefined) return { title: "", choices: [] };
  const item = itemsOf(config.navigation).find((entry) => entry.item.path === frame.key)?.item;
  const choices = set.commands.map(
    ({ id, title, icon = item?.icon, shortcut, keywords = "" }): Choice => ({
      key: `command:${id}`,
      text: title,
      keywords,
      hint: frame.label,
      item: { icon, url: item?.url ?? "" },
      ...(shortcut !== undefined && { keys: keysOf(shortcut, navigator.platform) }),
      run: () => set.run(id),
    }),
  );
  return { title: frame.label, choices };
}

function useItemChoices(): { recent: Choice[]; others: Choice[] } {
  const { router, overlays, settings } = useShell();
  const text = useText();
  const { start, end } = useNavigation();
  const opening = useOpening();
  const current = useCurrentItem()?.path;
  const visited = useStore(settings, ({ recent }) => recent) ?? [];
  const all = itemsOf([...start, ...end]).map(({ item, groups }) => {
    const group = groups.map(({ title }) => text(title)).join(" / ");
    const openIn = opening(item);
    const run =
      openIn === "external"
        ? () => void open(item.url, "_blank", "noopener,noreferrer")
        : openIn === "default"
          ? () => router.navigate(pathOf(item))
          : () => overlays.openItem(item);
    const choice: Choice = {
      key: `item:${item.path}`,
      text: text(item.label),
      keywords: group,
      hint: group,
      item,
      run,
    };
    return { path: item.path, choice };
  });
  const recentPaths = visited
    .filter((path) => path !== current && all.some((entry) => entry.path === path))
    .slice(0, MAX_RECENT);
  const choicesOf = (entries: readonly (typeof all)[number][]) => entries.map(({ choice }) => choice);
  const isRest = ({ path }: { path: string }) => path !== current && !recentPaths.includes(path);
  return {
    recent: choicesOf(recentPaths.flatMap((path) => all.filter((entry) => entry.path === path))),
    others: choicesOf([...all.filter(isRest), ...all.filter(({ path }) => path === current)]),
  };
}

function useSettingsChoices(): Choice[] {
  const { router } = useShell();
  const hint = useT()("settings.title");
  return useSections().map(({ id, title, icon }) => ({
    key: `section:${id}`,
    text: title,
    keywords: hint,
    hint,
    icon,
    run: () => router.navigate(`/__settings/${id}`),
  }));
}

function useAccountChoices(): Choice[] {
  const { page, router } = useShell();
  const t = useT();
  const viewer = useViewer();
  const hint = t("account.settings");
  const actions = useAccountEntries().flatMap((entry): Choice[] => {
    if (entry === "line" || typeof entry.text !== "string" || entry.key === "settings" || entry.key === "account")
      return [];
    const run = entry.onSelect ?? (() => router.navigate(entry.href ?? "/"));
    return [{ key: entry.key, text: entry.text, hint, icon: entry.icon ?? "circle-user", run }];
  });
  if (page.get().config.backend === undefined || viewer.signedIn) return actions;
  const signIn = () => router.navigate(loginAddress(addressText(router.get())));
  return [...actions, { key: "in", text: t("account.signIn"), hint, icon: "log-in", run: signIn }];
}
