import { purgeJob } from "../../kit/jobs/purge.job";
import type { IdentityServices } from "../services";
import { purgeTargets } from "./purge.store";

/** Each hour, what has outlived its retention. */
export const purgeExpiredData = purgeJob<IdentityServices>(purgeTargets);
