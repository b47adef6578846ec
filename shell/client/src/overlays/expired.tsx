import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Shown when the session ended during use. The content remains visible until the user signs in again. */
export function Expired({ signIn }: { signIn: () => void }) {
  const t = useT();
  const [isDismissed, setIsDismissed] = useState(false);
  if (isDismissed) return null;
  return (
    <Dialog
      title={t("expired.title")}
      description={t("expired.text")}
      onClose={() => setIsDismissed(true)}
      actions={
        <>
          <Button onClick={() => setIsDismissed(true)}>{t("expired.stay")}</Button>
          <Button variant="primary" onClick={signIn}>
            {t("account.signIn")}
          </Button>
        </>
      }
    />
  );
}
