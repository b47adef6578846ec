import { useState } from "react";
import type { MessageKey } from "../i18n/translate.ts";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Switch } from "../ui/field.tsx";
import { Blank } from "../ui/surfaces.tsx";
import { type Cookie, optionalCookies } from "./consent.ts";
import { formatCookieLifetime } from "./cookie-lifetime.ts";
import "./consent.css";

const categories = ["strict_necessary", "functional_performance", "targeting", "social_media_embedded"] as const;

/** Lists the cookie of each host with a switch. Necessary cookies are always on. */
export function ConsentPage() {
  const { page, consent, toasts } = useShell();
  const t = useT();
  const { config } = useStore(page);
  const record = useStore(consent);
  const cookies = config.cookieConsent?.cookies ?? [];
  const [accepted, setAccepted] = useState(() => new Set(record?.accepted ?? []));
  if (cookies.length === 0)
    return (
      <Blank icon="cookie" title={t("consent.title")}>
        {t("consent.none")}
      </Blank>
    );
  const save = (hosts: Iterable<string>) => {
    const chosen = new Set(hosts);
    setAccepted(chosen);
    consent.decide(cookies, [...chosen]);
    toasts.show({ title: t("consent.saved"), kind: "success" });
  };
  const toggle = (host: string, on: boolean) => {
    const next = new Set(accepted);
    if (on) next.add(host);
    else next.delete(host);
    setAccepted(next);
  };
  return (
    <div class="view">
      <h1 tabIndex={-1}>{t("consent.title")}</h1>
      <p class="muted">{t("consent.text")}</p>
      {categories.map((category) => {
        const categoryCookies = cookies.filter((cookie) => cookie.category === category);
        return categoryCookies.length === 0 ? null : (
          <section key={category} class="card">
            <div>
              <h2>{t(`consent.${category}` as MessageKey)}</h2>
              <p class="muted small">{t(`consent.${category}.text` as MessageKey)}</p>
            </div>
            {categoryCookies.map((cookie) => (
              <CookieRow
                key={cookie.host}
                cookie={cookie}
                checked={category === "strict_necessary" || accepted.has(cookie.host)}
                onChange={(on) => toggle(cookie.host, on)}
              />
            ))}
          </section>
        );
      })}
      <div class="consent-actions">
        <Button onClick={() => save(optionalCookies(config).map(({ host }) => host))}>{t("consent.accept")}</Button>
        <Button onClick={() => save([])}>{t("consent.reject")}</Button>
        <Button variant="primary" onClick={() => save(accepted)}>
          {t("consent.save")}
        </Button>
      </div>
    </div>
  );
}

function CookieRow({
  cookie,
  checked,
  onChange,
}: {
  cookie: Cookie;
  checked: boolean;
  onChange: (on: boolean) => void;
}) {
  const { code, t } = useStore(useShell().language);
  const text = useText();
  const { host, name, provider = host, durationSeconds, description, category } = cookie;
  const facts =
    durationSeconds === 0
      ? t("consent.cookieOfSession", { name, host })
      : t("consent.cookie", { name, host, time: formatCookieLifetime(durationSeconds, code) });
  return (
    <Switch
      label={provider}
      checked={checked}
      disabled={category === "strict_necessary"}
      onChange={onChange}
      help={
        <>
          {description === undefined ? null : <div>{text(description)}</div>}
          <div>{facts}</div>
        </>
      }
    />
  );
}
