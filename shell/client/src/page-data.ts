import { type PageData, pageElementId } from "../../../schemas/shell/page.ts";

/** Returns the configuration that the command line tool embedded in this page. */
export function readPageData(): PageData {
  const text = document.getElementById(pageElementId)?.textContent;
  if (!text) throw new Error("the page contains no configuration");
  // The command line tool of the same version has validated this data.
  return JSON.parse(text) as PageData;
}
