import { type PageData, pageElementId } from "../../../schemas/shell/page.ts";

/** What the command line put into this page. */
export function readPageData(): PageData {
  const text = document.getElementById(pageElementId)?.textContent;
  if (!text) throw new Error("the page carries no configuration");
  // Written by the command line of the same version, which validated it.
  return JSON.parse(text) as PageData;
}
