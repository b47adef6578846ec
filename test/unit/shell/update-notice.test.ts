import { afterEach, expect, test, vi } from "vitest";
import { postponeUpdate, startWorker } from "../../../shell/client/src/worker/worker.ts";

afterEach(() => vi.unstubAllGlobals());

/** Starts the service worker of a tab in which a version waits. Returns how often it is offered, and a function that adds one. */
async function startTab(storage: Map<string, string>) {
  const installing = new EventTarget();
  const registration = Object.assign(new EventTarget(), { waiting: {} as object | null, active: {}, installing });
  vi.stubGlobal("navigator", { serviceWorker: { register: async () => registration, controller: {} } });
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("dispatchEvent", () => true);
  vi.stubGlobal("setInterval", () => 0);
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => storage.get(name) ?? null,
    setItem: (name: string, text: string) => void storage.set(name, text),
  });
  const offer = vi.fn();
  await startWorker(offer);
  registration.dispatchEvent(new Event("updatefound"));
  return {
    offer,
    install(waiting: object) {
      registration.waiting = waiting;
      installing.dispatchEvent(new Event("statechange"));
    },
    waiting: registration.waiting as object,
  };
}

test("an update is offered once in a tab, not again after it was postponed, and the next one is", async () => {
  const storage = new Map<string, string>();
  const first = await startTab(storage);
  first.install(first.waiting);
  expect(first.offer).toHaveBeenCalledTimes(1);
  postponeUpdate();
  const second = await startTab(storage);
  second.install(second.waiting);
  expect(second.offer).toHaveBeenCalledTimes(0);
  second.install({});
  expect(second.offer).toHaveBeenCalledTimes(1);
});
