import { useEffect, useLayoutEffect, useRef } from "react";
import { useRoute } from "../navigation/use-navigation.ts";
import type { RouteAccess } from "../router/guard.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { FrameCover } from "./frame-cover.tsx";
import { useInertBehindModals } from "./use-inert-behind-modals.ts";
import "./frames.css";

/** The container of content frames. It remains mounted while views change, so that hidden frames stay loaded. */
export function FrameHost({ access }: { access: RouteAccess }) {
  const { frames, router } = useShell();
  const host = useRef<HTMLDivElement>(null);
  const covered = useInertBehindModals();
  const route = useRoute();
  const navigation = useStore(router);
  const generation = useStore(frames.generation);
  const frame = useStore(frames.current);
  const frameRoute = access === "open" && (route.view === "frame" || route.view === "admin") ? route : null;
  // The first frame is created after the first render. Later changes of the address show their frame synchronously.
  useEffect(() => {
    if (host.current === null) return undefined;
    const unmount = frames.mount(host.current);
    frames.show(frameRoute, navigation);
    return unmount;
  }, [frames]);
  useLayoutEffect(() => frames.show(frameRoute, navigation), [frames, navigation, generation, access]);
  return (
    <div ref={covered} class={frameRoute === null ? "frame-host empty" : "frame-host"}>
      <div ref={host} class="frame-room" />
      {frame === null ? null : <FrameCover frame={frame} retry={() => frames.reload()} />}
    </div>
  );
}
