import { useT } from "../i18n/use-t.ts";
import { LoginPage } from "../login/login-page.tsx";
import { useShell } from "../shell/context.ts";
import { shellTitle } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import { Skeleton } from "../ui/surfaces.tsx";

/** The first paint and loading state of the sign-in page: everything that does not depend on a response. */
export function LoginSkeleton() {
  const { backend } = useStore(useShell().page).config;
  return <LoginPage step="loading">{backend === undefined ? null : <FormSkeleton />}</LoginPage>;
}

/** The placeholder of the form until the sign-in methods are known. */
export function FormSkeleton() {
  const { page } = useShell();
  const t = useT();
  const { title } = useStore(page).config;
  return (
    <>
      <h1>{t("login.title", { title: shellTitle(title) })}</h1>
      <div class="login-form" aria-busy="true">
        <span class="visually-hidden">{t("common.loading")}</span>
        <Skeleton width={120} height={16} />
        <Skeleton height={40} />
        <Skeleton height={40} />
      </div>
    </>
  );
}
