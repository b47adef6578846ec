// Does nothing but the same number of calls of D1, Durable Objects and another Worker as a measured operation.
import { DurableObject } from "cloudflare:workers";

type Bindings = { DB: D1Database; MAIL: Fetcher; COUNTER: DurableObjectNamespace<Counter> };

/** Objects are as warm as those of a service that is in use. */
const OBJECTS = 16;
let calls = 0;

/** Stores one number a call, as a limit must. */
export class Counter extends DurableObject {
  count(): number {
    const next = (this.ctx.storage.kv.get<number>("n") ?? 0) + 1;
    this.ctx.storage.kv.put("n", next);
    return next;
  }
}

export default {
  /** `?reads=&writes=&objects=&mails=`: so many calls, one after the other. */
  async fetch(request, env) {
    const { searchParams } = new URL(request.url);
    const times = (name: string) => Array.from({ length: Number(searchParams.get(name) ?? 0) });
    for (const _ of times("objects")) await env.COUNTER.getByName(String(calls++ % OBJECTS)).count();
    for (const _ of times("reads")) await env.DB.prepare("SELECT 1 AS n").all();
    for (const _ of times("writes")) {
      await env.DB.prepare("INSERT INTO bare (at) VALUES (?1)").bind(Date.now()).run();
    }
    for (const _ of times("mails")) await env.MAIL.fetch("http://mail/", { method: "POST", body: "{}" });
    return Response.json({ ok: true });
  },
} satisfies ExportedHandler<Bindings>;
