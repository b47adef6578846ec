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
 * What is checked of an operation. "guards": the right call, callers who may not make it, rows of others, and that bad input is
 * refused at all; for the kit's operations in services other than hosting, which checks the rest of them ("all").
 */
export type Extent = "all" | "guards";

/** All that an operation owes to callers who may not, to rows that are not theirs, and to bad input. */
export async function checkOperation(subject: Subject, listed: Listed, extent: Extent = "all"): Promise<void> {
  const check = await prepare(subject, listed);
  await expectRightCall(check);
  await expectMethods(check);
  // What is not proven is told nothing else; the operation's own tests prove calls and give them bad input.
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

/** The right call is answered rightly, with a trailing slash too. */
async function expectRightCall(check: Check): Promise<void> {
  const { facts, operation, isRead, url } = check;
  const rights =
    facts.answers ??
    Object.keys(operation.responses)
      .map(Number)
      .filter((status) => status < 300);
  // A change is made with a trailing slash, a read with and without.
  const path = isRead ? url : `${fill(check.path, (await facts.own?.()) ?? "")}/`;
  const { status, text } = await send(check, { url: at(path, facts.search) });
  expect(rights, text).toContain(status);
}
