import { builtInView } from "../router/navigation.ts";
import { RouteView } from "./route-view.tsx";

/** A view of the shell inside an overlay. */
export function BuiltInView({ path }: { path: string }) {
  const found = builtInView(path);
  if (found === undefined) return null;
  const { view, rest } = found;
  if (view === "settings") return <RouteView verdict="open" route={{ view, base: "__settings", rest }} />;
  if (view === "legal") return <RouteView verdict="open" route={{ view, base: "legal", rest }} />;
  return <RouteView verdict="open" route={{ view: "welcome", base: "__welcome" }} />;
}
