import { useEffect, useRef, useState } from "react";
import { useShell } from "../shell/context.ts";
import type { Frame, FrameSpec } from "./frame.ts";
import { FrameCover } from "./frame-cover.tsx";
import { useCovered } from "./use-covered.ts";

/** A frame of an overlay or of a panel. It goes with the component. */
export function Framed({ spec, onFrame }: { spec: FrameSpec; onFrame?: (frame: Frame) => void }) {
  const { frames } = useShell();
  const room = useRef<HTMLDivElement>(null);
  const covered = useCovered();
  const [frame, setFrame] = useState<Frame | null>(null);
  const [attempt, setAttempt] = useState(0);
  const { url, level, key } = spec;
  useEffect(() => {
    if (room.current === null) return undefined;
    const created = frames.create(room.current, spec);
    setFrame(created);
    onFrame?.(created);
    return () => frames.remove(created);
  }, [frames, url, level, key, attempt]);
  return (
    <div ref={covered} class="framed">
      <div ref={room} class="frame-room" />
      {frame === null ? null : <FrameCover frame={frame} retry={() => setAttempt((last) => last + 1)} />}
    </div>
  );
}
