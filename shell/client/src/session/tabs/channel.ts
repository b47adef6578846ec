/** An access token as tabs hand it to each other; `until` and `life` in ms, the clock is the machine's. */
export type SharedToken = { generation: number; accessToken: string; until: number; life: number };

type Message = { type: "ask" } | { type: "changed" } | ({ type: "token" } & SharedToken);

export type Channel = {
  /** Asks the other tabs for a token of at least a generation; null when none answers in `patience` ms. */
  ask: (generation: number, patience: number) => Promise<SharedToken | null>;
  tell: (token: SharedToken) => void;
  /** The record was changed. */
  announce: () => void;
};

type Hooks = { mine: () => SharedToken | null; token: (token: SharedToken) => void; changed: () => void };

/** Speaks with the other tabs of this browser. Access tokens go from memory to memory, never through the storage. */
export function createChannel({ mine, token, changed }: Hooks): Channel {
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("platform:session");
  const waiting = new Set<(token: SharedToken) => void>();
  const post = (message: Message) => channel?.postMessage(message);
  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.type === "changed") changed();
    if (data.type === "ask") {
      const own = mine();
      if (own !== null) post({ type: "token", ...own });
    }
    if (data.type === "token") {
      const { generation, accessToken, until, life } = data;
      const heard = { generation, accessToken, until, life };
      if (waiting.size === 0) token(heard);
      for (const listener of [...waiting]) listener(heard);
    }
  });
  return {
    ask: (generation, patience) =>
      new Promise((done) => {
        if (channel === null) return done(null);
        const finish = (found: SharedToken | null) => {
          clearTimeout(timer);
          waiting.delete(heard);
          done(found);
        };
        const heard = (found: SharedToken) => {
          if (found.generation >= generation) finish(found);
        };
        const timer = setTimeout(finish, patience, null);
        waiting.add(heard);
        post({ type: "ask" });
      }),
    tell: (own) => post({ type: "token", ...own }),
    announce: () => post({ type: "changed" }),
  };
}
