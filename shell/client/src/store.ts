import { useEffect, useState } from "preact/compat";

/** A value that is watched. `set` takes the next value or makes it from the last one; an equal one (`Object.is`) tells nobody. */
export type Store<Value> = {
  get: () => Value;
  set: (next: Value | ((last: Value) => Value)) => void;
  subscribe: (listener: () => void) => () => void;
};

/** What can be watched but not set. */
export type Readable<Value> = Pick<Store<Value>, "get" | "subscribe">;

/** A store with a first value. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const nextValue = typeof next === "function" ? (next as (last: Value) => Value)(value) : next;
      if (Object.is(nextValue, value)) return;
      value = nextValue;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const identity = <Value>(value: Value) => value;

/** The value of a store, or what `select` takes from it; the component is drawn anew when that is another. */
export function useStore<Value>(store: Readable<Value>): Value;
export function useStore<Value, Part>(store: Readable<Value>, select: (value: Value) => Part): Part;
export function useStore<Value>(store: Readable<Value>, select: (value: Value) => unknown = identity): unknown {
  const value = select(store.get());
  // One record for the life of the component: a page has hundreds of these, and each hook of one counts at its start.
  const [{ rendered }, redraw] = useState(() => ({ rendered: { value, select } }));
  rendered.value = value;
  rendered.select = select;
  useEffect(() => {
    const look = () => {
      if (!Object.is(rendered.value, rendered.select(store.get()))) redraw({ rendered });
    };
    // What changed since it was drawn.
    look();
    return store.subscribe(look);
  }, [store, rendered]);
  return value;
}
