import { useEffect, useRef, useState } from "react";
import { useShell } from "../shell/context.ts";
import type { Frame, FrameSpec } from "./frame.ts";
import { FrameCover } from "./frame-cover.tsx";
import { useInertBehindModals } from "./use-inert-behind-modals.ts";

/** The frame of an overlay or a settings panel. It is removed on unmount. */
export function Framed({ spec, onFrame }: { spec: FrameSpec; onFrame?: (frame: Frame) => void }) {
  const { frames } = useShell();
  const container = useRef<HTMLDivElement>(null);
  const covered = useInertBehindModals();
  const [frame, setFrame] = useState<Frame | null>(null);
  const [attempt, setAttempt] = useState(0);
  const { url, level, key } = spec;
  useEffect(() => {
    if (container.current === null) return undefined;
    const created = frames.create(container.current, spec);
    setFrame(created);
    onFrame?.(created);
    return () => frames.remove(created);
  }, [frames, url, level, key, attempt]);
  return (
    <div ref={covered} class="framed">
      <div ref={container} class="frame-room" />
      {frame === null ? null : <FrameCover frame={frame} retry={() => setAttempt((last) => last + 1)} />}
    </div>
  );
}
