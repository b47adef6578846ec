/** An access token as tabs hand it to each other; `until` and `life` in ms, the clock is the machine's. */
export type SharedToken = { generation: number; accessToken: string; until: number; life: number };

type Message = { type: "ask" } | { type: "changed" } | ({ type: "token" } & SharedToken);

export type Channel = {
  /** Asks the other tabs for a token of at least a generation; null when none answers in `patience` ms. */
  requestToken: (generation: number, patience: number) => Promise<SharedToken | null>;
  shareToken: (token: SharedToken) => void;
  /** The record was changed. */
  announce: () => void;
};

type Hooks = { tokenToShare: () => SharedToken | null; onToken: (token: SharedToken) => void; onChange: () => void };

/** Speaks with the other tabs of this browser. Access tokens go from memory to memory, never through the storage. */
export function createChannel({ tokenToShare, onToken, onChange }: Hooks): Channel {
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("platform:session");
  const waiting = new Set<(token: SharedToken) => void>();
  const post = (message: Message) => channel?.postMessage(message);
  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.type === "changed") onChange();
    if (data.type === "ask") {
      const token = tokenToShare();
      if (token !== null) post({ type: "token", ...token });
    }
    if (data.type === "token") {
      const { generation, accessToken, until, life } = data;
      const shared = { generation, accessToken, until, life };
      if (waiting.size === 0) onToken(shared);
      for (const listener of [...waiting]) listener(shared);
    }
  });
  return {
    requestToken: (generation, patience) =>
      new Promise((done) => {
        if (channel === null) return done(null);
        const finish = (token: SharedToken | null) => {
          clearTimeout(timer);
          waiting.delete(listener);
          done(token);
        };
        const listener = (token: SharedToken) => {
          if (token.generation >= generation) finish(token);
        };
        const timer = setTimeout(finish, patience, null);
        waiting.add(listener);
        post({ type: "ask" });
      }),
    shareToken: (token) => post({ type: "token", ...token }),
    announce: () => post({ type: "changed" }),
  };
}
