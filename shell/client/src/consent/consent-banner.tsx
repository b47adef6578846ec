import { useLayoutEffect, useRef } from "react";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Button, IconButton } from "../ui/button.tsx";
import "./consent.css";

/**
 * Asks for consent once, and again when hosts are added. All buttons have the same style. Closing the banner rejects all
 * cookies that are not necessary.
 */
export function ConsentBanner() {
  const { page, consent, router } = useShell();
  const t = useT();
  const { config } = useStore(page);
  const cookies = config.cookieConsent?.cookies ?? [];
  const reject = () => consent.decide(cookies, []);
  const card = useRef<HTMLElement>(null);
  // The page uses this height as bottom padding, so that the banner covers no content.
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const measure = () => style.setProperty("--consent-height", `${card.current?.offsetHeight ?? 0}px`);
    measure();
    const observer = new ResizeObserver(measure);
    if (card.current !== null) observer.observe(card.current);
    return () => {
      observer.disconnect();
      style.removeProperty("--consent-height");
    };
  }, []);
  return (
    <section ref={card} class="consent" aria-label={t("consent.title")}>
      <div class="consent-text">
        <strong>{t("consent.ask")}</strong>
        <p class="small muted">{t("consent.text")}</p>
      </div>
      <IconButton icon="x" label={t("consent.close")} class="consent-close" onClick={reject} />
      <div class="consent-actions">
        <Button
          onClick={() =>
            consent.decide(
              cookies,
              cookies.map(({ host }) => host),
            )
          }
        >
          {t("consent.accept")}
        </Button>
        <Button onClick={reject}>{t("consent.reject")}</Button>
        <Button onClick={() => router.navigate("/__cookie-preferences")}>{t("consent.preferences")}</Button>
      </div>
    </section>
  );
}
