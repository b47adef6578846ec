import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { loginAddress } from "../router/next.ts";
import { addressText } from "../router/router.ts";
import { useShell } from "../shell/context.ts";
import { phaseOf, useSessionState } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { Avatar, useAccountEntries } from "./account-menu.tsx";
import { SheetPlace } from "./sheet-place.tsx";

/** The account in the bottom bar: opens a sheet with the actions of the signed-in user, or links to the sign-in. */
export function AccountPlace({ isCurrent }: { isCurrent: boolean }) {
  const { router } = useShell();
  const t = useT();
  const state = useSessionState();
  const here = useStore(router, addressText);
  const entries = useAccountEntries();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (phaseOf(state) === "out")
    return (
      <a class="nav-link" href={loginAddress(here)}>
        <Icon name="log-in" size={20} />
        <span class="nav-text">{t("account.signIn")}</span>
      </a>
    );
  return (
    <>
      <SheetPlace
        icon="circle-user"
        text={t("account.settings")}
        isCurrent={isCurrent}
        isOpen={open}
        onOpen={() => state.user !== null && setOpen(true)}
      />
      {open && state.user !== null ? (
        <Sheet
          title={
            <span class="account-title">
              <Avatar name={state.user.name || state.user.email} url={state.user.avatarUrl} />
              <span dir="auto">{state.user.name || state.user.email}</span>
            </span>
          }
          side="bottom"
          class="more-sheet"
          onClose={close}
        >
          {state.user.name ? <p class="account-email muted small">{state.user.email}</p> : null}
          {entries.map((entry) =>
            entry === "line" ? (
              <hr key="line" class="menu-line" />
            ) : entry.href === undefined ? (
              <button
                key={entry.key}
                type="button"
                class="nav-link"
                onClick={() => {
                  close();
                  entry.onSelect?.();
                }}
              >
                {entry.icon ? <Icon name={entry.icon} /> : null}
                <span class="nav-text">{entry.text}</span>
              </button>
            ) : (
              <a key={entry.key} class="nav-link" href={entry.href} onClick={close}>
                {entry.icon ? <Icon name={entry.icon} /> : null}
                <span class="nav-text">{entry.text}</span>
              </a>
            ),
          )}
        </Sheet>
      ) : null}
    </>
  );
}
