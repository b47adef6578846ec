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
  expectTextsKept,
} from "./route-input-checks";

/**
 * How much is checked. "guards": the valid request, callers without access, rows of others, and that bad input is
 * rejected at all. Services other than hosting use it for operations of the kit, which hosting checks in full ("all").
 */
export type Extent = "all" | "guards";

/** Checks how an operation handles callers without access, rows of others and bad input. */
export async function checkOperation(subject: Subject, listed: Listed, extent: Extent = "all"): Promise<void> {
  const check = await prepare(subject, listed);
  await expectValidRequest(check);
  await expectMethods(check);
  // An unsigned request reveals nothing else; the operation's own tests send signed requests and bad input.
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
  await expectTextsKept(check);
  await expectLimits(check);
  await expectDatabaseFaults(check);
}

/** Expects the valid request to succeed, also with a trailing slash. */
async function expectValidRequest(check: Check): Promise<void> {
  const { facts, operation, isRead, url } = check;
  const rights =
    facts.answers ??
    Object.keys(operation.responses)
      .map(Number)
      .filter((status) => status < 300);
  // A change is sent once, with a trailing slash; a read is sent with and without.
  const path = isRead ? url : `${fill(check.path, (await facts.own?.()) ?? "")}/`;
  const { status, text } = await send(check, { url: at(path, facts.search) });
  expect(rights, text).toContain(status);
}
