import type { ComponentChildren } from "preact";
import { resolveText } from "../../../../schemas/shell/page.ts";
import { useT } from "../i18n/use-t.ts";
import { useRoute } from "../navigation/use-navigation.ts";
import { itemsOf, pathOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { shellTitle, useText } from "../shell/use-text.ts";
import { useDocumentTitle, useViewTitle } from "../shell/use-view-title.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";

type Crumb = { key: string; text: string; href?: string | undefined; class?: string | undefined };

/**
 * The breadcrumbs: the groups, the item, and the settings section, legal document or title that the application set. On small
 * screens an arrow that leads back replaces the links, and `brand` is shown when there is no arrow.
 */
export function PageHeader({
  before,
  brand,
  after,
  as: Element = "header",
}: {
  before?: ComponentChildren;
  brand?: ComponentChildren;
  after?: ComponentChildren;
  as?: "header" | "div";
}) {
  const { page, appTitle } = useShell();
  const t = useT();
  const text = useText();
  const { config } = useStore(page);
  const pageTitle = useStore(appTitle);
  const route = useRoute();
  const title = useViewTitle(route);
  const partTitle = useDocumentTitle(route);
  const isPart = (route.view === "settings" || route.view === "legal") && route.rest !== "";
  const groups = itemsOf(config.navigation).find(({ item }) => item === route.item)?.groups ?? [];
  const crumbs: Crumb[] = [
    ...groups.map((group) => ({
      key: `g:${resolveText(group.title, "en", ["en"])}`,
      text: text(group.title),
      href: undefined,
      class: "not-small",
    })),
    {
      key: "item",
      text: title,
      href: isPart ? `/${route.base}` : route.view === "frame" && route.rest !== "" ? pathOf(route.item) : undefined,
    },
    ...(isPart ? [{ key: "part", text: partTitle }] : []),
    ...(pageTitle === null || route.view !== "frame" ? [] : [{ key: "own", text: pageTitle }]),
  ];
  const parent = crumbs.findLast(({ href }, index) => href !== undefined && index < crumbs.length - 1);
  return (
    <Element class="page-header">
      {before}
      {parent?.href === undefined ? brand : null}
      <nav class="crumbs" aria-label={t("nav.where")}>
        {parent?.href === undefined ? null : (
          <a class="icon-button not-wide" href={parent.href} aria-label={t("nav.backTo", { title: parent.text })}>
            <Icon name="arrow-left" size={20} />
          </a>
        )}
        <ol>
          {crumbs.map((crumb, index) => (
            <li
              key={crumb.key}
              class={crumb === parent ? "not-small" : crumb.class}
              aria-current={index === crumbs.length - 1 ? "page" : undefined}
            >
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
      {after}
    </Element>
  );
}
