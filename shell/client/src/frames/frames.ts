import { canConnect } from "../../../../schemas/shell/connect.ts";
import type { PageItem } from "../../../../schemas/shell/page.ts";
import { canOpen } from "../router/navigation.ts";
import { addressText, type Navigation } from "../router/router.ts";
import type { Shell } from "../shell/shell.ts";
import { currentViewer, phaseOf } from "../shell/viewer.ts";
import { createStore, type Readable } from "../store.ts";
import { frameAddress, isSameAddress } from "./address.ts";
import { framesToEvict } from "./eviction.ts";
import { createFrame, type Frame, type FrameSpec, isBlank, setVisible } from "./frame.ts";
import { embeddedOf, type FrameRoute, isStale, itemOf, itemSpec, labelOf, specOf } from "./frame-spec.ts";
import { createPrefetcher } from "./prefetcher.ts";
import { isReachable } from "./reach.ts";

/** Events of frames; the messages module subscribes to them. */
export type FrameEvents = {
  added: (frame: Frame) => void;
  removed: (frame: Frame) => void;
  /** all frames were removed because the user changed */
  cleared: () => void;
  visibility: (frame: Frame) => void;
  /** asks the application to navigate; returns false when the application is not connected */
  navigate: (frame: Frame, url: string) => boolean;
};

export type Frames = {
  all: () => readonly Frame[];
  /** the visible content frame */
  current: Readable<Frame | null>;
  /** Sets the element that contains content frames. */
  mount: (host: HTMLElement) => () => void;
  /** Shows the frame of a route. null hides all content frames. */
  show: (route: FrameRoute | null, navigation: Navigation) => void;
  /** Reloads the current content frame. */
  reload: () => void;
  /** Call with the item that the pointer or the focus enters, and with null when it leaves. */
  prefetchSoon: (item: PageItem | null) => void;
  /** Creates the frame of an overlay or a panel. */
  create: (parent: HTMLElement, spec: FrameSpec) => Frame;
  remove: (frame: Frame) => void;
  /** Removes all frames, so that no personal data remains. */
  removeAll: () => void;
  listen: (events: FrameEvents) => void;
  /** increases when frames were removed and must be created again */
  generation: Readable<number>;
};

/** Returns the id of the user that frames are created for, or null when nobody is signed in. */
const userIdOf = ({ session }: Pick<Shell, "session">): string | null => {
  const state = session?.state.get();
  return state === undefined || phaseOf(state) !== "in" ? null : (state.user?.id ?? null);
};

