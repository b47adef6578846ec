import { hosting } from "../support/hosting/hosting";
import { checkScheduledJobs, sharedJobs } from "../support/sibling/scheduled-jobs-suite";

await checkScheduledJobs(hosting, { jobs: sharedJobs, idleCalls: 3 });
