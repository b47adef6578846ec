import { useT } from "../i18n/use-t.ts";
import { useSessionState } from "../shell/viewer.ts";
import { Blank } from "../ui/surfaces.tsx";

/** The person may not see this: who they are is said, and the way back. */
export function NoAccess() {
  const t = useT();
  const { user } = useSessionState();
  return (
    <Blank
      icon="shield"
      title={t("noAccess.title")}
      actions={
        <a class="button secondary" href="/">
          <span>{t("noAccess.home")}</span>
        </a>
      }
    >
      {user === null ? t("noAccess.text") : t("noAccess.person", { email: user.email })}
    </Blank>
  );
}
