import "../../workers/email/worker";
import { checkPlans } from "../support/db/plan-suite";

// A plan that is meant to be another is recorded anew: npx vitest run --project email test/email/plan.test.ts -u
await checkPlans({ least: 30 });
