import type { DurableObject } from "cloudflare:workers";
import { namespaces } from "./bindings.ts";
import { count, trackActivity, wrap } from "./count.ts";

/** Due times of the set alarms by object id, on the shifted clock. */
const alarms = new Map<string, number>();

function countStorage({ id, storage }: DurableObjectState, className: string): void {
  wrap(storage.sql, "exec", (call, _self, [text]) => {
    const cursor = call() as SqlStorageCursor<never>;
    // The cursor knows its rows only after it was read to its end, which happens before this microtask.
    queueMicrotask(() => {
      count("object row", `${className}: ${text}`, { read: cursor.rowsRead, written: cursor.rowsWritten });
    });
    return cursor;
  });
  // Cloudflare bills each of these calls as a written row.
  for (const [owner, name] of [
    ...["put", "delete"].map((name) => [storage, name] as const),
    ...["put", "delete"].map((name) => [storage.kv, name] as const),
  ]) {
    wrap(owner, name, (call) => {
      count("object row", `${className}: ${name}`, { written: 1 });
      return call();
    });
  }
  wrap(storage, "setAlarm", (call, _self, [dueAt]) => {
    count("alarm set", className, { written: 1 });
    alarms.set(id.toString(), Number(dueAt));
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

/** Returns a Durable Object class that counts the storage calls of `Base`. */
export function meterObject(name: string, Base: ObjectClass): ObjectClass {
  return class extends Base {
    constructor(state: DurableObjectState, env: never) {
      countStorage(state, name);
      super(state, env);
    }

    /** Runs the alarm as Cloudflare does: removes the alarm, and then calls the object. */
    async runAlarm(): Promise<void> {
      await this.ctx.storage.deleteAlarm();
      count("alarm", name);
      await trackActivity(async () => this.alarm?.());
    }
  };
}

/** Runs every alarm that is due on the shifted clock, and returns their number. */
export async function runDueAlarms(): Promise<number> {
  const due = [...alarms].filter(([, at]) => at <= Date.now()).map(([id]) => id);
  for (const id of due) {
    for (const namespace of namespaces) {
      try {
        const stub = namespace.get(namespace.idFromString(id)) as unknown as { runAlarm(): Promise<void> };
        await stub.runAlarm();
      } catch (error) {
        // The id belongs to another namespace.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }
  return due.length;
}
