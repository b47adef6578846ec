import type { ShellSettings, ShellUser } from "../../../schemas/shell/messages.ts";
import type { PlatformEvents, Ready, Result, ToastHandle, ToastOptions } from "./common.ts";

/** The shell around a page, as the tiny build knows it. */
export type TinyPlatform = {
  /** Resolves when the shell has answered, or after 1.5 s without one. */
  readonly ready: Promise<Ready>;
  /** whether a shell is around the page */
  readonly embedded: boolean;
  readonly settings: ShellSettings | null;
  /** who is signed in; null for nobody, and for applications that are not told */
  readonly user: ShellUser | null;
  /**
   * The access token, alive for at least `minTtl` more seconds (30). Ask before each use and keep no copy: the library asks
   * the shell for another one when it is needed.
   */
  getAccessToken: (options?: { minTtl?: number }) => Promise<Result<string>>;
  /** Leads the whole shell to one of its paths, such as `/orders/7`. */
  navigate: (url: string, options?: { replace?: boolean }) => Promise<Result>;
  /** Says what the page shows; the shell puts it behind the item's label. */
  setTitle: (title: string) => Promise<Result>;
  toast: (options: string | ToastOptions) => Promise<Result<ToastHandle>>;
  /** A number at the application's own item, 1 to 9999; 0 and null take it away. */
  badge: (count: number | null) => Promise<Result>;
  /** Keeps an element in the shell's theme, `<html>` by default. `data` stops it. */
  applyTheme: (element?: HTMLElement) => Promise<Result<() => void>>;
  /** Calls `listener` at each event; returns what removes it. */
  on: <Name extends keyof PlatformEvents>(name: Name, listener: (event: PlatformEvents[Name]) => void) => () => void;
};
