import type { AppMessages, Envelope, ShellMessages } from "../../../schemas/shell/messages.ts";
import type { Result } from "../types/common.ts";
import { done, failed } from "./result.ts";

export type Page = Window & typeof globalThis;
type Answer = { [Type in keyof ShellMessages]: { type: Type; payload: ShellMessages[Type] } }[keyof ShellMessages];

/** How long silence is waited for before it counts as a yes, in ms: a refusal comes at once. */
const SILENCE = 50;

export type Link = {
  /** whether a shell has answered */
  isOpen: () => boolean;
  /** Asks for settings. Until a shell is known this goes to whoever embeds the page; it carries nothing of the page. */
  sendHello: (payload: AppMessages["PLATFORM_SETTINGS_REQUESTED"]) => void;
  /** Only these origins may answer. */
  restrict: (origins: readonly string[]) => void;
  /** Sends what needs no answer. */
  post: <Type extends keyof AppMessages>(type: Type, payload: AppMessages[Type]) => boolean;
  /** Sends; the error is a refusal. With `hear` the id stays known, and what comes under it is heard until `forget`. */
  send: <Type extends keyof AppMessages>(
    type: Type,
    payload: AppMessages[Type],
    id?: string,
    onMessage?: (answer: Answer) => void,
  ) => Promise<Result>;
  forget: (id: string) => void;
  /** Sends and waits until `read` makes something of an answer; `ms` 0 waits for a person. */
  request: <Type extends keyof AppMessages, Data>(
    type: Type,
    payload: Omit<AppMessages[Type], "id">,
    read: (answer: Answer) => Result<Data> | undefined,
    ms: number,
    id?: string,
  ) => Promise<Result<Data>>;
  /** Hears what stands under no id that is waited for. */
  listen: (onMessage: (message: Answer) => void) => void;
  newId: () => string;
};

/**
 * The way to the shell: the window around the page, at the origin that answered first. Messages of others are not heard, and
 * nothing but the first question is sent anywhere else.
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
      // What cannot be copied to another window.
      return false;
    }
  };
  const newId = () => {
    count += 1;
    return `${prefix}-${count}`;
  };
  const post: Link["post"] = (type, payload) => origin !== undefined && postToShell(type, payload, origin);
  /** Sends, and settles by what comes under the id, or after `ms` by what silence means. */
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
