import { randomHex } from "./crypto/random";

// One isolate runs in one place, so what a request tells holds for the crons of the same isolate.
let location = "unknown";
let isolate = "";

/** Notes the location code that came with a request. */
export function noteLocation(request: Request): void {
  const colo = Reflect.get(Object(Reflect.get(request, "cf")), "colo");
  if (typeof colo === "string" && /^[A-Z]{3}$/.test(colo)) location = colo;
}

/** `{worker}@{location code}:{8 hex characters of the isolate}`. */
export function workerLocation(worker: string): string {
  isolate ||= randomHex(4);
  return `${worker}@${location}:${isolate}`;
}
