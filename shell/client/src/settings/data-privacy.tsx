import { needsDecision, optionalCookies } from "../consent/consent.ts";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Switch } from "../ui/field.tsx";
import { Card } from "../ui/surfaces.tsx";
import { localData } from "./local-data.ts";

/** The settings for cookie consent and error reporting, and a download of the data stored in this browser. */
export function DataPrivacy() {
  const { page, consent, settings, language } = useShell();
  const t = useT();
  const { config } = useStore(page);
  const record = useStore(consent);
  const { errorReporting = true } = useStore(settings);
  const { code } = useStore(language);
  const optional = optionalCookies(config);
  const accepted = optional.filter(({ host }) => record?.accepted.includes(host));
  const when =
    record === null
      ? ""
      : new Intl.DateTimeFormat(code, { dateStyle: "long", timeStyle: "short" }).format(new Date(record.time));
  return (
    <>
      {config.cookieConsent === undefined ? null : (
        <Card title={t("consent.title")}>
          <p class="muted small">
            {needsDecision(config, record) || record === null
              ? t("privacy.undecided")
              : t("privacy.decided", { accepted: accepted.length, all: optional.length, when })}
          </p>
          <div>
            <a class="button secondary" href="/__cookie-preferences">
              <span>{t("privacy.change")}</span>
            </a>
          </div>
        </Card>
      )}
      {config.errorReporting === undefined ? null : (
        <Card>
          <Switch
            label={t("privacy.errors")}
            help={t("privacy.errorsText")}
            checked={errorReporting}
            onChange={(on) => settings.set((last) => ({ ...last, errorReporting: on }))}
          />
        </Card>
      )}
      <Card title={t("privacy.local")}>
        <p class="muted small">{t("privacy.localText")}</p>
        <div>
          <Button icon="download" onClick={download}>
            {t("privacy.download")}
          </Button>
        </div>
      </Card>
    </>
  );
}

function download() {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(localData(localStorage), null, 2)], { type: "application/json" }),
  );
  const link = document.createElement("a");
  link.href = url;
  link.download = "local-data.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
