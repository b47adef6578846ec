declare module "virtual:lucide" {
  /** The shapes of each icon: element name and attributes. */
  export const icons: Record<string, [string, Record<string, string>][]>;
}
declare module "*.css";
