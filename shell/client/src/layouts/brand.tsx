import { useShell } from "../shell/context.ts";
import { shellTitle } from "../shell/use-text.ts";
import { useStore } from "../store.ts";

/** Logo or name of the application, linked to the start page. */
export function Brand({ class: extra }: { class?: string }) {
  const { title, logo } = useStore(useShell().page).config;
  const name = shellTitle(title);
  const { light, dark } = typeof logo === "string" ? { light: logo, dark: logo } : (logo ?? {});
  const letter = [...name][0]?.toUpperCase();
  return (
    <a href="/" class={["brand", extra].filter(Boolean).join(" ")}>
      {light === undefined || dark === undefined ? (
        <>
          <span class="brand-mark" aria-hidden="true">
            {letter}
          </span>
          <span class="brand-name" dir="auto">
            {name}
          </span>
        </>
      ) : (
        <>
          <span class="brand-mark narrow" aria-hidden="true">
            {letter}
          </span>
          <img class="brand-logo for-light" src={light} alt={name} height={24} />
          <img class="brand-logo for-dark" src={dark} alt={name} height={24} />
        </>
      )}
    </a>
  );
}
