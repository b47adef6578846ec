import type { PageGroup, PageItem } from "../../../../schemas/shell/page.ts";
import { useT } from "../i18n/use-t.ts";
import { NavIcon } from "../navigation/nav-icon.tsx";
import { useNavigation, useOpening } from "../navigation/use-navigation.ts";
import { toggled } from "../places/pins.ts";
import { itemsOf, pathOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { shellTitle, useText } from "../shell/use-text.ts";
import { useSessionState } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** Above this number of tiles, the page has the headings of the navigation and the last visited items. */
const MAX_PLAIN_TILES = 8;
const MAX_RECENT = 3;

type Section = { title: string; items: PageItem[] };

/** The default start page: lists the items that the user can open. */
export function Welcome() {
  const { page, openPalette } = useShell();
  const t = useT();
  const { config, mode } = useStore(page);
  const { user } = useSessionState();
  const sections = useTileSections();
  const name = shellTitle(config.title);
  return (
    <div class="view">
      <h1 tabIndex={-1}>
        {user?.name ? t("welcome.person", { name: user.name }) : t("welcome.title", { title: name })}
      </h1>
      <p class="muted">{t(sections.length === 0 ? "welcome.empty" : "welcome.text")}</p>
      {sections.map(({ title, items }) => (
        <section key={title} class="tile-section">
          {title === "" ? null : (
            <h2 class="tiles-title" dir="auto">
              {title}
            </h2>
          )}
          <ul class="tiles">
            {items.map((item) => (
              <li key={item.path}>
                <Tile item={item} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div class="row">
        <Button icon="search" onClick={() => openPalette()}>
          {t("palette.open")}
        </Button>
        <span class="muted small keys">
          <kbd>{/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"}</kbd> <kbd>K</kbd>
        </span>
      </div>
      {mode === "development" ? <DeveloperHint /> : null}
    </div>
  );
}

/** Returns the tiles without headings while there are few, else the last visited items and the items by group. */
function useTileSections(): Section[] {
  const { settings } = useShell();
  const t = useT();
  const text = useText();
  const { start, end } = useNavigation();
  const visited = useStore(settings, ({ recent }) => recent) ?? [];
  const listed = itemsOf([...start, ...end]).filter(({ item }) => item.url !== "/__welcome");
  const all = listed.map(({ item }) => item);
  if (all.length === 0) return [];
  if (all.length <= MAX_PLAIN_TILES) return [{ title: "", items: all }];
  const withoutGroup = t("nav.more");
  const titleOf = (groups: readonly PageGroup[]) => groups.map(({ title }) => text(title)).join(" / ") || withoutGroup;
  const titlesOfGroups = listed.map(({ groups }) => titleOf(groups)).filter((title) => title !== withoutGroup);
  const titles = [...new Set([...titlesOfGroups, withoutGroup])];
  const byGroup = titles.map((title) => ({
    title,
    items: listed.filter(({ groups }) => titleOf(groups) === title).map(({ item }) => item),
  }));
  const recent = visited.flatMap((path) => all.filter((item) => item.path === path)).slice(0, MAX_RECENT);
  return [{ title: t("welcome.recent"), items: recent }, ...byGroup].filter(({ items }) => items.length > 0);
}

function Tile({ item }: { item: PageItem }) {
  const { badges } = useShell();
  const t = useT();
  const label = useText()(item.label);
  const isExternal = useOpening()(item) === "external";
  const count = useStore(badges, (all) => all[item.path]);
  return (
    <a
      class="tile"
      href={isExternal ? item.url : pathOf(item)}
      {...(isExternal ? { target: "_blank", rel: "noopener noreferrer" } : {})}
    >
      <NavIcon icon={item.icon} url={item.url} label={label} />
      <span class="nav-text" dir="auto">
        {label}
      </span>
      {count === undefined ? null : (
        <span class="badge">
          <span aria-hidden="true">{count > 99 ? "99+" : count}</span>
          <span class="visually-hidden">{t("nav.badge", { count })}</span>
        </span>
      )}
      <Icon name={isExternal ? "arrow-up-right" : "arrow-right"} size={14} />
    </a>
  );
}

const HINT = "config-file";

/** Tells developers where the navigation is configured, until they close it. */
function DeveloperHint() {
  const { settings } = useShell();
  const t = useT();
  const isDismissed = useStore(settings, ({ dismissed }) => dismissed?.includes(HINT) === true);
  const [before, after] = t("welcome.edit", { file: "\n" }).split("\n");
  if (isDismissed) return null;
  return (
    <div class="notice info hint">
      <Icon name="terminal" />
      <div>
        {before}
        <code>platform.config.ts</code>
        {after}
      </div>
      <IconButton
        icon="x"
        size={14}
        label={t("common.close")}
        onClick={() => settings.set((last) => ({ ...last, dismissed: toggled(last.dismissed, HINT) }))}
      />
    </div>
  );
}
