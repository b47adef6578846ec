/**
 * Runs uploads to R2 with a limited number at once. `buffer` waits for a free place and returns `size` bytes, of at most `maxBytes`, that
 * belong to the caller until the next `run` has uploaded them. All throw the first error of an upload.
 *
 * The buffers are used again: new ones would wait for the collector and fill the isolate's memory.
 */
export function createPool({ places, maxBytes }: { places: number; maxBytes: number }) {
  const running = new Set<Promise<void>>();
  const free: ArrayBuffer[] = [];
  let failure: { error: unknown } | null = null;
  const check = () => {
    if (failure !== null) throw failure.error;
  };
  return {
    async buffer(size: number): Promise<Uint8Array<ArrayBuffer>> {
      while (running.size >= places) await Promise.race(running);
      check();
      const fitting = free.findIndex(({ byteLength }) => byteLength >= size);
      const [buffer] = fitting < 0 ? [] : free.splice(fitting, 1);
      // A buffer that is too small is dropped, so that there are never more than places.
      if (buffer === undefined && free.length + running.size >= places) free.shift();
      return new Uint8Array(buffer ?? new ArrayBuffer(roundUp(size, maxBytes)), 0, size);
    },
    run(bytes: Uint8Array<ArrayBuffer>, upload: (bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>): void {
      const task = upload(bytes).then(
        () => void free.push(bytes.buffer),
        (error: unknown) => {
          failure ??= { error };
        },
      );
      running.add(task);
      void task.then(() => running.delete(task));
    },
    /** Waits for all uploads. */
    async end(): Promise<void> {
      await Promise.all(running);
      check();
    },
  };
}

const MIN_BYTES = 64 * 1024;

/** Returns a power of two that holds `size` bytes, so that buffers fit further files. */
const roundUp = (size: number, maxBytes: number): number =>
  Math.min(maxBytes, Math.max(MIN_BYTES, 2 ** Math.ceil(Math.log2(Math.max(1, size)))));
