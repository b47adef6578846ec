import { shellAddress } from "../../frames/address.ts";
import type { Frame } from "../../frames/frame.ts";
import { embeddedOf } from "../../frames/frame-spec.ts";
import { isRootRelative, loginAddress, safeNext } from "../../router/next.ts";
import { addressText } from "../../router/router.ts";
import { hasView, matchRoute } from "../../router/routes.ts";
import { pressHotkey } from "../../start/hotkeys.ts";
import { createCoalescer } from "../envelope.ts";
import { handler, type Sender } from "../handler.ts";
import { readFields, readText } from "../read.ts";

const MAX_ADDRESS = 4096;

type Reported = { pathname: string; search: string; hash: string; replace: boolean };

function readAddress(payload: unknown): Reported | undefined {
  const { pathname, search = "", hash = "", replace } = readFields(payload) ?? {};
  if (typeof pathname !== "string" || typeof search !== "string" || typeof hash !== "string") return undefined;
  if (!pathname.startsWith("/") || pathname.length + search.length + hash.length > MAX_ADDRESS) return undefined;
  if ((search !== "" && !search.startsWith("?")) || (hash !== "" && !hash.startsWith("#"))) return undefined;
  return { pathname, search, hash, replace: replace === true };
}

/** Updates the shell's address after the application navigated, at most ten times a second. */
function followFrame({ shell, frame }: Sender, reported: Reported): void {
  const { page, router, frames } = shell;
  if (frames.current.get() !== frame) return;
  const route = matchRoute(page.get().config, router.get().pathname);
  if ((route.view !== "frame" && route.view !== "admin") || route.base !== frame.key) return;
  const embedded = embeddedOf(shell, route);
  const address = embedded && shellAddress(embedded, reported, location.origin);
  if (address === undefined || !isRootRelative(address)) return;
  frame.address = frame.origin + reported.pathname + reported.search + reported.hash;
  frame.shellAddress = address;
  router.follow(address, { replace: reported.replace });
}

const reports = new WeakMap<Frame, (report: [Sender, Reported]) => void>();

export const navigationHandlers = {
  PLATFORM_URL_CHANGED: handler({
    from: "content",
    read: readAddress,
    run(sender, reported) {
      const report =
        reports.get(sender.frame) ??
        createCoalescer(([lastSender, lastReport]: [Sender, Reported]) => followFrame(lastSender, lastReport), 100);
      reports.set(sender.frame, report);
      report([sender, reported]);
    },
  }),
  PLATFORM_TITLE_CHANGED: handler({
    from: "content",
    read: (payload) => {
      const { title } = readFields(payload) ?? {};
      return typeof title === "string" && title.length <= 200 ? { title: title.trim() } : undefined;
    },
    run: ({ frame }, { title }) => frame.title.set(title === "" || title === frame.label ? null : title),
  }),
  PLATFORM_NAVIGATE: handler({
    read: (payload, { shell }) => {
      const { url, replace } = readFields(payload) ?? {};
      const to = readText(url, MAX_ADDRESS);
      if (to === undefined || !isRootRelative(to)) return undefined;
      const { pathname, search, hash } = new URL(to, location.origin);
      if (pathname.startsWith("/login/") || !hasView(shell.page.get().config, pathname)) return undefined;
      return { to: pathname + search + hash, replace: replace === true };
    },
    run: ({ shell }, { to, replace }) => shell.router.navigate(to, { replace }),
  }),
  PLATFORM_HOTKEY: handler({
    read: (payload) => readText(readFields(payload)?.combo, 32),
    run({ shell, frame }, combo) {
      const overlay = shell.overlays.get();
      if (combo.toLowerCase() !== "escape") pressHotkey(shell, combo.toLowerCase());
      else if (overlay?.dismissible && (frame.kind === "overlay" || overlay.opener === frame)) shell.overlays.close();
    },
  }),
  PLATFORM_LOGIN: handler({
    activation: true,
    read: readFields,
    run({ shell }, { next }) {
      const here = addressText(shell.router.get());
      shell.router.navigate(loginAddress(typeof next === "string" ? safeNext(next, location.origin) : here));
    },
  }),
  PLATFORM_REFRESH_PAGE: handler({ activation: true, read: () => true, run: () => location.reload() }),
};
