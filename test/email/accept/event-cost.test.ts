import { describe, expect, it } from "vitest";
import { rules } from "../../../db/email/schema";
import { uniqueAddress } from "../../support/email/messages";
import { insertRows } from "../../support/email/rows";
import { DEPLOYED, startEvents, startForAll, storedRule } from "../../support/email/rules";

const email = await startForAll();

describe("an event", () => {
  const recipientsOf = (count: number) => Array.from({ length: count }, () => ({ email: uniqueAddress() }));

  it("makes three round trips for a company's first event and two afterwards, for any number of rules and recipients", async () => {
    const { companyId, create, keys, post } = await startEvents(email);
    // The first request with a key makes one more round trip in each isolate.
    await email.call("/api/v1/catalog", { bearer: keys.hosting });
    const trips = async (recipients: object[], messageCount: number) => {
      const { response, body } = await post({ recipients });
      expect(body.messages).toHaveLength(messageCount);
      return email.acceptTripsOf(response);
    };
    expect(await trips(recipientsOf(1), 0)).toBe(3);
    expect(await trips(recipientsOf(1), 0)).toBe(2);
    const { template_id } = await create({ event_type: DEPLOYED });
    expect(await trips(recipientsOf(1), 1)).toBe(2);
    const row = { ...storedRule(companyId), service: "hosting", event_type: DEPLOYED, template_id };
    await insertRows(
      rules,
      Array.from({ length: 11 }, () => row),
    );
    expect(await trips(recipientsOf(50), 600)).toBe(2);
  });

  it("makes one more round trip when a rule has static recipients", async () => {
    const { create, keys, post } = await startEvents(email);
    await create({ event_type: DEPLOYED, recipient_mode: "static", static_recipients: recipientsOf(50) });
    await create({ event_type: DEPLOYED, recipient_mode: "static", static_recipients: recipientsOf(50) });
    await create({ event_type: DEPLOYED });
    await email.call("/api/v1/catalog", { bearer: keys.hosting });
    // One extra round trip creates the missing built-in rules and reads the suppressions of the static recipients.
    const first = await post({ recipients: recipientsOf(1) });
    expect([first.body.messages.length, email.acceptTripsOf(first.response)]).toEqual([101, 3]);
    const second = await post({ recipients: recipientsOf(1) });
    expect(email.acceptTripsOf(second.response)).toBe(3);
  });
});
