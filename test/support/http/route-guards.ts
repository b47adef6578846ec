import { expect } from "vitest";
import { credentialOf, methods } from "./api-document";
import { at, type Check, expectRefusal, fill, send } from "./route-calls";
import { wrongTexts } from "./route-inputs";

const ranks = ["member", "owner", "staff", "operator"] as const;
const nilId = "00000000-0000-4000-8000-000000000000";
const unknownCompany = 999_999_999_999;

/** 401 without a bearer and with any that is not good; never where none is needed. */
export async function expectCredentials(check: Check): Promise<void> {
  const { operation, subject, facts, isRead } = check;
  if (credentialOf(operation) !== "required") {
    const { code, text } = await send(check, { bearer: undefined });
    expect(code, text).not.toBe("unauthorized");
    return;
  }
  await expectRefusal(check, { bearer: undefined }, "401 unauthorized");
  const { expired, revoked } = subject.bearers;
  const bad = ["nonsense", "esk_nonsense", "opk_nonsense", "a.b.c", `${expired}x`, expired];
  if (facts.role !== "service" && (subject.readsAreLive || !isRead)) bad.push(revoked);
  await Promise.all(bad.map((bearer) => expectRefusal(check, { bearer }, "401 unauthorized", "401 token_invalid")));
}

/** 403 for callers of lower roles, and for a read-only token on every change. */
export async function expectRoles(check: Check): Promise<void> {
  const { facts, subject, isRead } = check;
  const { owner, readOnly, service } = subject.bearers;
  if (facts.role === "open") return;
  const lower = ranks.slice(0, Math.max(0, ranks.indexOf(facts.role as (typeof ranks)[number])));
  for (const role of lower) await expectRefusal(check, { bearer: subject.bearers[role] }, "403 forbidden");
  if (facts.role === "service") {
    await expectRefusal(check, { bearer: owner }, "401 unauthorized", "403 forbidden");
    return;
  }
  if (!isRead) await expectRefusal(check, { bearer: readOnly }, "403 pat_read_only");
  else if (facts.role === "member" || facts.role === "owner") {
    const { status, text } = await send(check, { bearer: readOnly });
    expect(status, text).toBe(200);
  }
  if (service !== undefined) await send(check, { bearer: service });
}

/** The company of a call: another than the token's is refused, wherever it is named. */
export async function expectCompanyScope(check: Check): Promise<void> {
  const { facts, subject, url, base, isRead } = check;
  const { company, foreignCompany, bearers } = subject;
  if (facts.role === "open") return;
  const mismatch = facts.foreignCompany ?? "403 company_mismatch";
  const isService = facts.role === "service";
  const stranger = isService ? check.bearer : bearers.foreignOwner;
  const named = isService ? foreignCompany : company;
  const caller = facts.role === "staff" ? bearers.owner : check.bearer;
  if (check.hasQuery("company_id")) {
    await expectRefusal(check, { url: at(url, `company_id=${named}`), bearer: stranger }, mismatch);
    const twice = `company_id=${foreignCompany}&company_id=${company}`;
    await expectRefusal(check, { url: at(url, twice), bearer: caller }, mismatch, "400 validation_failed");
    if (subject.knowsCompanies) {
      const unknown = at(url, `company_id=${unknownCompany}`);
      await expectRefusal(check, { url: unknown, bearer: bearers.staff }, "404 not_found");
    }
  } else if (isRead) {
    const [plain, other] = [await send(check, {}), await send(check, { url: at(url, `company_id=${foreignCompany}`) })];
    if (other.status < 300) expect(facts.isTimed || other.json, other.text).toEqual(facts.isTimed || plain.json);
    else expect([400, 403], other.text).toContain(other.status);
  }
  if (!check.hasBodyField("company_id")) return;
  await expectRefusal(check, { json: { ...base, company_id: named }, bearer: stranger }, mismatch);
  if (check.hasQuery("company_id")) {
    const both = { url: at(url, `company_id=${company}`), json: { ...base, company_id: foreignCompany } };
    await expectRefusal(check, { ...both, bearer: bearers.staff }, "400 validation_failed");
  }
}

/** Rows of another company, unknown ones and ids that are none: 404 before the body is looked at. */
export async function expectRows(check: Check): Promise<void> {
  const { path, facts, schema } = check;
  if (!path.includes("{")) return;
  const ids = [nilId, "999999999", ...wrongTexts];
  if (facts.foreign) {
    const foreign = await facts.foreign();
    if (facts.foreignAnswer === undefined) ids.push(foreign);
    else await expectRefusal(check, { url: at(fill(path, foreign), facts.search) }, facts.foreignAnswer);
  }
  await Promise.all(
    ids.map(async (id) => {
      const { status, text } = await send(check, { url: at(fill(path, id), facts.search) });
      expect(status, text).toBe(404);
      if (!schema) return;
      const early = await send(check, { url: at(fill(path, id), facts.search), body: "{", type: "application/json" });
      expect(early.status, early.text).toBe(404);
    }),
  );
}

/** 405 with `Allow` for the methods that a path does not have. */
export async function expectMethods(check: Check): Promise<void> {
  const declared = Object.keys(check.subject.document.paths[check.path] ?? {});
  const others = methods.filter((method) => !declared.includes(method));
  for (const method of others) {
    const { status, code, headers, text } = await send(check, { method, body: "{", type: "application/json" });
    expect([status, code], text).toEqual([405, "method_not_allowed"]);
    for (const one of declared) expect(headers.get("allow"), text).toContain(one.toUpperCase());
  }
}

/** A limit is documented where there is one, and nowhere else. */
export async function expectLimits(check: Check): Promise<void> {
  const { subject, operation, facts, path } = check;
  const limited = { ...check, subject: { ...subject, call: subject.callLimited } };
  const fresh = async () => ({ url: at(fill(path, (await facts.own?.()) ?? ""), facts.search) });
  await send(limited, await fresh());
  const { status, text } = await send(limited, await fresh());
  expect(status === 429, text).toBe("429" in operation.responses);
}

/** Without the database an operation tells that it cannot answer, unless it needs none. */
export async function expectDatabaseFaults(check: Check): Promise<void> {
  const { subject, method, url, facts, bearer, base, schema } = check;
  const json = schema ? { body: JSON.stringify(base), type: "application/json" } : {};
  const response = await subject.callWithoutDatabase(method, at(url, facts.search), { bearer, ...json });
  const text = await response.text();
  const needsDatabase = facts.role !== "open" && !facts.needsNoDatabase;
  if (!needsDatabase || (facts.isLimited && response.status === 429)) expect(response.status, text).not.toBe(500);
  else expect([response.status, text]).toEqual([503, expect.stringContaining('"service_unavailable"')]);
}
