import { fileURLToPath } from "node:url";
import { loadModule } from "../load.ts";
import type { Service } from "../services.ts";

export type Person = { email: string; firstName: string; isOwner: boolean; isStaff: boolean };
export type Seed = {
  /** plaintext keys with which services call the email service, by the name of the service */
  serviceKeys: Readonly<Record<string, string>>;
  company: { name: string; slug: string };
  people: Person[];
  /** redirect allowlist; in development the shell, where the commands' sign-in links lead */
  origins: string[];
};

/** What a development start and the tests begin with. */
export const demo: Omit<Seed, "serviceKeys" | "origins"> = {
  company: { name: "Aster Trading", slug: "aster-trading" },
  people: [
    { email: "owner@example.com", firstName: "Olivia", isOwner: true, isStaff: false },
    { email: "staff@example.com", firstName: "Sam", isOwner: false, isStaff: true },
  ],
};

/**
 * SQL of the first rows: company 1, its people, and the services' keys for the email service. Repeatable: what is there
 * stays, only the keys are replaced, so that secrets that were made again fit.
 */
export async function seedStatements(seed: Seed): Promise<Record<Service, string[]>> {
  const { statementsOf } = await loadModule<typeof import("./seed-rows.ts")>(
    fileURLToPath(new URL("./seed-rows.ts", import.meta.url)),
  );
  return statementsOf(seed);
}
