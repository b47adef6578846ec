import type { PlatformEvents } from "../types/common.ts";

type Listener<Name extends keyof PlatformEvents> = (event: PlatformEvents[Name]) => void;

/** Creates the event emitter. An error in a listener is reported by the page and does not stop other listeners. */
export function createEvents() {
  const listeners: { [Name in keyof PlatformEvents]?: Set<Listener<Name>> } = {};
  const listenersOf = <Name extends keyof PlatformEvents>(name: Name): Set<Listener<Name>> => {
    const registered: Set<Listener<Name>> = listeners[name] ?? new Set<Listener<Name>>();
    Object.assign(listeners, { [name]: registered });
    return registered;
  };
  return {
    on<Name extends keyof PlatformEvents>(name: Name, listener: Listener<Name>): () => void {
      listenersOf(name).add(listener);
      return () => void listenersOf(name).delete(listener);
    },
    emit<Name extends keyof PlatformEvents>(name: Name, event: PlatformEvents[Name]): void {
      for (const listener of listenersOf(name)) safely(() => listener(event));
    },
  };
}

/** Runs a callback of the application. Rethrows its errors asynchronously. */
export function safely(run: () => void): void {
  try {
    run();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}
