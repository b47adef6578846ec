import { shellConfig } from "../../../schemas/shell/config.ts";
import type { PageConfig, PageItem } from "../../../schemas/shell/page.ts";

/** Returns an item with defaults. */
export function pageItem(item: { path: string; url?: string } & Partial<PageItem>): PageItem {
  const input = { label: item.path || "root", url: `https://app.example/${item.path}`, ...item };
  const { navigation } = shellConfig.parse({ navigation: [input] });
  return { ...navigation[0], useHashRouter: item.useHashRouter ?? input.url.includes("/#") } as PageItem;
}

/** Returns a configuration as embedded in a page. */
export function pageConfig(config: Partial<PageConfig> = {}): PageConfig {
  const { language: _, navigation: __, legalDocuments: ___, backend: ____, ...rest } = shellConfig.parse({});
  return { ...rest, language: ["en", "fr"], navigation: [], ...config };
}
