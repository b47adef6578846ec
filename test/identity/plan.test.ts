import "../../workers/identity/worker";
import { checkPlans } from "../support/db/plan-suite";

// A plan that is meant to be another is recorded anew: npx vitest run --project identity test/identity/plan.test.ts -u
await checkPlans({ least: 30 });
