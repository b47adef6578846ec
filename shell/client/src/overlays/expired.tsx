import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** The session ended while it was in use. What is on the screen stays until the person agrees to leave it. */
export function Expired({ signIn }: { signIn: () => void }) {
  const t = useT();
  const [later, setLater] = useState(false);
  if (later) return null;
  return (
    <Dialog
      title={t("expired.title")}
      description={t("expired.text")}
      onClose={() => setLater(true)}
      actions={
        <>
          <Button onClick={() => setLater(true)}>{t("expired.stay")}</Button>
          <Button variant="primary" onClick={signIn}>
            {t("account.signIn")}
          </Button>
        </>
      }
    />
  );
}
