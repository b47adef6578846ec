import { useT } from "../../i18n/use-t.ts";
import { useShell } from "../../shell/context.ts";
import { Button } from "../../ui/button.tsx";
import type { MethodProps, MethodView } from "./view.ts";

export const web3: MethodView = {
  kind: "buttons",
  isForCli: false,
  View: WalletButton,
};

function WalletButton({ busy, run }: MethodProps) {
  const { session } = useShell();
  const t = useT();
  return (
    <Button
      size="large"
      wide
      busy={busy === "web3"}
      icon="wallet"
      onClick={() => void run("web3", () => session?.signInWithWallet())}
    >
      {t("login.wallet")}
    </Button>
  );
}
