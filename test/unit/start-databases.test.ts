import { expect, it } from "vitest";
import { prepareDatabases } from "../../scripts/support/databases.ts";
import { demo } from "../../scripts/support/seed.ts";

const configs = { edge: "edge.toml", identity: "identity.toml", email: "email.toml", hosting: "hosting.toml" };
const workspace = { configs, devVars: configs, data: "state", database: "state", mail: "state/mail" };

it("prepares the databases of one folder one after the other, since wrangler locks files that they share", async () => {
  const ran: string[] = [];
  let running = 0;
  let most = 0;
  await prepareDatabases(
    workspace,
    { ...demo, origins: [], serviceKeys: { identity: "esk_x", hosting: "esk_y" } },
    async (_script, args) => {
      most = Math.max(most, ++running);
      await new Promise((wait) => setTimeout(wait, 5));
      running--;
      ran.push(`${args[1]} ${args[args.indexOf("-c") + 1]}`);
      return "";
    },
  );
  expect(most).toBe(1);
  expect(ran).toEqual([
    "migrations identity.toml",
    "execute identity.toml",
    "migrations email.toml",
    "execute email.toml",
    // Hosting begins with empty tables.
    "migrations hosting.toml",
  ]);
});
