import { icons } from "virtual:lucide";
import { createElement } from "react";
import type { IconName } from "./icon-names.ts";

/** An icon in the text colour, 16 px by default. Screen readers announce it if it has a `label`. */
export function Icon({ name, size = 16, label }: { name: IconName; size?: number; label?: string }) {
  const ariaProps = label === undefined ? { "aria-hidden": true } : { role: "img" as const, "aria-label": label };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the icon has an aria-label or is hidden from screen readers
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width={24 / 16 + 0.25}
      stroke-linecap="round"
      stroke-linejoin="round"
      {...ariaProps}
    >
      {icons[name]?.map(([tag, attributes]) => createElement(tag, { key: JSON.stringify(attributes), ...attributes }))}
    </svg>
  );
}
