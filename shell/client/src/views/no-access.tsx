import { useT } from "../i18n/use-t.ts";
import { loginAddress } from "../router/next.ts";
import { addressText } from "../router/router.ts";
import { useShell } from "../shell/context.ts";
import { useSessionState } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Blank } from "../ui/surfaces.tsx";

/** Shown when the user may not open a view. Names the account, and links to the start page. Signed-out users can sign in. */
export function NoAccess() {
  const t = useT();
  const { page, router } = useShell();
  const { user } = useSessionState();
  const { backend } = useStore(page).config;
  const here = useStore(router, addressText);
  return (
    <Blank
      icon="shield"
      title={t("noAccess.title")}
      actions={
        <>
          {backend === undefined || user !== null ? null : (
            <ButtonLink variant="primary" href={loginAddress(here)}>
              {t("account.signIn")}
            </ButtonLink>
          )}
          <ButtonLink href="/">{t("noAccess.home")}</ButtonLink>
        </>
      }
    >
      {user === null ? t("noAccess.text") : t("noAccess.person", { email: user.email })}
    </Blank>
  );
}
