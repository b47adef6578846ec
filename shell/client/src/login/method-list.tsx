import type { ComponentChildren } from "preact";
import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import type { Offered } from "../session/methods/catalog.ts";
import { type ServiceError, toServiceError } from "../session/service-error.ts";
import type { CommandLine } from "../session/sign-in.ts";
import type { PendingLink } from "./link/pending-link.ts";
import { methodViews } from "./methods/catalog.ts";
import type { MethodProps } from "./methods/view.ts";

type Props = {
  methods: readonly Offered[];
  /** method or provider that was last used in this browser */
  last: string | null;
  next: string;
  cli: CommandLine | null;
  onSent: (pending: PendingLink) => void;
  onError: (error: ServiceError | null) => void;
};

/** The forms and buttons of the methods. The group with the last used method is first. */
export function MethodList({ methods, last, next, cli, onSent, onError }: Props) {
  const t = useT();
  const [busy, setBusy] = useState<string | null>(null);
  const run: MethodProps["run"] = async (name, work, isLeavingPage = false) => {
    setBusy(name);
    onError(null);
    try {
      await work();
      // The browser is already leaving the page.
      if (isLeavingPage) return;
    } catch (error) {
      onError(toServiceError(error));
    }
    setBusy(null);
  };
  const partsOf = (kind: "form" | "buttons") =>
    methods.flatMap(({ method, options }) => {
      const { View, isForCli, ...view } = methodViews[method];
      if (view.kind !== kind || (cli !== null && !isForCli)) return [];
      const props = { options, last, next, cli, busy, run, onSent };
      return [{ method, part: <View key={method} {...props} /> }];
    });
  const [forms, buttons] = [partsOf("form"), partsOf("buttons")];
  const buttonGroup = buttons.length === 0 ? [] : [<div class="login-buttons">{buttons.map(({ part }) => part)}</div>];
  const formParts = forms.map(({ part }) => part);
  const isFormLast = forms.some(({ method }) => method === last);
  const ordered: ComponentChildren[] = isFormLast ? [...formParts, ...buttonGroup] : [...buttonGroup, ...formParts];
  return (
    <>
      {ordered.map((part, index) => (
        <>
          {index > 0 ? <div class="login-or">{t("login.or")}</div> : null}
          {part}
        </>
      ))}
    </>
  );
}
