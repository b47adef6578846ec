type HeapUsage = { usedSize: number; embedderHeapUsedSize?: number; backingStorageSize?: number };

/**
 * Connects to one Worker's isolate through workerd's inspector (Chrome DevTools protocol, `Runtime.getHeapUsage`).
 * `read` returns the size of its heap and buffers in bytes, including garbage.
 */
export async function openIsolateMemory(inspector: URL, worker: string) {
  const targets = (await (await fetch(`http://${inspector.host}/json`)).json()) as {
    id: string;
    webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ id }) => id === `core:user:${worker}`);
  if (target === undefined) throw new Error(`no inspector of ${worker}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error(`the inspector of ${worker} cannot be reached`)), {
      once: true,
    });
  });
  const waiting = new Map<number, (usage: HeapUsage) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: HeapUsage };
    if (id !== undefined && result !== undefined) waiting.get(id)?.(result);
  });
  let calls = 0;
  return {
    async read(): Promise<number> {
      calls += 1;
      const id = calls;
      const usage = await new Promise<HeapUsage>((resolve) => {
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
      });
      waiting.delete(id);
      return usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0);
    },
    close: () => socket.close(),
  };
}
