import { expect } from "vitest";
import { credentialOf, methods } from "./api-document";
import { at, type Check, expectError, fill, type InPath, send } from "./route-calls";
import { isOfForm, wrongTexts } from "./route-inputs";

const ranks = ["member", "owner", "staff", "operator"] as const;
const nilId = "00000000-0000-4000-8000-000000000000";
const unknownCompany = 999_999_999_999;

/** Expects 401 without a bearer and with each kind of invalid bearer, if the operation requires one. */
export async function expectCredentials(check: Check): Promise<void> {
  const { operation, subject, facts, isRead } = check;
  if (credentialOf(operation) !== "required") {
    const { code, text } = await send(check, { bearer: undefined });
    expect(code, text).not.toBe("unauthorized");
    return;
  }
  await expectError(check, { bearer: undefined }, "401 unauthorized");
  const { expired, revoked } = subject.bearers;
  const invalidBearers = ["nonsense", "esk_nonsense", "opk_nonsense", "a.b.c", `${expired}x`, expired];
  const isLive = (subject.readsAreLive || !isRead) && !facts.acceptsRevokedToken;
  if (facts.role !== "service" && isLive) invalidBearers.push(revoked);
  await Promise.all(
    invalidBearers.map((bearer) => expectError(check, { bearer }, "401 unauthorized", "401 token_invalid")),
  );
}

/** Expects 403 for each lower role, and for a read-only token if the operation changes data. */
export async function expectRoles(check: Check): Promise<void> {
  const { facts, subject, isRead } = check;
  const { owner, readOnly, service } = subject.bearers;
  if (facts.role === "open") return;
  const lower = ranks.slice(0, Math.max(0, ranks.indexOf(facts.role as (typeof ranks)[number])));
  for (const role of lower) await expectError(check, { bearer: subject.bearers[role] }, "403 forbidden");
  if (facts.isPersonal) {
    for (const bearer of [owner, subject.bearers.staff]) expect((await send(check, { bearer })).status).toBe(404);
  }
  if (facts.role === "service") {
    await expectError(check, { bearer: owner }, "401 unauthorized", "403 forbidden");
    return;
  }
  if (!isRead) await expectError(check, { bearer: readOnly }, "403 pat_read_only");
  else if (facts.role === "member" || facts.role === "owner") {
    const { status, text } = await send(check, { bearer: readOnly });
    expect(status, text).toBe(facts.isPersonal ? 404 : 200);
  }
  if (service !== undefined) await send(check, { bearer: service });
}

/** Expects an error when the query or the body names a company other than the token's. */
export async function expectCompanyScope(check: Check): Promise<void> {
  const { facts, subject, url, base, isRead } = check;
  const { company, foreignCompany, bearers } = subject;
  if (facts.role === "open") return;
  const mismatch = facts.foreignCompany ?? "403 company_mismatch";
  const isService = facts.role === "service";
  const foreignBearer = isService ? check.bearer : bearers.foreignOwner;
  const requestedCompany = isService ? foreignCompany : company;
  const caller = facts.role === "staff" ? bearers.owner : check.bearer;
  if (check.hasQuery("company_id")) {
    await expectError(check, { url: at(url, `company_id=${requestedCompany}`), bearer: foreignBearer }, mismatch);
    const repeatedQuery = `company_id=${foreignCompany}&company_id=${company}`;
    await expectError(check, { url: at(url, repeatedQuery), bearer: caller }, mismatch, "400 validation_failed");
    if (subject.knowsCompanies) {
      const unknown = at(url, `company_id=${unknownCompany}`);
      await expectError(check, { url: unknown, bearer: bearers.staff }, "404 not_found");
    }
  } else if (isRead) {
    const [plain, withForeignCompany] = [
      await send(check, {}),
      await send(check, { url: at(url, `company_id=${foreignCompany}`) }),
    ];
    if (withForeignCompany.status < 300)
      expect(facts.isTimed || withForeignCompany.json, withForeignCompany.text).toEqual(facts.isTimed || plain.json);
    else expect([400, 403], withForeignCompany.text).toContain(withForeignCompany.status);
  }
  if (!check.hasBodyField("company_id")) return;
  await expectError(check, { json: { ...base, company_id: requestedCompany }, bearer: foreignBearer }, mismatch);
  if (check.hasQuery("company_id")) {
    const conflicting = { url: at(url, `company_id=${company}`), json: { ...base, company_id: foreignCompany } };
    await expectError(check, { ...conflicting, bearer: bearers.staff }, "400 validation_failed");
  }
}

