import "../../workers/identity/worker";
import { checkPlans } from "../support/db/plan-suite";

// After an intended change, record the plans with: npx vitest run --project identity test/identity/plan.test.ts -u
await checkPlans({ least: 30 });
