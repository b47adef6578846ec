import { fileURLToPath } from "node:url";
import { loadModule } from "../load.ts";
import type { Service } from "../services.ts";

export type SeedUser = { email: string; firstName: string; isOwner: boolean; isStaff: boolean };
export type Seed = {
  /** plaintext keys with which services call the email service, by service name */
  serviceKeys: Readonly<Record<string, string>>;
  company: { name: string; slug: string };
  users: SeedUser[];
  /** whether the company may host apps without the approval of staff */
  hostsApps: boolean;
  /**
   * origins that sign-in may redirect to. In development this is the origin of the shell, to which the links from
   * `create_sign_in_link` lead
   */
  origins: string[];
};

/** The company and users for `npm start` and for tests. */
export const demo: Omit<Seed, "serviceKeys" | "origins"> = {
  company: { name: "Aster Trading", slug: "aster-trading" },
  hostsApps: true,
  users: [
    { email: "owner@example.com", firstName: "Olivia", isOwner: true, isStaff: false },
    { email: "staff@example.com", firstName: "Sam", isOwner: false, isStaff: true },
  ],
};

let rows: Promise<typeof import("./seed-rows.ts")> | undefined;

/**
 * Returns the SQL of the first rows: company 1, its users and redirect origins, its approval to host apps, and the keys with which services call the
 * email service. The SQL can be repeated: existing rows remain. Only the keys are replaced, so that they match regenerated
 * secrets.
 */
export async function seedStatements(seed: Seed): Promise<Record<Service, string[]>> {
  rows ??= loadModule(fileURLToPath(new URL("./seed-rows.ts", import.meta.url)));
  return (await rows).statementsOf(seed);
}
