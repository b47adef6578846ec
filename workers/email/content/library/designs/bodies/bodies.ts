import { ACCOUNT_BODIES } from "./account";
import { NEWS_BODIES } from "./news";
import { SHOP_BODIES } from "./shop";

/** The texts of each design, by its key. */
export const BODIES = { ...ACCOUNT_BODIES, ...NEWS_BODIES, ...SHOP_BODIES };

/** The key of a design within its design set. */
export type DesignKey = keyof typeof BODIES;
