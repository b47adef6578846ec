import { hosting } from "../support/hosting/hosting";
import { checkScheduledJobs, sharedJobs } from "../support/sibling/scheduled-jobs-suite";

// The start of the run, one query for webhooks, one for imports, and the end.
await checkScheduledJobs(hosting, { jobs: sharedJobs, idleCalls: 4 });
