import { useLayoutEffect, useRef } from "react";

/**
 * Icon of an item. SVG files under `/icons/` are drawn in the colour of the text; other files are images; without one stands the
 * first letter of the label. Styles come by script, since the content policy allows none inside the page.
 */
export function NavIcon({ icon, label }: { icon: string | undefined; label: string }) {
  const ref = useRef<HTMLSpanElement>(null);
  const masked = icon !== undefined && /^\/?icons\/.*\.svg$/.test(icon);
  useLayoutEffect(() => {
    if (masked && ref.current) ref.current.style.maskImage = `url(${JSON.stringify(absolute(icon))})`;
  }, [masked, icon]);
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
