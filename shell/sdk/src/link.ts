import type { AppMessages, Envelope, ShellMessages } from "../../../schemas/shell/messages.ts";
import type { Result } from "../types/common.ts";
import { done, failed } from "./result.ts";

export type Page = Window & typeof globalThis;
type Answer = { [Type in keyof ShellMessages]: { type: Type; payload: ShellMessages[Type] } }[keyof ShellMessages];

/** How long to wait for an error before a message counts as successful, ms. The shell sends errors immediately. */
const SILENCE = 50;

export type Link = {
  /** whether a shell has responded */
  isOpen: () => boolean;
  /** Requests the settings. Until a shell has responded, any embedding page receives it. It contains no data of the page. */
  sendHello: (payload: AppMessages["PLATFORM_SETTINGS_REQUESTED"]) => void;
  /** Restricts the origins that may respond. */
  restrict: (origins: readonly string[]) => void;
  /** Sends a message that has no response. Returns false without a shell. */
  post: <Type extends keyof AppMessages>(type: Type, payload: AppMessages[Type]) => boolean;
  /**
   * Sends a message and resolves with its error, if any. `onMessage` receives later messages with the same id until `forget` is
   * called.
   */
  send: <Type extends keyof AppMessages>(
    type: Type,
    payload: AppMessages[Type],
    id?: string,
    onMessage?: (answer: Answer) => void,
  ) => Promise<Result>;
  forget: (id: string) => void;
  /** Sends a message and waits at most `ms` until `read` accepts a response. 0 waits without a limit. */
  request: <Type extends keyof AppMessages, Data>(
    type: Type,
    payload: Omit<AppMessages[Type], "id">,
    read: (answer: Answer) => Result<Data> | undefined,
    ms: number,
    id?: string,
  ) => Promise<Result<Data>>;
  /** Sets the listener for messages that belong to no pending id. */
  listen: (onMessage: (message: Answer) => void) => void;
  newId: () => string;
};

/**
 * Creates the connection to the shell. The shell is the parent window with the origin that responded first. Messages from other
 * origins are ignored. Only requests for the settings before that response may reach another origin.
 */
export function createLink(page: Page): Link {
  const shell = page.parent;
  const waiting = new Map<string, (answer: Answer) => void>();
  const prefix = Math.random().toString(36).slice(2, 10);
  let allowed: readonly string[] | undefined;
  let origin: string | undefined;
  let onMessage: (message: Answer) => void = () => undefined;
  let count = 0;

  page.addEventListener("message", ({ source, origin: from, data }: MessageEvent<unknown>) => {
    if (source !== shell || shell === page || !isEnvelope(data)) return;
    if (origin === undefined) {
      const isWelcome = allowed === undefined || allowed.includes(from);
      if (data.type !== "PLATFORM_SETTINGS" || !isWelcome || from === "null") return;
      origin = from;
    }
    if (from !== origin) return;
    const message = data as Answer;
    const id = "id" in message.payload ? message.payload.id : undefined;
    const take = id === undefined ? undefined : waiting.get(id);
    (take ?? onMessage)(message);
  });

  const postToShell = (type: string, payload: object, target: string) => {
    try {
      shell.postMessage({ type, v: 1, payload } satisfies Envelope, target);
      return true;
    } catch {
      // The payload cannot be cloned.
      return false;
    }
  };
  const newId = () => {
    count += 1;
    return `${prefix}-${count}`;
  };
  const post: Link["post"] = (type, payload) => origin !== undefined && postToShell(type, payload, origin);
  /** Sends a message. Resolves with the response for its id, or with `silence.means` if there is none after `silence.ms`. */
  const exchange = <Data>(
    { type, payload, id }: { type: keyof AppMessages; payload: object; id: string },
    read: (answer: Answer) => Result<Data> | undefined,
    silence: { ms: number; means: Result<Data>; keeps: boolean },
  ): Promise<Result<Data>> =>
    new Promise((settle) => {
      if (origin === undefined) return settle(failed("not_embedded"));
      let timer: ReturnType<typeof setTimeout> | undefined;
      const finish = (result: Result<Data>, keeps = false) => {
        if (!keeps) waiting.delete(id);
        clearTimeout(timer);
        settle(result);
      };
      waiting.set(id, (answer) => {
        const result = answer.type === "PLATFORM_ERROR" ? failed(answer.payload.code) : read(answer);
        if (result !== undefined) finish(result);
      });
      if (silence.ms > 0) timer = setTimeout(() => finish(silence.means, silence.keeps), silence.ms);
      if (!postToShell(type, { ...payload, id }, origin)) finish(failed("invalid_payload"));
      return undefined;
    });

  return {
    isOpen: () => origin !== undefined,
    sendHello: (payload) => void postToShell("PLATFORM_SETTINGS_REQUESTED", payload, origin ?? "*"),
    restrict: (origins) => {
      allowed = origins;
    },
    post,
    send: (type, payload, id = newId(), listener) =>
      exchange({ type, payload, id }, (answer) => void listener?.(answer), {
        ms: SILENCE,
        means: done(null),
        keeps: listener !== undefined,
      }),
    forget: (id) => void waiting.delete(id),
    request: (type, payload, read, ms, id = newId()) =>
      exchange({ type, payload, id }, read, { ms, means: failed("timeout"), keeps: false }),
    listen: (listener) => {
      onMessage = listener;
    },
    newId,
  };
}

function isEnvelope(data: unknown): data is Envelope<string, object> {
  if (typeof data !== "object" || data === null || !("v" in data) || !("type" in data) || !("payload" in data))
    return false;
  return data.v === 1 && typeof data.type === "string" && typeof data.payload === "object" && data.payload !== null;
}
