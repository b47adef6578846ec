/**
 * An access token shared between tabs. `generation` is the one of the SessionRecord that was stored with the token. `until` is
 * in ms since the epoch by this machine's clock; `life` is in ms.
 */
export type SharedToken = { generation: number; accessToken: string; until: number; life: number };

type Message = { type: "ask" } | { type: "changed" } | ({ type: "token" } & SharedToken);

export type Channel = {
  /** Requests a token of this or a later generation from the other tabs. Returns null if none responds in `maxWait` ms. */
  requestToken: (generation: number, maxWait: number) => Promise<SharedToken | null>;
  shareToken: (token: SharedToken) => void;
  /** Notifies other tabs that the stored session (SessionRecord) changed. */
  announceChange: () => void;
};

type Callbacks = {
  tokenToShare: () => SharedToken | null;
  onToken: (token: SharedToken) => void;
  onChange: () => void;
};

/** Connects to the other tabs of this browser. Access tokens are sent from memory to memory and never stored. */
export function createChannel({ tokenToShare, onToken, onChange }: Callbacks): Channel {
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("platform:session");
  const listeners = new Set<(token: SharedToken) => void>();
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
      if (listeners.size === 0) onToken(shared);
      for (const listener of [...listeners]) listener(shared);
    }
  });
  return {
    requestToken: (generation, maxWait) =>
      new Promise((done) => {
        if (channel === null) return done(null);
        const finish = (token: SharedToken | null) => {
          clearTimeout(timer);
          listeners.delete(listener);
          done(token);
        };
        const listener = (token: SharedToken) => {
          if (token.generation >= generation) finish(token);
        };
        const timer = setTimeout(finish, maxWait, null);
        listeners.add(listener);
        post({ type: "ask" });
      }),
    shareToken: (token) => post({ type: "token", ...token }),
    announceChange: () => post({ type: "changed" }),
  };
}
