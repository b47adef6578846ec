import "../../workers/storage/worker";
import { checkPlans } from "../support/db/plan-suite";

// After an intended change, record the plans with: npx vitest run --project storage test/storage/plan.test.ts -u
await checkPlans({ least: 15 });
