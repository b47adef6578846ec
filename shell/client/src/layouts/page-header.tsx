import type { ComponentChildren } from "preact";
import { resolveText } from "../../../../schemas/shell/page.ts";
import { useT } from "../i18n/use-t.ts";
import { useRoute } from "../navigation/use-navigation.ts";
import { itemsOf, pathOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { shellTitle, useText } from "../shell/use-text.ts";
import { useViewTitle } from "../shell/use-view-title.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";

/** The breadcrumbs: the groups, the item, and the title that the application set. */
export function PageHeader({ before, as: Element = "header" }: { before?: ComponentChildren; as?: "header" | "div" }) {
  const { page, appTitle } = useShell();
  const t = useT();
  const text = useText();
  const { config } = useStore(page);
  const pageTitle = useStore(appTitle);
  const route = useRoute();
  const title = useViewTitle(route);
  const groups = itemsOf(config.navigation).find(({ item }) => item === route.item)?.groups ?? [];
  const crumbs = [
    ...groups.map((group) => ({
      key: `g:${resolveText(group.title, "en", ["en"])}`,
      text: text(group.title),
      href: undefined,
      class: "not-small",
    })),
    {
      key: "item",
      text: title,
      href: route.view === "frame" && route.rest !== "" ? pathOf(route.item) : undefined,
      class: undefined,
    },
    ...(pageTitle === null || route.view !== "frame"
      ? []
      : [{ key: "own", text: pageTitle, href: undefined, class: undefined }]),
  ];
  return (
    <Element class="page-header">
      {before}
      <nav class="crumbs" aria-label={t("nav.where")}>
        <ol>
          {crumbs.map((crumb, index) => (
            <li key={crumb.key} class={crumb.class} aria-current={index === crumbs.length - 1 ? "page" : undefined}>
              {index === 0 ? null : <Icon name="chevron-right" size={12} />}
              {crumb.href === undefined ? (
                <span dir="auto">{crumb.text}</span>
              ) : (
                <a href={crumb.href} dir="auto">
                  {crumb.text}
                </a>
              )}
            </li>
          ))}
        </ol>
      </nav>
      {route.view === "admin" ? (
        <a class="button quiet small" href="/">
          <Icon name="arrow-left" />
          <span>{t("admin.back", { title: shellTitle(config.title) })}</span>
        </a>
      ) : null}
    </Element>
  );
}
