import { useLayoutEffect, useRef } from "react";
import { Framed } from "../frames/framed.tsx";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { Blank } from "../ui/surfaces.tsx";
import { BuiltInView } from "../views/built-in-view.tsx";
import { stylesOf } from "./overlay-size.ts";
import type { Overlay } from "./overlays.ts";

/** What stands over the page. */
export function OverlayView({ overlay }: { overlay: Overlay }) {
  return <Open key={overlay.id} overlay={overlay} />;
}

function Open({ overlay }: { overlay: Overlay }) {
  const { overlays } = useShell();
  const { kind, title, dismissible, position } = overlay;
  const close = () => overlays.close();
  const inside = <Inside overlay={overlay} />;
  if (kind === "drawer")
    return (
      <Sheet title={title} side={position} class="overlay" dismissible={dismissible} onClose={close}>
        {inside}
      </Sheet>
    );
  return (
    <Dialog title={title} class="overlay" dismissible={dismissible} onClose={close}>
      {inside}
    </Dialog>
  );
}

function Inside({ overlay }: { overlay: Overlay }) {
  const t = useT();
  const ref = useRef<HTMLDivElement>(null);
  const { kind, position, size, target, title, level, item, wished, id } = overlay;
  // Sizes are set by script: the content policy allows no styles inside the page.
  useLayoutEffect(() => {
    const room = ref.current;
    const { window: outer, room: inner } = stylesOf(overlay);
    for (const [name, value] of Object.entries(outer)) room?.closest("dialog")?.style.setProperty(name, value);
    for (const [name, value] of Object.entries(inner)) room?.style.setProperty(name, value);
  }, [kind, position, size, wished]);
  return (
    <div ref={ref} class="overlay-room">
      {target.kind === "view" ? (
        <BuiltInView path={target.path} />
      ) : target.kind === "frame" ? (
        <Framed
          spec={{
            kind: "overlay",
            key: item?.path ?? `overlay:${id}`,
            label: title,
            url: target.url,
            level,
            permissions: item?.permissions,
            sandbox: item?.sandbox,
          }}
        />
      ) : (
        <Blank
          icon="shield"
          level="h2"
          title={t("overlay.refused")}
          actions={
            /^https?:\/\//i.test(overlay.url) ? (
              <a class="button secondary" href={overlay.url} target="_blank" rel="noopener noreferrer">
                <span>{t("common.openTab")}</span>
                <Icon name="arrow-up-right" />
              </a>
            ) : undefined
          }
        >
          {t("overlay.refusedText")}
        </Blank>
      )}
    </div>
  );
}
