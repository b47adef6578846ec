declare module "virtual:lucide" {
  /** An icon is a list of shapes: element and attributes. */
  export const icons: Record<string, [string, Record<string, string>][]>;
}
declare module "*.css";