/** Creates the frame registry. It has at most one content frame per item, and keeps recent frames loaded while hidden. */
export function createFrames(shell: Pick<Shell, "page" | "settings" | "language" | "session" | "router">): Frames {
  const { page, router, session } = shell;
  const frames = new Set<Frame>();
  const current = createStore<Frame | null>(null);
  let host: HTMLElement | null = null;
  let events: FrameEvents | undefined;

  const contentFrames = () => [...frames].filter(({ kind }) => kind === "content");
  const add = (parent: HTMLElement, spec: FrameSpec) => {
    const { origin } = new URL(spec.url);
    const canCheck = canConnect(page.get(), origin, location.origin);
    const frame = createFrame(parent, spec, canCheck ? () => isReachable(origin) : null);
    frames.add(frame);
    events?.added(frame);
    return frame;
  };
  const remove = (frame: Frame) => {
    if (!frames.delete(frame)) return;
    if (current.get() === frame) current.set(null);
    frame.dispose();
    events?.removed(frame);
  };
  const hide = (frame: Frame) => {
    setVisible(frame, false);
    events?.visibility(frame);
  };
  const evict = () => {
    for (const frame of framesToEvict(contentFrames(), page.get().config.embed.keepAlive)) remove(frame);
  };

  const hideCurrent = () => {
    const frame = current.get();
    if (frame === null) return;
    current.set(null);
    if (itemOf(shell, frame.key)?.keepAlive === false) remove(frame);
    else hide(frame);
  };

  const show = (route: FrameRoute | null, navigation: Navigation) => {
    if (route === null || host === null) return hideCurrent();
    const embedded = embeddedOf(shell, route);
    if (embedded === undefined) return hideCurrent();
    const targetUrl = frameAddress(embedded, route.rest, navigation.search, navigation.hash, location.origin);
    const existing = contentFrames().find(
      ({ key, origin }) => key === route.base && origin === new URL(targetUrl).origin,
    );
    const last = current.get();
    // A frame that failed to load is created again when the user returns to it.
    const isReusable = existing !== undefined && (existing === last || !isBlank(existing));
    if (existing !== undefined && !isReusable) remove(existing);
    const reused = isReusable ? existing : undefined;
    if (reused === undefined) {
      hideCurrent();
      const frame = add(host, specOf(shell, route, targetUrl));
      frame.shellAddress = addressText(navigation);
      current.set(frame);
      return evict();
    }
    if (last !== reused) {
      hideCurrent();
      setVisible(reused, true);
      current.set(reused);
      events?.visibility(reused);
      evict();
      // Restores the path inside the application when the user returns through the navigation.
      const isPlain = navigation.cause === "push" && addressText(navigation) === `/${route.base}`;
      const lastAddress = isPlain ? reused.shellAddress : undefined;
      if (lastAddress !== undefined) return router.follow(lastAddress, { replace: true });
    }
    reused.shellAddress = addressText(navigation);
    if (navigation.cause !== "frame" && !isSameAddress(reused.address, targetUrl)) {
      reused.address = targetUrl;
      if (!events?.navigate(reused, targetUrl)) reused.element.contentWindow?.location.replace(targetUrl);
    }
  };

  const schedulePrefetch = createPrefetcher((item) => {
    const { embed } = page.get().config;
    const hidden = contentFrames().filter(({ visible }) => !visible).length;
    if (host === null || !embed.prefetch || hidden >= embed.keepAlive) return;
    if (!contentFrames().some(({ key }) => key === item.path)) hide(add(host, itemSpec(shell, item)));
  });

  let userId = userIdOf(shell);
  session?.state.subscribe(() => {
    const currentUserId = userIdOf(shell);
    // The frames are removed later, because other subscribers must notify them first.
    if (userId !== null && currentUserId !== userId) setTimeout(removeAll);
    userId = currentUserId;
  });
  const updateLabels = () => {
    for (const frame of contentFrames()) frame.setLabel(labelOf(shell, frame));
  };
  shell.language.subscribe(updateLabels);
  // A new configuration can change the origin or the trust level of an item. Its frame is then created again.
  page.subscribe(() => {
    const stale = contentFrames().filter((frame) => !frame.isAdmin && isStale(shell, frame));
    for (const frame of stale) remove(frame);
    updateLabels();
    if (stale.length > 0) generation.set((last) => last + 1);
  });
  const generation = createStore(0);
  const removeAll = () => {
    for (const frame of [...frames]) remove(frame);
    events?.cleared();
    generation.set((last) => last + 1);
  };

  return {
    all: () => [...frames],
    current,
    generation,
    mount(element) {
      host = element;
      return () => {
        for (const frame of contentFrames()) remove(frame);
        host = null;
      };
    },
    show,
    reload() {
      const frame = current.get();
      if (frame === null || host === null) return;
      const { kind, key, label, level, permissions, sandbox, isAdmin, address } = frame;
      remove(frame);
      current.set(
        add(host, { kind, key, label, level, permissions, sandbox, url: address, ...(isAdmin && { isAdmin }) }),
      );
    },
    prefetchSoon(item) {
      const needsSession = item?.requiresAuth && (session === null || phaseOf(session.state.get()) !== "in");
      schedulePrefetch(item === null || needsSession || !canOpen(item, currentViewer(shell)) ? null : item);
    },
    create: add,
    remove,
    removeAll,
    listen: (listener) => {
      events = listener;
    },
  };
}
