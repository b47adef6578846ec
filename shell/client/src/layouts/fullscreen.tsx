import type { ComponentChildren } from "preact";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { Button } from "../ui/button.tsx";
import { AccountMenu } from "./account-menu.tsx";
import "./fullscreen.css";

/** Content alone. Palette and account stand before it for the keyboard, and are seen when they are focused. */
export function FullscreenLayout({ children }: { children: ComponentChildren }) {
  const { openPalette } = useShell();
  const t = useT();
  return (
    <div class="shell full">
      <header class="full-tools">
        <Button icon="search" onClick={() => openPalette()}>
          {t("palette.open")}
        </Button>
        <AccountMenu />
      </header>
      <div class="page">{children}</div>
    </div>
  );
}
