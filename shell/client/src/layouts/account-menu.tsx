import { useT } from "../i18n/use-t.ts";
import { loginAddress } from "../router/next.ts";
import { addressText } from "../router/router.ts";
import { adminPath } from "../router/routes.ts";
import { useShell } from "../shell/context.ts";
import { phaseOf, useSessionState, useViewer } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { Skeleton } from "../ui/surfaces.tsx";

/** Menu of the signed-in user, or a link to the sign-in. Renders nothing without a backend. */
export function AccountMenu({ compact = false }: { compact?: boolean }) {
  const { page, router } = useShell();
  const t = useT();
  const { config } = useStore(page);
  const state = useSessionState();
  const here = useStore(router, addressText);
  const entries = useAccountEntries();
  if (config.backend === undefined) return null;
  const phase = phaseOf(state);
  if (phase === "waiting")
    return (
      <div class="account" aria-hidden="true">
        <Skeleton width={24} height={24} />
        <span class="nav-text">
          <Skeleton width={96} height={12} />
        </span>
      </div>
    );
  if (phase !== "in" || state.user === null)
    return (
      <a class="account nav-link" href={loginAddress(here)} title={compact ? t("account.signIn") : undefined}>
        <Icon name="log-in" />
        <span class="nav-text">{t("account.signIn")}</span>
      </a>
    );
  const { name, email, avatarUrl } = state.user;
  const displayName = name || email;
  return (
    <Menu
      label={t("account.menu", { name: displayName })}
      openerClass="account"
      end={compact}
      entries={entries}
      head={
        <div class="account-head">
          <strong>{displayName}</strong>
          {name ? <div class="muted tiny">{email}</div> : null}
        </div>
      }
      opener={
        <>
          <Avatar name={displayName} url={avatarUrl} />
          <span class="nav-text" dir="auto">
            {displayName}
          </span>
          <span class="nav-outer">
            <Icon name="chevrons-up-down" size={14} />
          </span>
        </>
      }
    />
  );
}

/** Returns the actions of a signed-in user: settings, administration, sign out. */
export function useAccountEntries(): MenuEntry[] {
  const { page, session } = useShell();
  const t = useT();
  const viewer = useViewer();
  const admin = adminPath(useStore(page).config);
  if (!viewer.signedIn) return [];
  const canManage = admin !== undefined && (viewer.isStaff || viewer.isCompanyOwner);
  return [
    { key: "account", text: t("account.settings"), icon: "circle-user", href: "/__settings/account" },
    { key: "settings", text: t("settings.title"), icon: "settings", href: "/__settings" },
    ...(canManage ? [{ key: "admin", text: t("admin.title"), icon: "shield" as const, href: `/${admin}` }] : []),
    "line",
    { key: "out", text: t("account.signOut"), icon: "log-out", onSelect: () => void session?.logout() },
  ];
}

/** The picture of a user, else the first letter of the name. */
export function Avatar({ name, url }: { name: string; url: string | null }) {
  if (url?.startsWith("https:"))
    return <img class="avatar" src={url} alt="" width={24} height={24} referrerpolicy="no-referrer" />;
  return <span class="avatar" data-letter={[...name][0]?.toUpperCase()} aria-hidden="true" />;
}
