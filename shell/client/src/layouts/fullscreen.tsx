import type { ComponentChildren } from "preact";
import { useT } from "../i18n/use-t.ts";
import { useRoute } from "../navigation/use-navigation.ts";
import { useShell } from "../shell/context.ts";
import { Button } from "../ui/button.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";

/**
 * Layout without navigation. Over an application, the palette and account buttons appear only on focus. In views of the shell
 * they are always visible, because there is no other way to leave the view.
 */
export function FullscreenLayout({ children }: { children: ComponentChildren }) {
  const { openPalette } = useShell();
  const t = useT();
  const { view } = useRoute();
  const isShellView = view !== "frame" && view !== "admin" && view !== "start";
  return (
    <div class="shell full">
      <header class={isShellView ? "full-head" : "full-tools"}>
        {isShellView ? <Brand /> : null}
        <Button icon="search" onClick={() => openPalette()}>
          {t("palette.open")}
        </Button>
        <AccountMenu compact={isShellView} />
      </header>
      <div class="page">{children}</div>
    </div>
  );
}
