declare module "virtual:lucide" {
  /** Shapes of each icon: element and attributes. */
  export const icons: Record<string, [string, Record<string, string>][]>;
}
declare module "*.css";
