import { useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import { useShell } from "../../shell/context.ts";
import type { LayoutName } from "../../shell/settings.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, Switch, TextField } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { readToken } from "./read-token.ts";
import { ServiceWorker } from "./service-worker.tsx";

/** Tools for application developers: layout, logs, the claims of the access token, the service worker. */
export function Developer() {
  const { settings, page } = useShell();
  const t = useT();
  const { layout, logs = "", pauseRefresh = false } = useStore(settings);
  const { config, target } = useStore(page);
  return (
    <>
      <SelectField
        label={t("developer.layout")}
        value={layout ?? ""}
        onChange={(event) => {
          const { value } = event.currentTarget;
          settings.set(({ layout: _, ...rest }) => (value === "" ? rest : { ...rest, layout: value as LayoutName }));
        }}
        options={[
          { value: "", text: t("developer.configured", { layout: config.layout }) },
          ...["sidebar", "app-bar", "fullscreen"].map((name) => ({ value: name, text: name })),
        ]}
      />
      <TextField
        label={t("developer.logs")}
        help={t("developer.logsText")}
        value={logs}
        spellcheck={false}
        onInput={(event) => {
          const { value } = event.currentTarget;
          settings.set((last) => ({ ...last, logs: value }));
        }}
      />
      {config.backend === undefined ? null : (
        <>
          <Card>
            <Switch
              label={t("developer.pause")}
              help={t("developer.pauseText")}
              checked={pauseRefresh}
              onChange={(on) => settings.set((last) => ({ ...last, pauseRefresh: on }))}
            />
          </Card>
          <Token />
        </>
      )}
      {target === "web" ? <ServiceWorker /> : null}
      <a class="tile" href="/__diagnostics">
        <Icon name="info" />
        <span class="nav-text">{t("diagnostics.title")}</span>
        <Icon name="arrow-right" size={14} />
      </a>
    </>
  );
}

function Token() {
  const { session, toasts, language } = useShell();
  const t = useT();
  const { code } = useStore(language);
  const [token, setToken] = useState<string | null>(null);
  const [isVisible, setIsVisible] = useState(false);
  const show = async () => {
    setToken((await session?.getAccessToken({}))?.accessToken ?? null);
    setIsVisible(true);
  };
  const copyToken = async () => {
    await navigator.clipboard.writeText(token ?? "");
    toasts.show({ title: t("common.copied"), kind: "success" });
  };
  return (
    <Card title={t("developer.token")}>
      {isVisible ? (
        <pre class="token mono">{token === null ? t("developer.noToken") : readToken(token, code)}</pre>
      ) : null}
      <div class="row">
        <Button onClick={() => void show()}>{t(isVisible ? "developer.readAgain" : "developer.read")}</Button>
        {token === null ? null : (
          <Button icon="copy" onClick={() => void copyToken()}>
            {t("developer.copyToken")}
          </Button>
        )}
      </div>
    </Card>
  );
}
