import { env } from "cloudflare:workers";
import { activity, count, trackActivity, wrap } from "./count.ts";

type Prepared = { statement: string };

function countTrip(statements: Prepared[], results: D1Result[]): void {
  let written = 0;
  results.forEach(({ meta }, index) => {
    written += meta.rows_written;
    count("statement", statements[index]?.statement ?? "", { read: meta.rows_read, written: meta.rows_written });
  });
  count("round trip", written > 0 ? "that writes" : "that reads");
}

function countDatabase(database: D1Database): void {
  const statement = Object.getPrototypeOf(database.prepare("SELECT 1"));
  for (const name of ["all", "run"]) {
    wrap(statement, name, (call, self) =>
      trackActivity(async () => {
        const result = (await call()) as D1Result;
        countTrip([self as Prepared], [result]);
        return result;
      }),
    );
  }
  for (const name of ["first", "raw"]) {
    wrap(statement, name, () => Promise.reject(new Error(`${name} returns no row counts: the meter needs all or run`)));
  }
  // `D1Database.batch` calls the batch of a session on the primary, so only that method is wrapped.
  wrap(Object.getPrototypeOf(database.withSession()), "batch", (call, _self, [statements]) =>
    trackActivity(async () => {
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
          const method: unknown = Reflect.get(target, property);
          if (typeof method !== "function") return method;
          return (...values: unknown[]) => {
            if (property !== "runAlarm") count("object call", String(property));
            return Reflect.apply(method, target, values);
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
    activity.sent += 1;
    return call();
  });
  wrap(prototype, "sendBatch", (call, _self, [messages]) => {
    const { length } = [...(messages as Iterable<unknown>)];
    count("queue message", "sendBatch", { calls: length });
    activity.sent += length;
    return call();
  });
}

function countObjectReads(bucket: R2Bucket): void {
  wrap(Object.getPrototypeOf(bucket), "get", (call) => {
    count("object read", "get");
    return call();
  });
}

// Selects bindings by class, because a service binding seems to have every method.
const bindings: object[] = Object.values(env).filter((binding) => typeof binding === "object" && binding !== null);
const bindingsOfClass = <T>(name: string) => bindings.filter((binding) => binding.constructor.name === name) as T[];
/** The Durable Object namespaces that are bound to this Worker. */
export const namespaces = bindingsOfClass<DurableObjectNamespace>("DurableObjectNamespace");
const [database] = bindingsOfClass<D1Database>("D1Database");
const [queue] = bindingsOfClass<Queue>("WorkerQueue");
// The methods are on the prototypes, so it is enough to wrap one binding of each kind.
if (database) countDatabase(database);
const [bucket] = bindingsOfClass<R2Bucket>("R2Bucket");
if (bucket) countObjectReads(bucket);
if (namespaces[0]) countCalls(namespaces[0]);
if (queue) countMessages(queue);

for (const name of ["debug", "log", "info", "warn", "error"]) {
  wrap(console, name, (call, _self, [text]) => {
    const line = String(text);
    count("log line", line.startsWith("{") ? String((JSON.parse(line) as { message: string }).message) : "other");
    return call();
  });
}
