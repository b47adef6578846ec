import { describe, expect, it } from "vitest";
import { startBulk } from "../../support/email/bulk";
import { type ApiResponder, accept } from "../../support/email/delivery";
import { readMessage, storeMessage } from "../../support/email/messages";

describe("the pace of bulk mail", () => {
  it("of a company lets a claim begin when the earlier one is over, and delays the others", async () => {
    const { harness, company, deliver } = await startBulk({ perSecond: 1000 });
    const ids = await Promise.all(
      Array.from({ length: 2 }, () => storeMessage(company, { lane: "bulk", scope: "company" })),
    );
    const unknown = Array.from({ length: 299 }, () => crypto.randomUUID().replaceAll("-", ""));
    await deliver([ids[0] ?? "", ...unknown]);
    expect(harness.calls).toHaveLength(1);
    await deliver([ids[1] ?? ""]);
    expect(harness.calls).toHaveLength(1);
    expect(harness.enqueued).toEqual([{ lane: "bulk", ids: [ids[1]], delaySeconds: 1 }]);
    harness.advance(300);
    await deliver([ids[1] ?? ""]);
    expect(harness.calls).toHaveLength(2);
  });

  it("allows two claims of a company at the same time, so ten parallel attempts", async () => {
    const release: (() => void)[] = [];
    const respond: ApiResponder = async (...request) => {
      await new Promise<void>((resolve) => release.push(resolve));
      return accept(...request);
    };
    const { harness, company, deliver } = await startBulk({ perSecond: 10, respond });
    const ids = await Promise.all([1, 2, 3].map(() => storeMessage(company, { lane: "bulk", scope: "company" })));
    const running = ids.slice(0, 2).map((id) => deliver([id]));
    await expect.poll(() => harness.calls.length).toBe(2);
    const [, , third = ""] = ids;
    await deliver([third]);
    expect(harness.calls).toHaveLength(2);
    expect(harness.enqueued).toEqual([{ lane: "bulk", ids: [third], delaySeconds: 10 }]);
    for (const respondNow of release.splice(0)) respondNow();
    await Promise.all(running);
    const last = deliver([third]);
    await expect.poll(() => release.length).toBe(1);
    release[0]?.();
    await last;
    expect(await readMessage(third)).toMatchObject({ status: "sent" });
  });

  it("is not used up by wake-up messages that find nothing", async () => {
    const { harness, company, deliver } = await startBulk({ perSecond: 1000 });
    await deliver(Array.from({ length: 300 }, () => crypto.randomUUID().replaceAll("-", "")));
    const id = await storeMessage(company, { lane: "bulk", scope: "company" });
    await deliver([id]);
    expect(harness.calls).toHaveLength(1);
  });

  it("separates the attempts of a claim, and makes claims that fit into the lease", async () => {
    const { harness, company, deliver } = await startBulk({ perSecond: 10 });
    const ids = await Promise.all(
      Array.from({ length: 4 }, () => storeMessage(company, { lane: "bulk", scope: "company" })),
    );
    const before = Date.now();
    await deliver(ids);
    expect(harness.calls).toHaveLength(4);
    expect(Date.now() - before).toBeGreaterThanOrEqual(290);
    // At one mail per second a claim of half a lease holds 60 messages; the others wait.
    const slow = await startBulk({ perSecond: 1 });
    const unknown = Array.from({ length: 61 }, () => crypto.randomUUID().replaceAll("-", ""));
    const kept = await storeMessage(slow.company, { lane: "bulk", scope: "company" });
    await slow.deliver([kept, ...unknown]);
    expect(slow.harness.calls).toHaveLength(1);
    expect(slow.harness.enqueued.map(({ ids: waiting }) => waiting.length)).toEqual([2]);
    expect(slow.harness.enqueued[0]?.delaySeconds).toBe(60);
  });

  it("of the platform sender counts all its companies together, and not the others", async () => {
    const one = await startBulk({ sender: 1000, isPlatform: true });
    const fill = Array.from({ length: 299 }, () => crypto.randomUUID().replaceAll("-", ""));
    const first = await storeMessage(one.company, { lane: "bulk", scope: "platform" });
    await one.deliver([first, ...fill]);
    const two = await startBulk({ sender: 1000, isPlatform: true, at: one.harness.now() });
    const second = await storeMessage(two.company, { lane: "bulk", scope: "platform" });
    await two.deliver([second]);
    expect(two.harness.calls).toEqual([]);
    expect(two.harness.enqueued).toEqual([{ lane: "bulk", ids: [second], delaySeconds: 1 }]);
    const other = await startBulk({ sender: 1000 });
    await other.deliver([await storeMessage(other.company, { lane: "bulk", scope: "company" })]);
    expect(other.harness.calls).toHaveLength(1);
  });

  it("does not stop when the rate limiter does not respond", async () => {
    const { harness, company, deliver } = await startBulk({ perSecond: 100 });
    const id = await storeMessage(company, { lane: "bulk", scope: "company" });
    const services = harness.build();
    const tryReserve = async () => ({ ok: "unknown", reservation: "r" }) as const;
    await deliver([id], { ...services, limiter: { ...services.limiter, tryReserve } });
    expect(harness.calls).toHaveLength(1);
  });
});
