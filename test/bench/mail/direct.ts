import { randomBytes } from "node:crypto";
import { type Entry, sumOf } from "../meter/tally.ts";
import { send } from "../support/load.ts";
import { openMeters } from "../support/meters.ts";
import { signInOwner } from "../support/person.ts";
import type { Runtime } from "../support/runtime.ts";
import { createDirectKey, json, seedCompany, sender } from "./workers.ts";

/** Maximum rows that a mail with its own content writes until it is purged. */
export const maxRows = 14;
/** Maximum statements that store a batch of 100 mails with 1 MB of content. */
export const maxStatements = 6;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longer than every retention. */
const BEYOND_RETENTION_MS = 500 * DAY_MS;

let lastRecipient = 0;

/** Returns a mail with its own content. */
export const directMail = (html = "<p>Thank you for your order.</p>") => ({
  from: sender,
  to: `customer${++lastRecipient}@example.com`,
  subject: "Your order",
  html,
});

/** Returns `count` mails of `size` bytes of HTML. Random content cannot be compressed. */
export function batchOf(count: number, size: number, isRandom: boolean): object[] {
  const sentence = "Thank you for your order. ";
  const text = () =>
    isRandom
      ? randomBytes(size).toString("base64").slice(0, size)
      : sentence.repeat(Math.ceil(size / sentence.length)).slice(0, size);
  return Array.from({ length: count }, () => directMail(text()));
}

/** Returns the number of statements that write. The others read what the checks of the request need. */
export const storingStatements = (entries: readonly Entry[]): number =>
  entries
    .filter(({ kind, name }) => kind === "statement" && !/^\s*(?:select|with)\b/i.test(name))
    .reduce((sum, { calls }) => sum + calls, 0);

/**
 * Returns the rows that one more mail of a day writes, from its acceptance until it is purged, including its roll-up and the
 * jobs. The runtime is metered.
 */
export async function rowsOfOneMail(runtime: Runtime): Promise<number> {
  await seedCompany(runtime);
  const url = await runtime.url("platform-email");
  const key = await createDirectKey(url, await signInOwner(runtime));
  const meters = await openMeters(runtime, ["platform-email"]);
  let clockShift = 0;
  const advanceClock = async (ms: number) => {
    clockShift += ms;
    await meters.shift(clockShift);
  };
  const runCrons = async (...crons: string[]) => {
    for (const cron of crons) {
      // Each run gets its own cron time, because a lock accepts each time only once.
      await advanceClock(MINUTE_MS);
      await runtime.runCron("email", cron, new Date(Date.now() + clockShift));
    }
    await meters.settle();
  };
  /** Sends mails of one day, purges them, and returns the rows that all of it wrote. */
  const writtenBy = async (mails: number): Promise<number> => {
    await advanceClock(DAY_MS - ((Date.now() + clockShift) % DAY_MS));
    await meters.take();
    for (let index = 0; index < mails; index++) {
      await send(json(`${url}/api/v1/emails`, key, directMail(), { "Idempotency-Key": crypto.randomUUID() }));
      await meters.settle();
    }
    await advanceClock(10 * MINUTE_MS);
    await runCrons("* * * * *");
    await advanceClock(BEYOND_RETENTION_MS);
    await runCrons("* * * * *", "17 * * * *");
    return sumOf((await meters.take()).get("platform-email") ?? [], "statement").written;
  };
  // The first day imports keys and purges rows of the preparation.
  await writtenBy(1);
  const few = await writtenBy(2);
  return ((await writtenBy(6)) - few) / 4;
}
