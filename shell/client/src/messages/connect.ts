import { messageVersion, type ShellMessages } from "../../../../schemas/shell/messages.ts";
import { replaceCommands } from "../commands/commands.ts";
import { partsOf } from "../frames/address.ts";
import type { Frame } from "../frames/frame.ts";
import { emit } from "../reporting/events.ts";
import { warn } from "../reporting/warnings.ts";
import type { Shell } from "../shell/shell.ts";
import { createRateLimit, readEnvelope } from "./envelope.ts";
import { type Handler, handler, ignorePayload, type Sender } from "./handler.ts";
import { commandHandlers } from "./handlers/commands.ts";
import { feedbackHandlers } from "./handlers/feedback.ts";
import { navigationHandlers } from "./handlers/navigation.ts";
import { overlayHandlers } from "./handlers/overlays.ts";
import { sessionHandlers } from "./handlers/session.ts";
import { storageHandlers } from "./handlers/storage.ts";
import { createPublisher } from "./publisher.ts";
import { readFields, readText } from "./read.ts";

const MAX_PER_SECOND = 100;

/** Posts a message to a frame. Only the expected origin of the frame can receive it. */
export function sendMessage<Type extends keyof ShellMessages>(
  frame: Frame,
  type: Type,
  payload: ShellMessages[Type],
): void {
  frame.element.contentWindow?.postMessage({ type, v: messageVersion, payload }, frame.origin);
}

/**
 * Connects the frames to the shell. A message is handled only if it comes from the window of a frame that the shell created and
 * from the origin of that frame's URL.
 */
export function connectFrames(shell: Shell): void {
  const { frames, toasts, dialogs, overlays, badges } = shell;
  const publisher = createPublisher(shell);
  const limits = new WeakMap<Frame, ReturnType<typeof createRateLimit>>();
  const handlers = new Map<string, Handler>(
    Object.entries({
      ...navigationHandlers,
      ...overlayHandlers,
      ...feedbackHandlers,
      ...commandHandlers,
      ...sessionHandlers,
      ...storageHandlers,
      PLATFORM_SETTINGS_REQUESTED: handler({
        from: "any",
        read: ignorePayload,
        run: ({ frame }) => void publisher.connect(frame),
      }),
      PLATFORM_INITIALIZED: handler({
        from: "any",
        read: ignorePayload,
        run({ frame }) {
          // A new document in the frame has not set its commands yet.
          replaceCommands(shell.commands, frame.id, undefined);
          frame.phase.set("shown");
        },
      }),
    }),
  );

  addEventListener("message", ({ source, origin, data }) => {
    const frame = source === null ? undefined : frames.all().find(({ element }) => element.contentWindow === source);
    if (frame === undefined) return;
    if (origin !== frame.origin) {
      // The frame navigated to another origin. It receives nothing until the expected origin requests settings again.
      frame.connected = false;
      return;
    }
    const limit = limits.get(frame) ?? createRateLimit(MAX_PER_SECOND, 1000);
    limits.set(frame, limit);
    const { pass, isFirst } = limit(performance.now());
    if (isFirst) warn(`${frame.label} sends too many messages; those over ${MAX_PER_SECOND} a second are dropped`);
    const message = pass ? readEnvelope(data) : null;
    const handle = message === null ? undefined : handlers.get(message.type);
    if (message === null || handle === undefined) return;
    const sender: Sender = { shell, frame, send: (type, payload) => sendMessage(frame, type, payload) };
    const code = handle(sender, message.payload);
    if (code === undefined) return;
    const id = readText(readFields(message.payload)?.id, 128);
    sendMessage(frame, "PLATFORM_ERROR", { type: message.type, ...(id !== undefined && { id }), code });
  });

  frames.listen({
    added(frame) {
      publisher.watch(frame);
      frame.phase.subscribe(() => {
        if (frame.phase.get() === "shown") emit("frame-ready", { path: frame.key });
      });
    },
    removed(frame) {
      publisher.forget(frame);
      toasts.dismissByOwner(frame.id);
      replaceCommands(shell.commands, frame.id, undefined);
      if (dialogs.get()?.owner === frame.id) dialogs.set(null);
      // An overlay that opens another overlay is removed, but the new overlay stays open.
      if (overlays.get()?.opener === frame && frame.kind !== "overlay") overlays.close();
    },
    cleared() {
      overlays.close();
      badges.set({});
    },
    visibility: (frame) => {
      if (frame.connected) sendMessage(frame, "PLATFORM_VISIBILITY", { visible: frame.visible });
    },
    navigate(frame, url) {
      if (frame.connected) sendMessage(frame, "PLATFORM_NAVIGATE_TO", partsOf(url));
      return frame.connected;
    },
  });
}
