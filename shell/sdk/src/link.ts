import type { AppMessages, Envelope, ShellMessages } from "../../../schemas/shell/messages.ts";
import type { Result } from "../types/common.ts";
import { done, failed } from "./result.ts";

export type Page = Window & typeof globalThis;
type ShellMessage = {
  [Type in keyof ShellMessages]: { type: Type; payload: ShellMessages[Type] };
}[keyof ShellMessages];

/** How long to wait for an error before a message counts as successful, ms. The shell sends errors immediately. */
const ERROR_WAIT = 50;

export type Link = {
  /** whether a shell has responded */
  isOpen: () => boolean;
  /**
   * Requests the settings. Until a shell has responded, any embedding page receives this message, which contains no data of the
   * page.
   */
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
    onMessage?: (response: ShellMessage) => void,
  ) => Promise<Result>;
  forget: (id: string) => void;
  /** Sends a message and waits at most `ms` until `read` accepts a response. If `ms` is 0, waits without a limit. */
  request: <Type extends keyof AppMessages, Data>(
    type: Type,
    payload: Omit<AppMessages[Type], "id">,
    read: (response: ShellMessage) => Result<Data> | undefined,
    ms: number,
    id?: string,
  ) => Promise<Result<Data>>;
  /** Sets the listener for messages that belong to no pending id. */
  listen: (onMessage: (message: ShellMessage) => void) => void;
  newId: () => string;
};

/**
 * Creates the connection to the shell. The shell is the parent window with the origin that responded first. Messages from other
 * origins are ignored. Before that response, the page sends only requests for the settings, which any parent may receive.
 */
export function createLink(page: Page): Link {
  const shell = page.parent;
  const pendingListeners = new Map<string, (response: ShellMessage) => void>();
  const prefix = Math.random().toString(36).slice(2, 10);
  let allowed: readonly string[] | undefined;
  let origin: string | undefined;
  let onMessage: (message: ShellMessage) => void = () => undefined;
  let count = 0;

  page.addEventListener("message", ({ source, origin: from, data }: MessageEvent<unknown>) => {
    if (source !== shell || shell === page || !isEnvelope(data)) return;
    if (origin === undefined) {
      const isAllowed = allowed === undefined || allowed.includes(from);
      if (data.type !== "PLATFORM_SETTINGS" || !isAllowed || from === "null") return;
      origin = from;
    }
    if (from !== origin) return;
    const message = data as ShellMessage;
    const id = "id" in message.payload ? message.payload.id : undefined;
    const listener = id === undefined ? undefined : pendingListeners.get(id);
    (listener ?? onMessage)(message);
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
  /**
   * Sends a message. Resolves with the response for its id, or with `noResponse.result` if none arrives within `noResponse.ms`.
   */
  const sendAndWait = <Data>(
    { type, payload, id }: { type: keyof AppMessages; payload: object; id: string },
    read: (response: ShellMessage) => Result<Data> | undefined,
    noResponse: { ms: number; result: Result<Data>; keepsListener: boolean },
  ): Promise<Result<Data>> =>
    new Promise((settle) => {
      if (origin === undefined) return settle(failed("not_embedded"));
      let timer: ReturnType<typeof setTimeout> | undefined;
      const finish = (result: Result<Data>, keepsListener = false) => {
        if (!keepsListener) pendingListeners.delete(id);
        clearTimeout(timer);
        settle(result);
      };
      pendingListeners.set(id, (response) => {
        const result = response.type === "PLATFORM_ERROR" ? failed(response.payload.code) : read(response);
        if (result !== undefined) finish(result);
      });
      if (noResponse.ms > 0)
        timer = setTimeout(() => finish(noResponse.result, noResponse.keepsListener), noResponse.ms);
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
      sendAndWait({ type, payload, id }, (response) => void listener?.(response), {
        ms: ERROR_WAIT,
        result: done(null),
        keepsListener: listener !== undefined,
      }),
    forget: (id) => void pendingListeners.delete(id),
    request: (type, payload, read, ms, id = newId()) =>
      sendAndWait({ type, payload, id }, read, { ms, result: failed("timeout"), keepsListener: false }),
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
