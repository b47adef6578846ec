import { useEffect, useState } from "react";
import { needsDecision } from "../consent/consent.ts";
import { useT } from "../i18n/use-t.ts";
import { useRoute } from "../navigation/use-navigation.ts";
import { loginAddress } from "../router/next.ts";
import { addressText } from "../router/router.ts";
import { useShell } from "../shell/context.ts";
import { useFading } from "../shell/fade.ts";
import { lazy } from "../shell/lazy.tsx";
import { useSessionState } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { FloatingLayer } from "./floating-layer.tsx";
import { ToastList } from "./toast-list.tsx";

const Palette = lazy(async () => (await import("../palette/palette.tsx")).Palette);
const ConsentBanner = lazy(async () => (await import("../consent/consent-banner.tsx")).ConsentBanner);
const OverlayView = lazy(async () => (await import("./overlay-view.tsx")).OverlayView);
const AppDialogView = lazy(async () => (await import("./app-dialog.tsx")).AppDialogView);
const Expired = lazy(async () => (await import("./expired.tsx")).Expired);

/** Layers above every view: overlays, dialogs, toasts, the palette, the connection status. */
export function GlobalLayers({ title }: { title: string }) {
  const { palette, overlays, dialogs, consent, page, router, session } = useShell();
  const { config } = useStore(page);
  const { status } = useSessionState();
  const isUndecided = needsDecision(config, useStore(consent));
  const isConsentPage = useRoute().view === "consent";
  // Only closing fades: opening has a CSS animation and must not wait.
  const overlay = useFading(
    "overlay",
    useStore(overlays),
    (openOverlay) => openOverlay?.id,
    (_, to) => to === null,
  );
  const signIn = () => {
    const here = addressText(router.get());
    session?.acknowledgeEnd();
    router.navigate(loginAddress(here));
  };
  return (
    <>
      {overlay === null ? null : <OverlayView overlay={overlay} />}
      {useStore(dialogs) === null ? null : <AppDialogView />}
      {useStore(palette) ? <Palette /> : null}
      {status === "expired" ? <Expired signIn={signIn} /> : null}
      {isUndecided && !isConsentPage ? <ConsentBanner /> : null}
      <FloatingLayer>
        <Connection reconnecting={status === "reconnecting"} />
        <ToastList />
      </FloatingLayer>
      <div class="visually-hidden" aria-live="polite">
        {title}
      </div>
    </>
  );
}

/** Shows that the network is down or the service does not respond. */
function Connection({ reconnecting }: { reconnecting: boolean }) {
  const { session } = useShell();
  const t = useT();
  const [offline, setOffline] = useState(false);
  useEffect(() => {
    const update = () => setOffline(!navigator.onLine);
    update();
    addEventListener("online", update);
    addEventListener("offline", update);
    return () => {
      removeEventListener("online", update);
      removeEventListener("offline", update);
    };
  }, []);
  return (
    <div class="connection" role="status">
      {offline ? (
        <div class="pill">
          <Icon name="wifi-off" />
          <span>{t("connection.offline")}</span>
        </div>
      ) : reconnecting ? (
        <div class="pill">
          <Icon name="loader-circle" />
          <span>{t("connection.reconnecting")}</span>
          <Button size="small" variant="quiet" onClick={() => void session?.refresh()}>
            {t("common.retry")}
          </Button>
        </div>
      ) : null}
    </div>
  );
}
