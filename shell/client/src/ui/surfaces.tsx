import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-names.ts";

/** A group of related content. */
export function Card({
  title,
  children,
  class: extra,
}: {
  title?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    <section class={["card", extra].filter(Boolean).join(" ")}>
      {title === undefined ? null : <h2>{title}</h2>}
      {children}
    </section>
  );
}

const noticeIcons = {
  info: "info",
  success: "circle-check",
  warning: "triangle-alert",
  danger: "circle-alert",
} as const satisfies Record<string, IconName>;

/** A banner in the page. `code` is a small text with details for support. */
export function Notice({
  kind = "info",
  title,
  children,
  actions,
  code,
}: {
  kind?: keyof typeof noticeIcons;
  title?: ComponentChildren;
  children?: ComponentChildren;
  actions?: ComponentChildren;
  code?: string | undefined;
}) {
  return (
    <div class={`notice ${kind}`} role={kind === "danger" ? "alert" : "status"}>
      <Icon name={noticeIcons[kind]} />
      <div>
        {title === undefined ? null : <strong>{title}</strong>}
        {children === undefined ? null : <div>{children}</div>}
        {code === undefined ? null : <div class="mono tiny muted">{code}</div>}
        {actions === undefined ? null : <div class="notice-actions">{actions}</div>}
      </div>
    </div>
  );
}

/** A message in place of a view that is empty, denied or failed. By default, its heading is the heading of the page. */
export function Blank({
  icon,
  title,
  children,
  actions,
  code,
  level: Heading = "h1",
}: {
  icon: IconName;
  title: ComponentChildren;
  children?: ComponentChildren;
  actions?: ComponentChildren;
  code?: string | undefined;
  level?: "h1" | "h2";
}) {
  return (
    <div class="blank">
      <span class="blank-icon">
        <Icon name={icon} size={20} />
      </span>
      <Heading tabIndex={-1}>{title}</Heading>
      {children === undefined ? null : <p class="muted">{children}</p>}
      {actions === undefined ? null : <div class="blank-actions">{actions}</div>}
      {code === undefined ? null : <div class="mono tiny muted">{code}</div>}
    </div>
  );
}

/**
 * A placeholder for loading content. `width` is in px or percent, `height` in px. Both are attributes, because the content
 * security policy forbids inline styles in the first paint.
 */
export function Skeleton({ width = "100%", height = 14 }: { width?: number | `${number}%`; height?: number }) {
  return <svg class="skeleton" width={width} height={height} aria-hidden="true" />;
}
