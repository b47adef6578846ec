import type { ShellSettings, ShellUser } from "../../../schemas/shell/messages.ts";
import type { PlatformEvents, Ready, Result, ToastHandle, ToastOptions } from "./common.ts";

/** The tiny SDK. */
export type TinyPlatform = {
  /** Resolves when the shell has responded, or after 1.5 s. */
  readonly ready: Promise<Ready>;
  /** whether a shell embeds the page */
  readonly embedded: boolean;
  readonly settings: ShellSettings | null;
  /** the signed-in user; null when nobody is signed in or the application may not receive the user */
  readonly user: ShellUser | null;
  /**
   * Returns an access token that is valid for at least `minTtl` more seconds (default 30). Call this before each use instead of
   * storing the token, because the SDK renews it when necessary.
   */
  getAccessToken: (options?: { minTtl?: number }) => Promise<Result<string>>;
  /** Navigates the shell to one of its paths, such as `/orders/7`. */
  navigate: (url: string, options?: { replace?: boolean }) => Promise<Result>;
  /** Sets the title of the page. The shell shows the title after the item's label. */
  setTitle: (title: string) => Promise<Result>;
  toast: (options: string | ToastOptions) => Promise<Result<ToastHandle>>;
  /** Sets the badge of the application's item to 1 to 9999. 0 and null remove the badge. */
  badge: (count: number | null) => Promise<Result>;
  /**
   * Applies the shell's theme to an element, `<html>` by default, and applies later changes. `data` is a function that stops
   * the updates.
   */
  applyTheme: (element?: HTMLElement) => Promise<Result<() => void>>;
  /** Adds a listener. Returns a function that removes it. */
  on: <Name extends keyof PlatformEvents>(name: Name, listener: (event: PlatformEvents[Name]) => void) => () => void;
};
