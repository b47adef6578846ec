import { useT } from "../../i18n/use-t.ts";
import { useShell } from "../../shell/context.ts";
import { Button } from "../../ui/button.tsx";
import { ProviderIcon } from "../provider-icon.tsx";
import { providerName } from "../provider-names.ts";
import type { MethodProps, MethodView } from "./view.ts";

export const oauth: MethodView = {
  kind: "buttons",
  isForCli: true,
  View: ProviderButtons,
};

function ProviderButtons({ options, last, next, cli, busy, run }: MethodProps) {
  const { session } = useShell();
  const t = useT();
  return (
    <>
      {options.map((id) => (
        <Button
          key={id}
          size="large"
          wide
          class="login-provider"
          busy={busy === id}
          onClick={() => void run(id, () => session?.startOAuth({ provider: id, next, ...(cli && { cli }) }), true)}
        >
          <ProviderIcon id={id} />
          <span>{t("login.with", { name: providerName(id) ?? t("login.oidc") })}</span>
          {id === last && options.length > 1 ? <small>{t("login.last")}</small> : null}
        </Button>
      ))}
    </>
  );
}
