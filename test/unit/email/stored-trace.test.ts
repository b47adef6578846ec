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
const typicalTrace: ShownTrace = {
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

const failedAttempt: DeliveryEntry = {
  ...accepted,
  outcome: "provider_unavailable",
  wait_seconds: 30,
  move: true,
  detail: "503 busy",
};
const platformAttempt: DeliveryEntry = {
  ...accepted,
  attempt: 2,
  provider: "smtp",
  scope: "platform",
  reason: "breaker_open",
};

const traces: [string, ShownTrace][] = [
  ["of an accepted mail", typicalTrace],
  [
    "of a mail that the platform sender delivered",
    { ...typicalTrace, delivery: [failedAttempt, { ...platformAttempt, content: "default" }] },
  ],
  ["whose first attempts were dropped", { ...typicalTrace, delivery: [{ ...accepted, attempt: 7, detail: "" }] }],
  ["without attempts and limits", { ...typicalTrace, limits: [], delivery: [] }],
  ["with only the limit of the recipient", { ...typicalTrace, limits: typicalTrace.limits.slice(1) }],
  ["of a suppressed recipient", { ...typicalTrace, suppression: { hit: true, reason: "complaint", lanes: ["bulk"] } }],
  [
    "of a custom template selected by a rule",
    {
      ...typicalTrace,
      rule_id: 9,
      content: { source: "copy", template_id: 4, version: 2, design: "", reason: "unchanged" },
      language: { value: "fr", source: "rule" },
      company_name: { source: "stored" },
      sender: { scope: "platform", provider: "smtp", reason: "fallback" },
    },
  ],
  [
    "of a rejected custom template",
    {
      ...typicalTrace,
      content: { ...typicalTrace.content, reason: "checks_failed" },
      sender: { ...sender, scope: "platform" },
    },
  ],
];

it.each(traces)("restores a stored trace %s", (_name, trace) => {
  for (const isFinal of [true, false]) expect(shownTrace(storedTrace(trace, { isFinal }))).toEqual(trace);
});

it("stores a final trace in a fifth of its size", () => {
  const stored = JSON.stringify(storedTrace(typicalTrace, { isFinal: true }));
  expect(stored.length).toBeLessThan(JSON.stringify(typicalTrace).length / 5 + 20);
});

it("stores sender and attempts of an open message in the fields that older releases read and write", () => {
  const open = storedTrace({ ...typicalTrace, delivery: [failedAttempt] }, { isFinal: false });
  expect(open).toMatchObject({ sender, delivery: [failedAttempt] });
  const withOlderResult = { ...open, delivery: [failedAttempt, platformAttempt] };
  expect(shownTrace(withOlderResult)).toEqual({ ...typicalTrace, delivery: [failedAttempt, platformAttempt] });
});

it("returns a trace of an older release unchanged", () => {
  const older = { template: "default", delivery: [accepted] };
  expect(shownTrace(older)).toEqual(older);
  expect(storedTrace(older, { isFinal: true })).toEqual(older);
  const extendedTrace = { ...typicalTrace, content: { ...typicalTrace.content, size: 7 } } as ShownTrace;
  expect(shownTrace(storedTrace(extendedTrace, { isFinal: true }))).toEqual(extendedTrace);
});
