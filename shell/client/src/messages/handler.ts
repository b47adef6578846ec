import { type MessageError, messageErrors, type ShellMessages } from "../../../../schemas/shell/messages.ts";
import type { Frame } from "../frames/frame.ts";
import { isTrustedAs, type TrustLevel } from "../frames/trust.ts";
import type { Shell } from "../shell/shell.ts";

/** Sends a message to the sender's frame. */
export type Send = <Type extends keyof ShellMessages>(type: Type, payload: ShellMessages[Type]) => void;

/** The frame that sent a message, and the function that responds to it. */
export type Sender = { shell: Shell; frame: Frame; send: Send };

type Rules<Payload> = {
  /** returns undefined for an invalid payload */
  read: (payload: unknown, sender: Sender) => Payload | undefined;
  /** minimum level of the frame */
  level?: TrustLevel;
  /** which frames may send the message: any frame, visible frames, or the visible content frame */
  from?: "any" | "visible" | "content";
  /** requires a recent user gesture */
  activation?: boolean;
  /** may return an error code */
  run: (sender: Sender, payload: Payload) => unknown;
};

/** Validates and handles a message. Returns an error code if the message was rejected. */
export type Handler = (sender: Sender, payload: unknown) => MessageError | undefined;

/** Returns the handler of a message type. It checks level, visibility, user activation and payload, in this order. */
export function handler<Payload>({ read, level = "none", from = "visible", activation, run }: Rules<Payload>): Handler {
  return (sender, payload) => {
    const { frame } = sender;
    if (!isTrustedAs(frame.level, level)) return "forbidden";
    if (from !== "any" && !frame.visible) return "forbidden";
    if (from === "content" && frame.kind !== "content") return "forbidden";
    if (activation === true && !navigator.userActivation.isActive) return "forbidden";
    const parsed = read(payload, sender);
    if (parsed === undefined) return "invalid_payload";
    const result = run(sender, parsed);
    return messageErrors.find((code) => code === result);
  };
}

/** Reader for messages without a payload. */
export const ignorePayload = (): true => true;
