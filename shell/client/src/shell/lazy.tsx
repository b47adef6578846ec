import { type ComponentType, useEffect, useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { Button } from "../ui/button.tsx";
import { Blank } from "../ui/surfaces.tsx";

const noop = () => undefined;

/**
 * Returns a component whose code loads on first render. It shows `Fallback` meanwhile, and an error with a retry button if
 * loading fails. `preload` starts loading early.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback: ComponentType = () => null,
) {
  let loaded: ComponentType<Props> | undefined;
  const fetchPart = async () => {
    loaded ??= await load();
    return loaded;
  };
  function Lazy(props: Props) {
    const [part, setPart] = useState(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      let isMounted = true;
      if (part !== undefined || failed) return undefined;
      fetchPart().then(
        (component) => isMounted && setPart(() => component),
        () => isMounted && setFailed(true),
      );
      return () => {
        isMounted = false;
      };
    }, [part, failed]);
    if (failed) return <LoadFailed retry={() => setFailed(false)} />;
    const Part = part;
    return Part === undefined ? <Fallback /> : <Part {...props} />;
  }
  return Object.assign(Lazy, { preload: () => fetchPart().then(noop, noop) });
}

function LoadFailed({ retry }: { retry: () => void }) {
  const t = useT();
  return (
    <Blank icon="wifi-off" title={t("load.title")} actions={<Button onClick={retry}>{t("common.retry")}</Button>}>
      {t("load.text")}
    </Blank>
  );
}
