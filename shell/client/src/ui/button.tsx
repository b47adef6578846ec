import type { ComponentChildren } from "preact";
import type { ComponentProps } from "react";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-names.ts";

type Look = {
  variant?: "primary" | "secondary" | "quiet" | "danger" | "danger-outline";
  /** large: 40 px, for the sign-in pages */
  size?: "small" | "normal" | "large";
  icon?: IconName;
  /** takes the full width */
  wide?: boolean;
  children?: ComponentChildren;
};

const classOf = ({ variant = "secondary", size = "normal", wide }: Look, extra: string | undefined) =>
  ["button", variant, size === "normal" ? "" : size, wide ? "wide" : "", extra ?? ""].filter(Boolean).join(" ");

/** A button. While `busy` it keeps its width and the focus, shows a spinner, and ignores clicks. */
export function Button({
  variant,
  size,
  icon,
  wide,
  busy = false,
  children,
  class: extra,
  onClick,
  ...rest
}: Look & { busy?: boolean } & Omit<ComponentProps<"button">, "size" | "icon">) {
  return (
    <button
      type="button"
      {...(rest as object)}
      class={classOf({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }, asText(extra))}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      <Inside {...(icon && { icon })} busy={busy}>
        {children}
      </Inside>
    </button>
  );
}

/** A link styled as a button. */
export function ButtonLink({
  variant,
  size,
  icon,
  wide,
  children,
  class: extra,
  ...rest
}: Look & Omit<ComponentProps<"a">, "size" | "icon">) {
  return (
    <a
      {...(rest as object)}
      class={classOf({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }, asText(extra))}
    >
      <Inside {...(icon && { icon })} busy={false}>
        {children}
      </Inside>
    </a>
  );
}

/** A square icon button. `label` is its accessible name and tooltip. */
export function IconButton({
  icon,
  label,
  size = 16,
  class: extra,
  ...rest
}: { icon: IconName; label: string; size?: number } & Omit<ComponentProps<"button">, "size" | "icon" | "label">) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...(rest as object)}
      class={["icon-button", asText(extra) ?? ""].filter(Boolean).join(" ")}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}

function Inside({ icon, busy, children }: { icon?: IconName; busy: boolean; children: ComponentChildren }) {
  return (
    <>
      {busy ? (
        <span class="busy">
          <Icon name="loader-circle" />
        </span>
      ) : null}
      {icon ? <Icon name={icon} /> : null}
      {children === undefined ? null : <span>{children}</span>}
    </>
  );
}

const asText = (value: unknown) => (typeof value === "string" ? value : undefined);
