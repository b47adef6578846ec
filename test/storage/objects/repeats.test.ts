import { expect, it } from "vitest";
import { loseAnswer } from "../../support/db/lost-answer";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";

it("stores a large body of unknown length once when any database response is lost", async () => {
  const bytes = new Uint8Array(9 * 1024 * 1024).fill(3);
  // The four database calls are the reads, the reservation, its growth and the commit.
  for (let call = 1; call <= 4; call++) {
    const files = await startFiles();
    await files.put("first.txt", "1");
    const stored = await files.storage.call("/storage/v1/object/company/large.bin", {
      method: "PUT",
      bearer: files.member,
      body: bytes,
      bindings: { DB: loseAnswer(files.storage.bindings.DB, call) },
    });
    expect(stored.status, `response ${call} lost`).toBe(200);
    await sweepAll(files);
    await expectAgreement(files);
  }
}, 60_000);
