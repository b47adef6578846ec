import { invalid } from "../../../kit/problem";
import { LOOPBACK } from "../../setting-types";

/** Checks the page after the confirmation. Throws 400 `confirmed_redirect_url: [invalid]` unless it is an https URL or "". */
export function checkRedirect(url: string | undefined, { debug }: { debug: boolean }): void {
  if (url === undefined || url === "") return;
  if (!isRedirect(url, debug)) throw invalid({ confirmed_redirect_url: ["invalid"] });
}

function isRedirect(text: string, debug: boolean): boolean {
  if (!/^https?:\/\/[^\s\\"'<>{}]+$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  if (protocol === "https:") return true;
  return debug && LOOPBACK.includes(hostname.replace(/^\[|\]$/g, ""));
}
