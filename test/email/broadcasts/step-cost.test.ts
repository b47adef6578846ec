import { afterEach, expect, it } from "vitest";
import { openDb } from "../../../workers/kit/db/db";
import { meterDatabase } from "../../support/db/metered-database";
import { startBroadcasts } from "../../support/email/broadcast-steps";
import { withDb } from "../../support/email/delivery";
import { testEnv } from "../../support/email/email";
import { restoreClock } from "../../support/restore";

afterEach(restoreClock);

/** Runs the step that prepares and creates the messages of a broadcast. Returns its statements with the rows that they write. */
async function statementsOf(users: number) {
  const broadcasts = await startBroadcasts({ users });
  const id = await broadcasts.store();
  const metered = meterDatabase(testEnv.DB);
  await broadcasts.step(id, withDb(broadcasts.build(), openDb(metered.db)));
  expect(await broadcasts.row(id)).toMatchObject({ messages: users, pending: 0 });
  return metered.takeStatements();
}

it("takes 4 statements for a page of 1,000 recipients, and 9 for 600 messages", async () => {
  const [half, one, two] = [await statementsOf(600), await statementsOf(1000), await statementsOf(2000)];
  const making = one.length - half.length;
  const page = two.length - one.length - 2 * making;
  expect([making, page, half.length]).toEqual([9, 4, 26]);
});

it("writes a recipient twice besides the message, and a handful of counters", async () => {
  const statements = await statementsOf(1000);
  const written = (pattern: RegExp) =>
    statements.filter(({ text }) => pattern.test(text)).reduce((sum, statement) => sum + statement.written, 0);
  expect(written(/^insert into "?broadcast_recipients/)).toBe(1000);
  expect(written(/^delete from "?broadcast_recipients/)).toBe(1000);
  expect(written(/^update "?broadcasts/)).toBeLessThan(50);
});
