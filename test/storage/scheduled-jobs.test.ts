import { checkScheduledJobs, sharedJobs } from "../support/sibling/scheduled-jobs-suite";
import { storage } from "../support/storage/storage";

const sweep = { job: "sweep_storage", interval_seconds: 60, overdue_after_seconds: 180 };

// Each of the two jobs that run every minute makes three calls: the start, one query for work, and the end.
await checkScheduledJobs(storage, { jobs: [...sharedJobs, sweep], idleCalls: 6 });
