import { expect, it } from "vitest";
import { DEFAULT_THRESHOLDS, SERVICE_CONDITIONS } from "../../../schemas/email/alerts";
import { overview as emailOverview } from "../../../workers/email/operations/overview/overview.store";
import { nameOfAlert, summaryOf } from "../../../workers/email/operations/watch/alert-texts";
import { transitionOf } from "../../../workers/email/operations/watch/transition";
import { settingsTable } from "../../../workers/email/settings";
import { overview as hostingOverview } from "../../../workers/hosting/overview/overview.store";
import { overview as identityOverview } from "../../../workers/identity/operations/overview/overview.store";
import { overview as storageOverview } from "../../../workers/storage/overview/overview.store";

const overviews = [identityOverview, emailOverview, hostingOverview, storageOverview];

it("knows every count of the overviews that belongs to companies", () => {
  const codes = new Set(overviews.flatMap(({ entries }) => entries.map(({ code }) => code)));
  // `watch` reports each failing job by itself, and no service counts the quotas of all users.
  for (const code of ["jobs_failing", "user_quotas_nearly_full"]) expect(codes.delete(code)).toBe(true);
  expect(Object.keys(DEFAULT_THRESHOLDS).toSorted()).toEqual([...codes].toSorted());
});

it("names every condition in English and French, with typographic spaces and apostrophes", () => {
  for (const code of [...SERVICE_CONDITIONS, ...Object.keys(DEFAULT_THRESHOLDS)]) {
    const alert = { service: "email", code, job: "retry_mail" };
    const [english, french] = [nameOfAlert(alert, "en"), nameOfAlert(alert, "fr")];
    expect(english).not.toBe(french);
    for (const name of [english, french]) expect(name).not.toMatch(/[{}']|^[a-z_]+$/);
    expect(english.includes("retry_mail")).toBe(code === "job_failing");
  }
  const two = [
    { service: "email", code: "unreachable", job: "" },
    { service: "hosting", code: "unreachable", job: "" },
  ];
  expect([summaryOf(two, "en"), summaryOf(two, "fr")]).toEqual(["2 problems", "2 anomalies"]);
  expect(nameOfAlert({ code: "from_a_newer_release", job: "", service: "email" }, "fr")).toBe("from_a_newer_release");
});

it("reads thresholds that change single counts, and rejects unknown codes and other numbers", () => {
  const type = settingsTable.watch.thresholds.type({ debug: false });
  expect(type.safeParse("lanes_paused=0, messages_waiting=1000").data).toEqual({
    ...DEFAULT_THRESHOLDS,
    lanes_paused: 0,
    messages_waiting: 1000,
  });
  expect(type.safeParse("").data).toEqual(DEFAULT_THRESHOLDS);
  for (const text of ["unknown=1", "lanes_paused", "lanes_paused=-1", "lanes_paused=1001", "toString=1", "=1"]) {
    expect(type.safeParse(text).success, text).toBe(false);
  }
});

it("fires when a condition has held for the time, and resolves when it has been over for the time", () => {
  const condition = {
    id: "hosting/unreachable",
    service: "hosting",
    code: "unreachable",
    job: "",
    count: null,
  } as const;
  const after = (stored: Parameters<typeof transitionOf>[0], now: number, holds: boolean, silent: string[] = []) =>
    transitionOf(stored, { conditions: holds ? [condition] : [], silent: new Set(silent) }, { now, holdMs: 10 });
  const row = { ...condition, started_at: 0, fired_at: null, cleared_at: null };
  const nothing = { saved: [], deleted: [], fired: [], resolved: [] };
  expect(after([], 0, true)).toEqual({ ...nothing, saved: [row] });
  expect(after([row], 9, true)).toEqual(nothing);
  const fired = { ...row, fired_at: 10 };
  expect(after([row], 10, true)).toEqual({ ...nothing, saved: [fired], fired: [fired] });
  expect(after([row], 10, false).deleted).toHaveLength(1);
  expect(after([fired], 20, true)).toEqual(nothing);
  expect(after([fired], 20, false, ["hosting"])).toEqual(nothing);
  const cleared = { ...fired, cleared_at: 20 };
  expect(after([fired], 20, false)).toEqual({ ...nothing, saved: [cleared] });
  expect(after([cleared], 29, false)).toEqual(nothing);
  expect(after([cleared], 29, true)).toEqual({ ...nothing, saved: [fired] });
  expect(after([cleared], 30, false)).toEqual({ ...nothing, deleted: [cleared], resolved: [cleared] });
});
