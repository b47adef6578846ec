import { checkDeployment } from "./check.ts";
import { deploy, type Surroundings } from "./deploy.ts";
import { destroy } from "./destroy.ts";
import type { Action, Options } from "./options.ts";
import { rollBack } from "./rollback.ts";

type Run = (options: Options, at: Surroundings) => Promise<boolean>;

/** What each action does with an account. Each returns false if it did not do all, or found problems. */
export const actions: Readonly<Record<Exclude<Action, "dry-run">, Run>> = {
  deploy,
  check: checkDeployment,
  rollback: rollBack,
  destroy,
};
