import { expect } from "vitest";
import type { Listed } from "./api-document";
import { at, type Check, fill, prepare, type Subject, send } from "./route-calls";
import {
  expectCompanyScope,
  expectCredentials,
  expectDatabaseFaults,
  expectLimits,
  expectMethods,
  expectRoles,
  expectRows,
} from "./route-guards";
import {
  expectAllowedQueries,
  expectBadBodies,
  expectBadHeaders,
  expectBadQueries,
  expectFormChecked,
  expectSlash,
  expectTextsStored,
} from "./route-input-checks";

/**
 * How much to check. "guards" covers the valid request, callers without access, rows of other companies, one malformed
 * body and one oversized body. Services other than hosting use "guards" for kit operations, which hosting checks with
 * "all".
 */
export type Extent = "all" | "guards";

/** Checks how an operation handles callers without access, rows of other companies and bad input. */
export async function checkOperation(subject: Subject, listed: Listed, extent: Extent = "all"): Promise<void> {
  const check = await prepare(subject, listed);
  await expectValidRequest(check);
  await expectMethods(check);
  // The checks below send unsigned requests, which this operation rejects. Its own tests send signed requests and bad
  // input.
  if (check.facts.isSigned === true) return;
  await expectCredentials(check);
  await expectRoles(check);
  await expectCompanyScope(check);
  await expectRows(check);
  if (extent === "guards") return expectFormChecked(check);
  await expectSlash(check);
  await expectAllowedQueries(check);
  await expectBadQueries(check);
  await expectBadHeaders(check);
  await expectBadBodies(check);
  await expectTextsStored(check);
  await expectLimits(check);
  await expectDatabaseFaults(check);
}

/** Expects the valid request to succeed. */
async function expectValidRequest(check: Check): Promise<void> {
  const { facts, operation, isRead, url } = check;
  const rights =
    facts.answers ??
    Object.keys(operation.responses)
      .map(Number)
      .filter((status) => status < 300);
  // A change is sent once, with a trailing slash. A read is sent without one here, and with one in `expectSlash`.
  const path = isRead ? url : `${fill(check.path, (await facts.companyRow?.()) ?? "")}/`;
  const { status, text } = await send(check, { url: at(path, facts.search) });
  expect(rights, text).toContain(status);
}
