import { beforeAll, expect, it, vi } from "vitest";
import { countRoundTrips } from "../support/db/counted-database";
import { credentialOf, operationsOf, readDocument } from "../support/http/api-document";
import { at, fill } from "../support/http/route-calls";
import { callIdentity, createMailbox, identityEnv } from "../support/identity/identity";
import { describeIdentityOperations } from "../support/identity/operations";

const document = await readDocument((path) => callIdentity(identityEnv(createMailbox()), path));
const reads = operationsOf(document).filter(
  ({ method, operation }) => method === "get" && credentialOf(operation) === "required",
);
let described: Awaited<ReturnType<typeof describeIdentityOperations>>;

beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  described = await describeIdentityOperations();
}, 60_000);

it.each(reads.map((listed) => [listed.key, listed] as const))(
  "makes one round trip, including the credential check, for %s",
  async (key, { path, operation }) => {
    const { env, facts, bearers } = described;
    const fact = facts[key];
    if (!fact || fact.role === "open" || fact.role === "service" || fact.role === "operator") throw new Error(key);
    const url = at(fill(path, String((await fact.companyRow?.()) ?? "")), fact.search);
    const counted = countRoundTrips(env.DB);
    const headers = { authorization: `Bearer ${bearers[fact.role]}` };
    const response = await callIdentity({ ...env, DB: counted.db }, url, { headers });
    const isOfCompany = !["get /api/v1/sessions", "get /api/v1/scheduled-jobs/{job}/runs"].includes(key);
    const isList =
      isOfCompany && (operation.parameters?.some(({ name }) => name === "page" || name === "cursor") ?? false);
    // A replica returns the list of a company while the primary checks the caller.
    expect([response.status, counted.countRoundTrips(), counted.count()]).toEqual([200, 1, isList ? 2 : 1]);
    expect(counted.starts).toEqual(isList ? ["first-primary", "first-unconstrained"] : ["first-primary"]);
  },
);
