import "../../workers/identity/worker";
import { checkPlans } from "../support/db/plan-suite";

// Record an intended change of a plan again with: npx vitest run --project identity test/identity/plan.test.ts -u
await checkPlans({ least: 30 });
