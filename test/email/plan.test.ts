import "../../workers/email/worker";
import { checkPlans } from "../support/db/plan-suite";

// Records a plan that changed on purpose: npx vitest run --project email test/email/plan.test.ts -u
await checkPlans({ least: 30 });
