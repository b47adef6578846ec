import { describe, expect, it } from "vitest";
import { loseAnswer } from "../../support/db/lost-answer";
import { freshEmail } from "../../support/identity/identity";
import { callScim, createBareDirectory } from "../../support/identity/scim";

// Call 1 of a request verifies the token and reads, call 2 stores.
describe("a change whose database response is lost", () => {
  it.each([1, 2])("in call %i is stored once and reported as stored", async (call) => {
    const { env, base, token, scim } = await createBareDirectory();
    // The token is verified once, so that its use needs no call of its own.
    await scim("GET", "/ServiceProviderConfig");
    const lossy = (method: string, path: string, body?: unknown) =>
      callScim({ ...env, DB: loseAnswer(env.DB, call) }, { base, token }, method, path, body);
    const resources = [
      ["/Users", { userName: freshEmail(), active: true }],
      ["/Groups", { displayName: "Writers" }],
    ] as const;
    for (const [path, body] of resources) {
      const created = await lossy("POST", path, body);
      expect([path, created.status]).toEqual([path, 201]);
      const resource = `${path}/${created.body.id}`;
      const operations = [{ op: "replace", path: path === "/Users" ? "active" : "displayName", value: "False" }];
      const changed = await lossy("PATCH", `${resource}?attributes=id`, { Operations: operations });
      expect([path, changed.status]).toEqual([path, 200]);
      expect([path, (await lossy("DELETE", resource)).status]).toEqual([path, 204]);
      expect((await scim("GET", resource)).status).toBe(404);
    }
  });
});
