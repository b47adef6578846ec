import { labelPattern } from "./address";

const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const host = `(?:localhost|(?:${octet}\\.){3}${octet}|(?:${labelPattern}\\.)+[A-Za-z]{2,63})`;
const port = "(?::(?:80|443|[1-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?";

/**
 * A pattern for http and https URLs in the OpenAPI document. The host is a name or an IPv4 address. User names, spaces and
 * backslashes are not allowed.
 */
export const webUrlPattern = `^https?://${host}${port}(?:[/?#][A-Za-z0-9._~:/?#@!$&()*+,;=%-]*)?$`;
/** Like webUrlPattern, for https only. */
export const httpsUrlPattern = webUrlPattern.replace("https?", "https");
