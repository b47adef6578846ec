import "../../workers/email/worker";
import { checkPlans } from "../support/db/plan-suite";

// After an intended change, record the plans with: npx vitest run --project email test/email/plan.test.ts -u
await checkPlans({ least: 30 });
