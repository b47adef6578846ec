import { DAY_MS, HOUR_MS } from "../../kit/time";

export { requestCleanup } from "./clean-up-request.store";

/** How long the files of a draft are kept after it was created, and blobs after a deployment named them. */
export const KEPT_MS = DAY_MS;

/** A blob is marked as used at most this often, so that repeated deployments write no rows. */
export const TOUCH_MS = 12 * HOUR_MS;
