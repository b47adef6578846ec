import { useEffect, useState } from "preact/compat";

/**
 * An observable value. `set` accepts the next value or a function of the last value. It notifies listeners unless the values
 * are equal (`Object.is`).
 */
export type Store<Value> = {
  get: () => Value;
  set: (next: Value | ((last: Value) => Value)) => void;
  subscribe: (listener: () => void) => () => void;
};

/** A store without `set`. */
export type Readable<Value> = Pick<Store<Value>, "get" | "subscribe">;

/** Creates a store with an initial value. */
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

/**
 * Returns the value of a store, or the result of `select` for the value. Renders the component again when the result changes.
 */
export function useStore<Value>(store: Readable<Value>): Value;
export function useStore<Value, Part>(store: Readable<Value>, select: (value: Value) => Part): Part;
export function useStore<Value>(store: Readable<Value>, select: (value: Value) => unknown = identity): unknown {
  const value = select(store.get());
  // A single `useState` holds all state, because a page uses hundreds of stores and each hook makes the start slower.
  const [{ rendered }, redraw] = useState(() => ({ rendered: { value, select } }));
  rendered.value = value;
  rendered.select = select;
  useEffect(() => {
    const renderIfChanged = () => {
      if (!Object.is(rendered.value, rendered.select(store.get()))) redraw({ rendered });
    };
    // The value may have changed since the render.
    renderIfChanged();
    return store.subscribe(renderIfChanged);
  }, [store, rendered]);
  return value;
}
