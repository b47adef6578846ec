import { env } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  emitMany,
  forgetDeliveries,
  freshKey,
  hook,
  recorded,
  startWebhooks,
} from "../../../support/webhooks/dispatch";

beforeEach(forgetDeliveries);

describe("slow receivers", () => {
  it.each(["first", "retry"] as const)(
    "occupy only their own slots and never those of other receivers (%s attempts)",
    async (mode) => {
      const webhooks = startWebhooks({ settings: { timeoutMs: 3000 } });
      const quick = freshKey();
      await webhooks.addRule({ url: hook("never", freshKey(), 1) });
      await webhooks.addRule({ url: hook("slow-20", quick, 2) });
      const ids = await emitMany(webhooks, 10);
      if (mode === "retry") webhooks.advance(31_000);
      const done = mode === "first" ? webhooks.first(ids) : webhooks.retry();
      const beforeTimeout = { timeout: 2800, message: "all quick ones before the first timeout" };
      await expect.poll(async () => (await recorded(quick)).length, beforeTimeout).toBe(10);
      await done;
      const rows = await webhooks.deliveries();
      expect(rows.filter(({ status }) => status === "delivered")).toHaveLength(10);
      expect(rows.filter(({ status }) => status === "failed")).toHaveLength(10);
    },
    40_000,
  );

  it("do not prevent a consumer from handling the next queue messages", async () => {
    const webhooks = startWebhooks({ settings: { timeoutMs: 3000 } });
    const key = freshKey();
    await webhooks.addRule({ url: hook("never", key) });
    const { ids } = await webhooks.emit();
    const late: Promise<unknown>[] = [];
    let ended = 0;
    const context = webhooks.build({ waitUntil: (work) => void late.push(work.finally(() => ended++)) });
    expect(await webhooks.first(ids, context)).toBe("acked");
    expect([late.length > 0, ended], "the receiver still holds its attempt").toEqual([true, 0]);
    await Promise.all(late);
    expect(await webhooks.deliveries()).toMatchObject([{ status: "failed", last_error_code: "timeout" }]);
  });

  it("do not block the real queue", async () => {
    const webhooks = startWebhooks();
    const { WEBHOOKS_QUEUE } = env as unknown as { WEBHOOKS_QUEUE: Queue };
    const [slow, quick] = [freshKey(), freshKey()];
    await webhooks.addRule({ url: hook("never", slow), allowPrivate: true });
    const eventType = "identity.group.deleted";
    await webhooks.addRule({ url: hook("ok", quick, 1), allowPrivate: true, eventType });
    const send = async (type: string) => {
      const { ids } = await webhooks.emit({ type });
      await WEBHOOKS_QUEUE.send({ v: 1, kind: "first", ids, request_id: "cause" });
    };
    await send("identity.group.created");
    await vi.waitFor(async () => expect(await recorded(slow)).toHaveLength(1), { timeout: 5000 });
    await send(eventType);
    await vi.waitFor(async () => expect(await recorded(quick)).toHaveLength(1), { timeout: 2500 });
    expect(await webhooks.attempts()).toMatchObject([{ status: "success" }]);
    await vi.waitFor(async () => expect(await webhooks.attempts()).toHaveLength(2), { timeout: 8000 });
  }, 30_000);
});