/** Expects 404 for rows of another company, unknown rows and malformed ids, before the body is validated. */
export async function expectRows(check: Check): Promise<void> {
  const { path, facts, schema } = check;
  if (!path.includes("{")) return;
  const unknownRows = unknownRowsOf(check);
  if (facts.foreign) unknownRows.push({ inPath: await facts.foreign(), answer: facts.foreignAnswer ?? "404" });
  await Promise.all(
    unknownRows.map(async ({ inPath, answer }) => {
      const url = at(fill(path, inPath), facts.search);
      const { status, code, text } = await send(check, { url });
      expect(`${status} ${code}`.split(" ", answer.split(" ").length).join(" "), text).toBe(answer);
      if (!schema || status < 300) return;
      const withMalformedBody = await send(check, { url, body: "{", type: "application/json" });
      expect([withMalformedBody.status, withMalformedBody.code], withMalformedBody.text).toEqual([status, code]);
    }),
  );
}

/** Returns sets of path parameters in which one parameter names no row, each set with the expected response. */
function unknownRowsOf({ facts, companyRow, operation, subject }: Check): { inPath: InPath; answer: string }[] {
  const texts = [nilId, "999999999", ...wrongTexts];
  if (typeof companyRow === "string") return texts.map((inPath) => ({ inPath, answer: "404" }));
  return Object.keys(companyRow).flatMap((name) => {
    const parameter = operation.parameters?.find(
      (parameterSpec) => parameterSpec.in === "path" && parameterSpec.name === name,
    );
    return texts.map((text) => {
      const expectedByName = isOfForm(text, parameter?.schema ?? {}, subject.document)
        ? facts.unknown
        : facts.malformed;
      return { inPath: { ...companyRow, [name]: text }, answer: expectedByName?.[name] ?? "404" };
    });
  });
}

/** Expects 405 with `Allow` for methods that a path does not have. */
export async function expectMethods(check: Check): Promise<void> {
  const declared = methodsAt(check);
  const undeclared = methods.filter((method) => !declared.includes(method));
  for (const method of undeclared) {
    const { status, code, headers, text } = await send(check, { method, body: "{", type: "application/json" });
    expect([status, code], text).toEqual([405, "method_not_allowed"]);
    for (const allowedMethod of declared) expect(headers.get("allow"), text).toContain(allowedMethod.toUpperCase());
  }
}

/**
 * Returns the methods of all paths in the document that match the URL; a final `path` parameter may contain slashes.
 */
function methodsAt({ url, subject }: Check): string[] {
  const matching = Object.entries(subject.document.paths).filter(([path]) => {
    const pattern = path.replace(/\{path\}$/, ".+").replace(/\{[^}]+\}/g, "[^/]+");
    return new RegExp(`^${pattern}$`).test(url);
  });
  return matching.flatMap(([, item]) => Object.keys(item));
}

/** Expects the document to list 429 if and only if the operation has a rate limit. */
export async function expectLimits(check: Check): Promise<void> {
  const { subject, operation, facts, path } = check;
  const limited = { ...check, subject: { ...subject, call: subject.callLimited } };
  const freshRequest = async () => ({
    url: at(fill(path, facts.limitedRow?.() ?? (await facts.companyRow?.()) ?? ""), facts.search),
    ...(facts.limitedBearer === undefined ? {} : { bearer: facts.limitedBearer }),
  });
  await send(limited, await freshRequest());
  const { status, text } = await send(limited, await freshRequest());
  expect(status === 429, text).toBe("429" in operation.responses);
}

/** Expects 503 without the database, if the operation needs it. */
export async function expectDatabaseFaults(check: Check): Promise<void> {
  const { subject, method, url, facts, bearer, base, schema } = check;
  const { bytes: body, headers } = facts;
  const sent = schema ? { body: JSON.stringify(base), type: "application/json", headers } : { body, headers };
  const response = await subject.callWithoutDatabase(method, at(url, facts.search), { bearer, ...sent });
  const text = await response.text();
  const needsDatabase = facts.role !== "open" && !facts.needsNoDatabase;
  if (!needsDatabase || (facts.isLimited && response.status === 429)) expect(response.status, text).not.toBe(500);
  else expect([response.status, text]).toEqual([503, expect.stringContaining('"service_unavailable"')]);
}
