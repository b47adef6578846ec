import type { Activity } from "../meter/count.ts";
import { addUp, type Entry } from "../meter/tally.ts";
import type { Runtime } from "./runtime.ts";

/** Nothing was counted for so long, and nothing is under way: what follows an answer is done too. */
const QUIET_MS = 250;
const LONGEST_MS = 60_000;

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** The meters of the Workers of a runtime, by the names of those. */
export async function openMeters(runtime: Runtime, names: string[]) {
  const urls = new Map(await Promise.all(names.map(async (name) => [name, await runtime.url(name)] as const)));
  const ask = async <T>(path: string): Promise<[string, T][]> =>
    Promise.all(
      [...urls].map(async ([name, url]): Promise<[string, T]> => {
        const response = await fetch(`${url}/__meter/${path}`);
        if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
        return [name, (await response.json()) as T];
      }),
    );
  const settle = async (): Promise<void> => {
    const end = Date.now() + LONGEST_MS;
    let before = "";
    for (;;) {
      const states = (await ask<Activity>("idle")).map(([, activity]) => activity);
      const now = JSON.stringify(states);
      const waiting = states.reduce((sum, { inFlight, sent, received }) => sum + inFlight + sent - received, 0);
      if (now === before && waiting <= 0) return;
      if (Date.now() > end) throw new Error(`the Workers do not come to rest: ${now}`);
      before = now;
      await pause(QUIET_MS);
    }
  };
  const takeNow = async (): Promise<Map<string, Entry[]>> => new Map(await ask<Entry[]>("take"));
  return {
    settle,
    /** what was counted since the last time, by Worker, where nothing follows an answer */
    takeNow,
    /** what was counted since the last time, by Worker, once all is done */
    take: async (): Promise<Map<string, Entry[]>> => {
      await settle();
      return takeNow();
    },
    /** puts the clocks forward to `ms` from now and rings the alarms that are due then, until none is */
    shift: async (ms: number): Promise<void> => {
      await ask(`shift?ms=${ms}`);
      for (let rung = 1; rung > 0; ) {
        rung = (await ask<number>("ring")).reduce((sum, [, count]) => sum + count, 0);
      }
    },
  };
}

/** Adds up what was counted, Worker by Worker. */
export function addUpByWorker(...parts: Map<string, Entry[]>[]): Map<string, Entry[]> {
  const names = new Set(parts.flatMap((part) => [...part.keys()]));
  return new Map([...names].map((name) => [name, addUp(...parts.map((part) => part.get(name) ?? []))]));
}
