import { type MessageError, messageErrors, type ShellMessages } from "../../../../schemas/shell/messages.ts";
import type { Frame } from "../frames/frame.ts";
import { reaches, type TrustLevel } from "../frames/trust.ts";
import type { Shell } from "../shell/shell.ts";

/** Says something to the sender. */
export type Send = <Type extends keyof ShellMessages>(type: Type, payload: ShellMessages[Type]) => void;

/** Who sent a message, and how it is answered. */
export type Sender = { shell: Shell; frame: Frame; send: Send };

type Rules<Payload> = {
  /** undefined refuses the payload */
  read: (payload: unknown, sender: Sender) => Payload | undefined;
  /** level the frame has to have */
  level?: TrustLevel;
  /** any frame; one that is seen; the content frame that is seen */
  from?: "any" | "visible" | "content";
  /** a person has just pressed something */
  activation?: boolean;
  /** may answer a code: why it did nothing */
  run: (sender: Sender, payload: Payload) => unknown;
};

/** Judges a message and does what it asks for; the code is why it did not. */
export type Handler = (sender: Sender, payload: unknown) => MessageError | undefined;

/** The handler of a type of message: rules in one order, level, place, activation, payload. */
export function handler<Payload>({ read, level = "none", from = "visible", activation, run }: Rules<Payload>): Handler {
  return (sender, payload) => {
    const { frame } = sender;
    if (!reaches(frame.level, level)) return "forbidden";
    if (from !== "any" && !frame.visible) return "forbidden";
    if (from === "content" && frame.kind !== "content") return "forbidden";
    if (activation === true && !navigator.userActivation.isActive) return "forbidden";
    const parsed = read(payload, sender);
    if (parsed === undefined) return "invalid_payload";
    const result = run(sender, parsed);
    return messageErrors.find((code) => code === result);
  };
}

/** For messages without content. */
export const nothing = (): true => true;
