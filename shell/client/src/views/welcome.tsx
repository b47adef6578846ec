import { useT } from "../i18n/use-t.ts";
import { NavIcon } from "../navigation/nav-icon.tsx";
import { useNavigation, useOpening } from "../navigation/use-navigation.ts";
import { pathOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { shellTitle, useText } from "../shell/use-text.ts";
import { useSessionState } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** The default start page: lists the items that the user can open. */
export function Welcome() {
  const { page, openPalette } = useShell();
  const t = useT();
  const text = useText();
  const { config, mode } = useStore(page);
  const { user } = useSessionState();
  const { items } = useNavigation();
  const opening = useOpening();
  const listed = items.filter(({ url }) => url !== "/__welcome");
  const name = shellTitle(config.title);
  const [before, after] = t("welcome.edit", { file: "\n" }).split("\n");
  return (
    <div class="view">
      <h1 tabIndex={-1}>
        {user?.name ? t("welcome.person", { name: user.name }) : t("welcome.title", { title: name })}
      </h1>
      <p class="muted">{t(listed.length === 0 ? "welcome.empty" : "welcome.text")}</p>
      {listed.length === 0 ? null : (
        <ul class="tiles">
          {listed.map((item) => (
            <li key={item.path}>
              <a
                class="tile"
                href={opening(item) === "external" ? item.url : pathOf(item)}
                {...(opening(item) === "external" ? { target: "_blank", rel: "noopener noreferrer" } : {})}
              >
                <NavIcon icon={item.icon} url={item.url} label={text(item.label)} />
                <span class="nav-text" dir="auto">
                  {text(item.label)}
                </span>
                <Icon name={opening(item) === "external" ? "arrow-up-right" : "arrow-right"} size={14} />
              </a>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <Button icon="search" onClick={() => openPalette()}>
          {t("palette.open")}
        </Button>
        <span class="muted small keys">
          <kbd>{/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"}</kbd> <kbd>K</kbd>
        </span>
      </div>
      {mode === "development" ? (
        <p class="muted small">
          {before}
          <code>platform.config.ts</code>
          {after}
        </p>
      ) : null}
    </div>
  );
}
