import { expect, it } from "vitest";
import { checksOf } from "../../../workers/email/audience/broadcast-sending/checks";
import { LIBRARY_DESIGNS } from "../../../workers/email/content/library/designs/designs";

it("names the texts and pictures of a design that were not edited, with a separator between their paragraphs", () => {
  const design = JSON.stringify(LIBRARY_DESIGNS.find(({ key }) => key === "studio.newsletter")?.document);
  const checks = checksOf({
    content: { subject: "Hi", preheader: "News", document: design, html: "" },
    bulk: { ok: false, code: "bulk_sender_required", pause: null },
    design,
    audience: 1,
    limit: 1,
    language: "en",
  });
  const texts = checks.find(({ code }) => code === "placeholder_text")?.detail.split("; ");
  expect(texts?.slice(0, 4)).toEqual([
    "Issue 12",
    "Hills under a low sun",
    "A few sentences that open the issue: what is on your mind, …",
    "A carafe and two glasses / The first story / Two sentences …",
  ]);
});
