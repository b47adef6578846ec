import { useT } from "../i18n/use-t.ts";
import { useNavigation } from "../navigation/use-navigation.ts";
import { pathOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { Button } from "../ui/button.tsx";
import { Blank } from "../ui/surfaces.tsx";

const MAX_ITEMS = 6;

/** Shown for unknown addresses, with links to other items. It never redirects. */
export function NotFound() {
  const { openPalette } = useShell();
  const t = useT();
  const text = useText();
  const { items } = useNavigation();
  return (
    <Blank
      icon="search"
      title={t("notFound.title")}
      actions={
        <>
          {items
            .filter(({ openIn }) => openIn !== "external")
            .slice(0, MAX_ITEMS)
            .map((item) => (
              <a key={item.path} class="button secondary" href={pathOf(item)}>
                <span>{text(item.label)}</span>
              </a>
            ))}
          <Button icon="search" variant="quiet" onClick={() => openPalette()}>
            {t("palette.open")}
          </Button>
        </>
      }
    >
      {t("notFound.text")}
    </Blank>
  );
}
