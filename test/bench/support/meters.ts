import type { Activity } from "../meter/count.ts";
import { addUp, type Entry } from "../meter/tally.ts";
import type { Runtime } from "./runtime.ts";

/** If nothing is counted for this time and no work is in progress, the background work after a response has ended. */
const QUIET_MS = 250;
const MAX_WAIT_MS = 60_000;

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Opens the meters of a runtime's Workers with these names. */
export async function openMeters(runtime: Runtime, names: string[]) {
  const urls = new Map(await Promise.all(names.map(async (name) => [name, await runtime.url(name)] as const)));
  const callMeters = async <T>(path: string): Promise<[string, T][]> =>
    Promise.all(
      [...urls].map(async ([name, url]): Promise<[string, T]> => {
        const response = await fetch(`${url}/__meter/${path}`);
        if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
        return [name, (await response.json()) as T];
      }),
    );
  const settle = async (): Promise<void> => {
    const end = Date.now() + MAX_WAIT_MS;
    let previousState = "";
    for (;;) {
      const states = (await callMeters<Activity>("idle")).map(([, activity]) => activity);
      const currentState = JSON.stringify(states);
      const pendingCount = states.reduce((sum, { inFlight, sent, received }) => sum + inFlight + sent - received, 0);
      if (currentState === previousState && pendingCount <= 0) return;
      if (Date.now() > end) throw new Error(`the Workers do not become idle: ${currentState}`);
      previousState = currentState;
      await pause(QUIET_MS);
    }
  };
  const takeNow = async (): Promise<Map<string, Entry[]>> => new Map(await callMeters<Entry[]>("take"));
  return {
    settle,
    /** returns the entries since the last call by Worker, without waiting for background work */
    takeNow,
    /** returns the entries since the last call by Worker, after all background work */
    take: async (): Promise<Map<string, Entry[]>> => {
      await settle();
      return takeNow();
    },
    /** returns the durations of the queue batches since the last call, in ms */
    takeDurations: async (): Promise<number[]> => (await callMeters<number[]>("durations")).flatMap(([, ms]) => ms),
    /** sets the clocks to `ms` ahead of the real time, and runs due alarms until none is left */
    shift: async (ms: number): Promise<void> => {
      await callMeters(`shift?ms=${ms}`);
      for (let alarmCount = 1; alarmCount > 0; ) {
        alarmCount = (await callMeters<number>("alarms")).reduce((sum, [, count]) => sum + count, 0);
      }
    },
  };
}

/** Returns the sums of several counts, by Worker. */
export function addUpByWorker(...parts: Map<string, Entry[]>[]): Map<string, Entry[]> {
  const names = new Set(parts.flatMap((part) => [...part.keys()]));
  return new Map([...names].map((name) => [name, addUp(...parts.map((part) => part.get(name) ?? []))]));
}
