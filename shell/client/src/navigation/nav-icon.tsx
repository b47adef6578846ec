import { useLayoutEffect, useRef } from "react";
import { Icon } from "../ui/icon.tsx";

/**
 * The icon of an item. SVG files under `/icons/` use the text colour; other files are shown as images. An item without an icon
 * shows the first letter of its label; only the settings item has a built-in icon. A script sets the style, because the content
 * security policy forbids inline styles.
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
