import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { action_deliveries, event_log } from "../../../../db/kit/webhooks";
import worker from "../../../../workers/identity/worker";
import { clock } from "../../../../workers/kit/clock";
import { createMailbox, identityEnv } from "../../../support/identity/identity";
import { isolatedLocks, tick } from "../../../support/jobs/jobs";
import {
  forgetDeliveries,
  freshKey,
  hook,
  receivers,
  recorded,
  startWebhooks,
} from "../../../support/webhooks/dispatch";
import { attemptsWhere, eventsWhere } from "../../../support/webhooks/rows";

const minuteMs = 60_000;
const dayMs = 86_400_000;
// These days are before every other row, so that their purges delete only the rows of this test.
const start = Date.UTC(2020, 2, 1);

const systemNow = clock.now;
beforeEach(async () => {
  await forgetDeliveries();
  // Suppresses the summary line of each run.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
});
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

it("backs off, stops after eight attempts, and deletes deliveries after their retention within eight days", async () => {
  const env = { ...identityEnv(createMailbox()), BROKER: await isolatedLocks() };
  const webhooks = startWebhooks();
  const setTime = (time: number) => {
    clock.now = () => time;
  };
  const key = freshKey();
  setTime(start + 1);
  const unreachableRule = await webhooks.addRule({ url: `${receivers().closed}/x`, allowPrivate: true });
  const recoveringRule = await webhooks.addRule({ url: hook("from-3", key), allowPrivate: true });
  const { ids } = await webhooks.emit();
  await webhooks.first(ids);
  for (let minute = 1; minute <= 70; minute++) {
    setTime(start + minute * minuteMs);
    await tick(worker, env, "* * * * *", start + minute * minuteMs);
  }
  const minutesOf = async (rule: number) => {
    const attempts = await attemptsWhere(eq(action_deliveries.rule_id, rule));
    const inOrder = attempts.toSorted((a, b) => a.attempt_number - b.attempt_number);
    return inOrder.map(({ created_at }) => Math.floor((created_at - start) / minuteMs));
  };
  expect(await minutesOf(unreachableRule)).toEqual([0, 1, 2, 4, 8, 16, 32, 64]);
  expect(await minutesOf(recoveringRule)).toEqual([0, 1, 2]);
  const calls = await recorded(key);
  expect(calls.map(({ headers }) => headers["x-platform-delivery-attempt"])).toEqual(["1", "2", "3"]);
  expect((await webhooks.deliveries()).map(({ rule_id, status }) => [rule_id, status])).toEqual([
    [unreachableRule, "dead"],
    [recoveringRule, "delivered"],
  ]);

  const remaining: number[][] = [];
  for (let day = 5; day <= 8; day++) {
    setTime(start + day * dayMs);
    await tick(worker, env, "17 * * * *", start + day * dayMs);
    const events = await eventsWhere(eq(event_log.company_id, webhooks.companyId));
    remaining.push([events.length, (await webhooks.deliveries()).length, (await webhooks.attempts()).length]);
  }
  expect(remaining).toEqual([
    [1, 2, 11],
    [1, 2, 11],
    [1, 2, 11],
    [0, 0, 0],
  ]);
}, 60_000);
