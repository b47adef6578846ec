import { useLayoutEffect, useRef } from "react";
import { Icon } from "../ui/icon.tsx";

/**
 * Icon of an item; the settings have a default one. SVG files under `/icons/` use the text colour, other files are images, and
 * items without an icon show the first letter of their label. The style is set by script, because the content policy forbids
 * inline styles.
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
