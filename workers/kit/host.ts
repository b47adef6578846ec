import { randomHex } from "./crypto/random";

// An isolate runs in one location, so the location of a request is also valid for the crons of the same isolate.
let location = "unknown";
let isolate = "";

/** Remembers the location code of a request. */
export function recordLocation(request: Request): void {
  const colo = Reflect.get(Object(Reflect.get(request, "cf")), "colo");
  if (typeof colo === "string" && /^[A-Z]{3}$/.test(colo)) location = colo;
}

/** Returns `{worker}@{location code}:{isolate id}`; the isolate id is 8 random hex characters. */
export function workerLocation(worker: string): string {
  isolate ||= randomHex(4);
  return `${worker}@${location}:${isolate}`;
}
