// Stands in front of a production bundle in the bench and counts what it asks of the runtime: statements of D1 with the rows
// they read and wrote, rows of Durable Objects, alarms, calls of objects, messages of queues, log lines. The bundle itself
// knows nothing of it: the runtime's own objects are wrapped before it is evaluated.
import { type DurableObject, env } from "cloudflare:workers";
import { type Entry, Tally } from "./tally.ts";

const system = Date;
const tally = new Tally();
let inFlight = 0;
let counted = 0;
let sent = 0;
let received = 0;
let shiftMs = 0;
/** objects whose alarm is set, by their ids: when it is due by the shifted clock */
const alarms = new Map<string, number>();

// The clock of the Worker can be put forward, so that windows end and rows outlive their retention at once.
globalThis.Date = class extends system {
  constructor(...values: [] | [number]) {
    super(...((values.length === 0 ? [system.now() + shiftMs] : values) as [number]));
  }
  static override now(): number {
    return system.now() + shiftMs;
  }
} as DateConstructor;

function count(
  kind: Entry["kind"],
  name: string,
  rows: { read?: number; written?: number; calls?: number } = {},
): void {
  counted += 1;
  tally.add({ kind, name, calls: 1, read: 0, written: 0, ...rows });
}

async function during<T>(work: () => Promise<T>): Promise<T> {
  inFlight += 1;
  try {
    return await work();
  } finally {
    inFlight -= 1;
    counted += 1;
  }
}

type Method = (...values: never[]) => unknown;
/** Replaces a method of `owner` by what `around` makes of it. */
function wrap(owner: object, name: string, around: (call: () => unknown, self: unknown, values: unknown[]) => unknown) {
  const own = Reflect.get(owner, name) as Method;
  const value = function (this: unknown, ...values: unknown[]) {
    return around(() => Reflect.apply(own, this, values), this, values);
  };
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}

type Prepared = { statement: string };

function countTrip(statements: Prepared[], results: D1Result[]): void {
  let written = 0;
  results.forEach(({ meta }, at) => {
    written += meta.rows_written;
    count("statement", statements[at]?.statement ?? "", { read: meta.rows_read, written: meta.rows_written });
  });
  count("round trip", written > 0 ? "that writes" : "that reads");
}

function countDatabase(database: D1Database): void {
  const statement = Object.getPrototypeOf(database.prepare("SELECT 1"));
  for (const name of ["all", "run"]) {
    wrap(statement, name, (call, self) =>
      during(async () => {
        const result = (await call()) as D1Result;
        countTrip([self as Prepared], [result]);
        return result;
      }),
    );
  }
  for (const name of ["first", "raw"]) {
    wrap(statement, name, () =>
      Promise.reject(new Error(`${name} of a statement tells no rows: the meter needs all or run`)),
    );
  }
  // A batch of the database is one of its session that asks the primary.
  wrap(Object.getPrototypeOf(database.withSession()), "batch", (call, _self, [statements]) =>
    during(async () => {
      const results = (await call()) as D1Result[];
      countTrip(statements as Prepared[], results);
      return results;
    }),
  );
}

function countCalls(namespace: DurableObjectNamespace): void {
  for (const name of ["get", "getByName"]) {
    wrap(Object.getPrototypeOf(namespace), name, (call) => {
      const stub = call() as object;
      return new Proxy(stub, {
        get: (target, property) => {
          const found: unknown = Reflect.get(target, property);
          if (typeof found !== "function") return found;
          return (...values: unknown[]) => {
            if (property !== "ringAlarm") count("object call", String(property));
            return Reflect.apply(found, target, values);
          };
        },
      });
    });
  }
}

function countMessages(queue: Queue): void {
  const prototype = Object.getPrototypeOf(queue);
  wrap(prototype, "send", (call) => {
    count("queue message", "send");
    sent += 1;
    return call();
  });
  wrap(prototype, "sendBatch", (call, _self, [messages]) => {
    const { length } = [...(messages as Iterable<unknown>)];
    count("queue message", "sendBatch", { calls: length });
    sent += length;
    return call();
  });
}

