import type { ComponentChildren } from "preact";
import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { asRefusal, type Refusal } from "../session/refusal.ts";
import type { CommandLine } from "../session/sign-in.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { isAddress, type PendingLink, sentLink } from "./link/pending-link.ts";
import { type Methods, providerName } from "./methods.ts";
import { ProviderIcon } from "./provider-icon.tsx";

type Props = {
  methods: Methods;
  /** used last in this browser */
  last: string | null;
  next: string;
  cli: CommandLine | null;
  sent: (pending: PendingLink) => void;
  fail: (refusal: Refusal | null) => void;
};

/** Buttons for providers and the wallet, a form for the link; what was used last stands first. */
export function MethodList({ methods, last, next, cli, sent, fail }: Props) {
  const { session } = useShell();
  const t = useT();
  const [busy, setBusy] = useState<string | null>(null);
  const run = async (name: string, work: () => Promise<unknown> | undefined, stays = false) => {
    setBusy(name);
    fail(null);
    try {
      await work();
      // The page is on its way out.
      if (stays) return;
    } catch (error) {
      fail(asRefusal(error));
    }
    setBusy(null);
  };
  const nameOf = (id: string) => providerName(id) ?? t("login.oidc");
  const buttons = methods.providers.map((id) => (
    <Button
      key={id}
      size="large"
      wide
      class="login-provider"
      busy={busy === id}
      onClick={() => void run(id, () => session?.startOAuth({ provider: id, next, ...(cli && { cli }) }), true)}
    >
      <ProviderIcon id={id} />
      <span>{t("login.with", { name: nameOf(id) })}</span>
      {id === last && methods.providers.length > 1 ? <small>{t("login.last")}</small> : null}
    </Button>
  ));
  const wallet =
    methods.wallet && cli === null ? (
      <Button
        size="large"
        wide
        busy={busy === "web3"}
        icon="wallet"
        onClick={() => void run("web3", () => session?.signInWithWallet())}
      >
        {t("login.wallet")}
      </Button>
    ) : null;
  const others =
    buttons.length === 0 && wallet === null ? null : <div class="login-buttons">{[...buttons, wallet]}</div>;
  const form = methods.link ? (
    <LinkForm
      busy={busy === "link"}
      send={(email, language) =>
        void run("link", async () => {
          await session?.requestMagicLink({ email, next, language, ...(cli && { cli }) });
          sent(sentLink(email, null));
        })
      }
    />
  ) : null;
  const order = last === "magic_link" ? [form, others] : [others, form];
  const shown = order.filter((part) => part !== null);
  return (
    <>
      {shown[0]}
      {shown.length > 1 ? <Or>{t("login.or")}</Or> : null}
      {shown[1]}
    </>
  );
}

function Or({ children }: { children: ComponentChildren }) {
  return <div class="login-or">{children}</div>;
}

function LinkForm({ busy, send }: { busy: boolean; send: (email: string, language: string) => void }) {
  const { language, session } = useShell();
  const t = useT();
  const { code } = useStore(language);
  const [email, setEmail] = useState(() => session?.takeLastEmail() ?? "");
  const [wrong, setWrong] = useState(false);
  return (
    <form
      class="login-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const isRight = isAddress(email);
        setWrong(!isRight);
        if (isRight && !busy) send(email.trim(), code);
        if (!isRight) event.currentTarget.querySelector("input")?.focus();
      }}
    >
      <TextField
        label={t("login.email")}
        error={wrong ? t("login.emailInvalid") : undefined}
        class="large"
        type="email"
        name="email"
        autocomplete="email"
        autocapitalize="none"
        inputmode="email"
        enterkeyhint="send"
        spellcheck={false}
        maxLength={254}
        value={email}
        onInput={(event) => {
          setEmail(event.currentTarget.value);
          setWrong(false);
        }}
      />
      <Button type="submit" variant="primary" size="large" wide busy={busy} icon="mail">
        {t("login.send")}
      </Button>
    </form>
  );
}
