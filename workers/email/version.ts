import { version } from "../../package.json";

/** The version that health and the OpenAPI document name. */
export const VERSION = version;
