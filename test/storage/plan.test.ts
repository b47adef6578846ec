import "../../workers/storage/worker";
import { checkPlans } from "../support/db/plan-suite";

// A plan that is meant to be another is recorded with npx vitest run --project storage test/storage/plan.test.ts -u
await checkPlans({ least: 15 });