// By their classes: a service binding claims to have every method there is.
const bindings: object[] = Object.values(env).filter((binding) => typeof binding === "object" && binding !== null);
const ofClass = <T>(name: string) => bindings.filter((binding) => binding.constructor.name === name) as T[];
const namespaces = ofClass<DurableObjectNamespace>("DurableObjectNamespace");
const [database] = ofClass<D1Database>("D1Database");
const [queue] = ofClass<Queue>("WorkerQueue");
// Their methods stand in prototypes, so one of each kind is enough.
if (database) countDatabase(database);
if (namespaces[0]) countCalls(namespaces[0]);
if (queue) countMessages(queue);

for (const name of ["debug", "log", "info", "warn", "error"]) {
  wrap(console, name, (call, _self, [text]) => {
    const told = String(text);
    count("log line", told.startsWith("{") ? String((JSON.parse(told) as { message: string }).message) : "not of ours");
    return call();
  });
}

function countStorage({ id, storage }: DurableObjectState, className: string): void {
  wrap(storage.sql, "exec", (call, _self, [text]) => {
    const cursor = call() as SqlStorageCursor<never>;
    // The rows are known when the cursor was read to its end, which is before this runs.
    queueMicrotask(() => {
      count("object row", `${className}: ${text}`, { read: cursor.rowsRead, written: cursor.rowsWritten });
    });
    return cursor;
  });
  // Each of these is billed as a row written.
  for (const [owner, name] of [
    ...["put", "delete"].map((name) => [storage, name] as const),
    ...["put", "delete"].map((name) => [storage.kv, name] as const),
  ]) {
    wrap(owner, name, (call) => {
      count("object row", `${className}: ${name}`, { written: 1 });
      return call();
    });
  }
  wrap(storage, "setAlarm", (call, _self, [at]) => {
    count("alarm set", className, { written: 1 });
    alarms.set(id.toString(), Number(at));
    return call();
  });
  for (const name of ["deleteAlarm", "deleteAll"]) {
    wrap(storage, name, (call) => {
      alarms.delete(id.toString());
      return call();
    });
  }
}

type ObjectClass = new (state: DurableObjectState, env: never) => DurableObject;

/** A class of Durable Objects whose storage is counted. */
export function meterObject(name: string, Base: ObjectClass): ObjectClass {
  return class extends Base {
    constructor(state: DurableObjectState, env: never) {
      countStorage(state, name);
      super(state, env);
    }

    /** As the platform rings: the alarm is unset, then the object is called. */
    async ringAlarm(): Promise<void> {
      await this.ctx.storage.deleteAlarm();
      count("alarm", name);
      await during(async () => this.alarm?.());
    }
  };
}

/** Rings every alarm that is due by the shifted clock; how many. */
async function ringAlarms(): Promise<number> {
  const due = [...alarms].filter(([, at]) => at <= Date.now()).map(([id]) => id);
  for (const id of due) {
    for (const namespace of namespaces) {
      try {
        const stub = namespace.get(namespace.idFromString(id)) as unknown as { ringAlarm(): Promise<void> };
        await stub.ringAlarm();
      } catch (error) {
        // An id of another namespace.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }
  return due.length;
}

/** Whether anything is under way: messages of queues may be received by another Worker than their sender. */
export type Activity = { inFlight: number; counted: number; sent: number; received: number };

/** What the bench asks: `take` entries, `idle` or not, `shift` the clock, `ring` due alarms. */
async function answerBench(url: URL): Promise<Response> {
  if (url.pathname.endsWith("/take")) return Response.json(tally.take());
  if (url.pathname.endsWith("/ring")) return Response.json(await ringAlarms());
  if (url.pathname.endsWith("/shift")) shiftMs = Number(url.searchParams.get("ms"));
  return Response.json({ inFlight, counted, sent, received } satisfies Activity);
}

/** The entry of a Worker with the paths of the meter before its own. */
export function meterWorker(production: ExportedHandler<never>): ExportedHandler<never> {
  const { fetch, queue, scheduled } = production;
  return {
    fetch: async (request, bound, context) => {
      const url = new URL(request.url);
      if (url.pathname.startsWith("/__meter/")) return answerBench(url);
      count("request", "fetch");
      return during(async () => (await fetch?.(request, bound, context)) ?? new Response(null, { status: 404 }));
    },
    queue: (batch, bound, context) => {
      count("queue batch", batch.queue);
      received += batch.messages.length;
      return during(async () => queue?.(batch, bound, context));
    },
    scheduled: (event, bound, context) => during(async () => scheduled?.(event, bound, context)),
  };
}
