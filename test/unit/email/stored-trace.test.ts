import { expect, it } from "vitest";
import { type ShownTrace, shownTrace, storedTrace } from "../../../workers/email/delivery/messages/stored-trace";
import type { DeliveryEntry } from "../../../workers/email/delivery/messages/trace";

const sender = { scope: "company", provider: "api", reason: "company_provider" } as const;
const accepted: DeliveryEntry = {
  at: "2026-11-26T11:14:59.998Z",
  attempt: 1,
  provider: "api",
  scope: "company",
  outcome: "accepted",
  wait_seconds: null,
};
const usual: ShownTrace = {
  rule_id: null,
  content: { source: "default", template_id: null, version: null, design: "barebone.activation", reason: "no_copy" },
  language: { value: "en", source: "default" },
  company_name: { source: "request" },
  sender,
  suppression: { hit: false, reason: null, lanes: [] },
  limits: [
    { name: "company_auth", used: 3, limit: 1000 },
    { name: "recipient_auth", used: 1, limit: 5 },
  ],
  delivery: [accepted],
};

const refused: DeliveryEntry = {
  ...accepted,
  outcome: "provider_unavailable",
  wait_seconds: 30,
  move: true,
  detail: "503 busy",
};
const byOther: DeliveryEntry = {
  ...accepted,
  attempt: 2,
  provider: "smtp",
  scope: "platform",
  reason: "breaker_open",
};

const traces: [string, ShownTrace][] = [
  ["of an accepted mail", usual],
  ["of a mail that the other sender took", { ...usual, delivery: [refused, { ...byOther, content: "default" }] }],
  ["whose first attempts were dropped", { ...usual, delivery: [{ ...accepted, attempt: 7, detail: "" }] }],
  ["without attempts and limits", { ...usual, limits: [], delivery: [] }],
  ["of a limit of the recipient alone", { ...usual, limits: usual.limits.slice(1) }],
  ["of a suppressed recipient", { ...usual, suppression: { hit: true, reason: "complaint", lanes: ["bulk"] } }],
  [
    "of a copy by a rule",
    {
      ...usual,
      rule_id: 9,
      content: { source: "copy", template_id: 4, version: 2, design: "", reason: "unchanged" },
      language: { value: "fr", source: "rule" },
      company_name: { source: "stored" },
      sender: { scope: "platform", provider: "smtp", reason: "fallback" },
    },
  ],
  [
    "of a refused copy",
    { ...usual, content: { ...usual.content, reason: "checks_failed" }, sender: { ...sender, scope: "platform" } },
  ],
];

it.each(traces)("a stored trace is shown as it was: %s", (_name, trace) => {
  for (const isFinal of [true, false]) expect(shownTrace(storedTrace(trace, { isFinal }))).toEqual(trace);
});

it("a final trace takes a fifth of what it shows", () => {
  const stored = JSON.stringify(storedTrace(usual, { isFinal: true }));
  expect(stored.length).toBeLessThan(JSON.stringify(usual).length / 5 + 20);
});

it("an open message keeps sender and attempts where releases without this form read and add them", () => {
  const open = storedTrace({ ...usual, delivery: [refused] }, { isFinal: false });
  expect(open).toMatchObject({ sender, delivery: [refused] });
  const settledByOlder = { ...open, delivery: [refused, byOther] };
  expect(shownTrace(settledByOlder)).toEqual({ ...usual, delivery: [refused, byOther] });
});

it("a trace of an older release stays as it is, whatever it holds", () => {
  const older = { template: "default", delivery: [accepted] };
  expect(shownTrace(older)).toEqual(older);
  expect(storedTrace(older, { isFinal: true })).toEqual(older);
  const unknown = { ...usual, content: { ...usual.content, size: 7 } } as ShownTrace;
  expect(shownTrace(storedTrace(unknown, { isFinal: true }))).toEqual(unknown);
});
