import { isSafeStyleValue } from "./attributes";

const ALLOWED =
  /^(?:background-color|border(?:-[a-z-]+)?|color|direction|display|font(?:-[a-z-]+)?|height|letter-spacing|line-height|margin(?:-[a-z-]+)?|max-[a-z-]+|min-[a-z-]+|padding(?:-[a-z-]+)?|table-layout|text-[a-z-]+|vertical-align|white-space|width|word-break|overflow-wrap)$/;

/** Merges trusted style texts. A later declaration of a property replaces an earlier one. */
export function mergeStyles(...styles: readonly string[]): string {
  const merged = new Map<string, string>();
  for (const style of styles) {
    for (const declaration of style.split(";")) {
      const colon = declaration.indexOf(":");
      if (colon < 0) continue;
      const property = declaration.slice(0, colon).trim();
      // Deleting the property first moves it to the end. The order matters for `margin` and `margin-top`.
      merged.delete(property);
      merged.set(property, declaration.slice(colon + 1).trim());
    }
  }
  return [...merged].map(([property, value]) => `${property}:${value}`).join(";");
}

/** Returns the allowed declarations of a style attribute in a document. */
export function filterStyle(style: string): string {
  const allowedDeclarations: string[] = [];
  for (const declaration of style.split(";")) {
    const colon = declaration.indexOf(":");
    if (colon < 0) continue;
    const property = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    const isHidden = property === "display" && /none/i.test(value);
    if (ALLOWED.test(property) && value !== "" && !isHidden && isSafeStyleValue(value)) {
      allowedDeclarations.push(`${property}:${value}`);
    }
  }
  return allowedDeclarations.join(";");
}
