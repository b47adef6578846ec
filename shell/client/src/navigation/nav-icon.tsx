import { useLayoutEffect, useRef } from "react";
import { Icon } from "../ui/icon.tsx";

/**
 * Icon of an item; the shell's own settings have one where the configuration names none. SVG files under `/icons/` are drawn in the colour of the text; other files are images; without one stands the
 * first letter of the label. Styles come by script, since the content policy allows none inside the page.
 */
export function NavIcon({ icon, url, label }: { icon: string | undefined; url: string | undefined; label: string }) {
  const ref = useRef<HTMLSpanElement>(null);
  const masked = icon !== undefined && /^\/?icons\/.*\.svg$/.test(icon);
  useLayoutEffect(() => {
    if (masked && ref.current) ref.current.style.maskImage = `url(${JSON.stringify(absolute(icon))})`;
  }, [masked, icon]);
  if (icon === undefined && url === "/__settings") return <Icon name="settings" />;
  if (icon === undefined)
    return (
      <span class="nav-letter" aria-hidden="true">
        {[...label][0]?.toUpperCase()}
      </span>
    );
  if (masked) return <span ref={ref} class="nav-mask" aria-hidden="true" />;
  return <img class="nav-image" src={absolute(icon)} alt="" width={16} height={16} />;
}

const absolute = (icon: string) => (/^(https?:|\/)/.test(icon) ? icon : `/${icon}`);
