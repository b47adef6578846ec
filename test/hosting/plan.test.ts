import "../../workers/hosting/worker";
import { checkPlans } from "../support/db/plan-suite";

// After an intended change, record the plans with: npx vitest run --project hosting test/hosting/plan.test.ts -u
await checkPlans({ least: 15 });
