import { describe, expect, test } from "vitest";
import { openingOf, routeAccess } from "../../../shell/client/src/router/guard.ts";
import { listedEntries, signedOutViewer, type Viewer } from "../../../shell/client/src/router/navigation.ts";
import { hasView, isFileOfServer, matchRoute, startAddress } from "../../../shell/client/src/router/routes.ts";
import { pageConfig, pageItem } from "./page-config.ts";

const person: Viewer = { ...signedOutViewer, signedIn: true, groups: ["editors"] };
const backend = {
  type: "platform" as const,
  url: "https://id.example",
  adminPathname: "admin",
  adminUrl: "https://admin.example/#/",
};

describe("a route", () => {
  const config = pageConfig({
    backend,
    navigation: [
      pageItem({ path: "docs" }),
      pageItem({ path: "docs/api" }),
      pageItem({ path: "prefs", url: "/__settings" }),
      pageItem({ path: "look", url: "/__settings/appearance" }),
      pageItem({ path: "self", url: "/" }),
    ],
  });

  test.each([
    ["/docs", "frame", "docs", ""],
    ["/docs/", "frame", "docs", ""],
    ["/docs/a/b", "frame", "docs", "a/b"],
    ["/docs/api/x", "frame", "docs/api", "x"],
    ["/docs/apix", "frame", "docs", "apix"],
    ["/prefs/advanced", "settings", "prefs", "advanced"],
    ["/look", "settings", "look", "appearance"],
    ["/__settings/app-docs/api", "settings", "__settings", "app-docs/api"],
    ["/legal/privacy-policy", "legal", "legal", "privacy-policy"],
    ["/admin/companies/7", "admin", "admin", "companies/7"],
  ])("of %s shows %s of %s", (address, view, base, rest) => {
    expect(matchRoute(config, address)).toMatchObject({ view, base, rest });
  });

  test.each([
    ["/", "start"],
    ["/docsx", "not-found"],
    ["/__nothing", "not-found"],
    ["/login", "login"],
    ["/login/callback", "callback"],
    ["/login/other", "not-found"],
    ["/self", "welcome"],
    ["/self/x", "not-found"],
    ["/__diagnostics", "diagnostics"],
    ["/__cookie-preferences", "consent"],
  ])("of %s has the kind %s", (address, view) => {
    expect(matchRoute(config, address).view).toBe(view);
  });

  test("belongs to the root item when nothing else matches, unless it is a view of the shell", () => {
    const single = pageConfig({ navigation: [pageItem({ path: "", url: "https://app.example" })] });
    expect(matchRoute(single, "/")).toMatchObject({ view: "frame", base: "", rest: "" });
    expect(matchRoute(single, "/orders/7")).toMatchObject({ view: "frame", rest: "orders/7" });
    expect(matchRoute(single, "/__nothing").view).toBe("not-found");
  });

  test("is a file of the server when its extension belongs to no item or settings section", () => {
    const items = ["docs", "v1.2", ""].map((path) => pageItem({ path, settings: "https://app.example/settings" }));
    const dotted = pageConfig({ navigation: items });
    for (const path of ["/terms.docx", "/files/list.xlsx", "/legal/terms.pdf", "/docs/plan.zip", "/assets/a-1.js"])
      expect([path, isFileOfServer(dotted, path)]).toEqual([path, true]);
    for (const path of ["/", "/docs/a", "/v1.2", "/v1.2/a", "/legal/privacy-policy", "/__settings/app-v1.2", "/docs/"])
      expect([path, isFileOfServer(dotted, path)]).toEqual([path, false]);
    // The server serves a folder at an address where the shell has no view.
    expect(isFileOfServer(config, "/handbook/")).toBe(true);
    expect(isFileOfServer(config, "/handbook")).toBe(false);
  });

  test("leads to the administration only when a platform backend configures its path and its URL", () => {
    const { adminUrl: _, ...half } = backend;
    expect(matchRoute(pageConfig({ backend: half }), "/admin").view).toBe("not-found");
    expect(matchRoute(pageConfig({ backend: { ...backend, type: "supabase" } }), "/admin").view).toBe("not-found");
  });
});

describe("the start address", () => {
  const navigation = [
    pageItem({ path: "out", openIn: "external" }),
    pageItem({ path: "hidden", hidden: true }),
    pageItem({ path: "staff", requiresStaff: true }),
    pageItem({ path: "home" }),
  ];

  test("is startUrl, else the first listed item that is not external, else the welcome page", () => {
    expect(startAddress(pageConfig({ navigation, startUrl: "/home/x" }), signedOutViewer)).toBe("/home/x");
    expect(startAddress(pageConfig({ navigation }), signedOutViewer)).toBe("/home");
    expect(startAddress(pageConfig({ navigation }), { ...person, isStaff: true })).toBe("/staff");
    expect(startAddress(pageConfig(), signedOutViewer)).toBe("/__welcome");
  });

  test("does not redirect to itself", () => {
    expect(startAddress(pageConfig({ startUrl: "/" }), signedOutViewer)).toBe("/__welcome");
  });
});

test("omits a group without visible items", () => {
  const group = { title: "Team", position: "start" as const, collapsed: false };
  const navigation = [
    { ...group, items: [pageItem({ path: "a", requiresGroups: ["admins"] })] },
    { ...group, items: [pageItem({ path: "b", requiresGroups: ["editors", "admins"] })] },
  ];
  expect(listedEntries(navigation, signedOutViewer)).toEqual([]);
  expect(listedEntries(navigation, person)).toHaveLength(1);
});

describe("the route guard", () => {
  const route = (item: Parameters<typeof pageItem>[0]) =>
    matchRoute(pageConfig({ navigation: [pageItem(item)] }), `/${item.path}`);

  test("requires a sign-in where it is configured, even without a backend", () => {
    const guarded = route({ path: "a", requiresAuth: true });
    expect(routeAccess(guarded, "none", signedOutViewer)).toBe("sign-in");
    expect(routeAccess(guarded, "out", signedOutViewer)).toBe("sign-in");
    expect(routeAccess(guarded, "waiting", signedOutViewer)).toBe("wait");
    expect(routeAccess(guarded, "in", person)).toBe("open");
  });

  test("rejects users who may not see an item, and waits until this is known", () => {
    const staff = route({ path: "a", requiresStaff: true });
    expect(routeAccess(staff, "waiting", signedOutViewer)).toBe("wait");
    expect(routeAccess(staff, "in", person)).toBe("refused");
    expect(routeAccess(staff, "in", { ...person, isStaff: true })).toBe("open");
  });

  test("requires a sign-in for personal settings sections at each of their addresses", () => {
    const config = pageConfig({ navigation: [pageItem({ path: "prefs", url: "/__settings" })] });
    for (const path of ["/__settings/account", "/__settings/storage", "/prefs/account"]) {
      const section = matchRoute(config, path);
      expect(routeAccess(section, "out", signedOutViewer)).toBe("sign-in");
      expect(routeAccess(section, "waiting", signedOutViewer)).toBe("wait");
      expect(routeAccess(section, "in", person)).toBe("open");
      // Without a backend there are no users, so the section does not exist.
      expect(routeAccess(section, "none", signedOutViewer)).toBe("open");
    }
    expect(routeAccess(matchRoute(config, "/__settings/appearance"), "out", signedOutViewer)).toBe("open");
  });

  test("requires the sign-in of an item before the settings of its application", () => {
    const settings = "https://app.example/settings";
    const config = pageConfig({
      navigation: [
        pageItem({ path: "prefs", url: "/__settings" }),
        pageItem({ path: "team/rota", settings, requiresAuth: true }),
        pageItem({ path: "desk", settings, requiresStaff: true }),
        pageItem({ path: "plain", requiresAuth: true }),
        pageItem({ path: "open", settings }),
      ],
    });
    for (const base of ["/__settings", "/prefs"]) {
      const panel = (path: string) => matchRoute(config, `${base}/app-${path}`);
      expect(routeAccess(panel("team/rota"), "waiting", signedOutViewer)).toBe("wait");
      expect(routeAccess(panel("team/rota"), "out", signedOutViewer)).toBe("sign-in");
      expect(routeAccess(panel("team/rota"), "in", person)).toBe("open");
      expect(routeAccess(panel("desk"), "in", person)).toBe("refused");
      expect(routeAccess(panel("open"), "out", signedOutViewer)).toBe("open");
      // An application without settings has no settings address.
      expect(routeAccess(panel("plain"), "out", signedOutViewer)).toBe("open");
    }
  });

  test("opens an item as configured for users who may open it, and shows others the reason at its address", () => {
    for (const openIn of ["modal", "drawer", "external"] as const) {
      const guarded = pageItem({ path: "a", requiresAuth: true, openIn });
      expect(openingOf(guarded, "none", signedOutViewer)).toBe("default");
      expect(openingOf(guarded, "out", signedOutViewer)).toBe("default");
      expect(openingOf(guarded, "in", person)).toBe(openIn);
      const staff = pageItem({ path: "a", requiresStaff: true, openIn });
      expect(openingOf(staff, "in", person)).toBe("default");
      expect(openingOf(staff, "in", { ...person, isStaff: true })).toBe(openIn);
    }
  });

  test("lets owners open the administration, but not other signed-in users", () => {
    const admin = matchRoute(pageConfig({ backend }), "/admin");
    expect(routeAccess(admin, "out", signedOutViewer)).toBe("sign-in");
    expect(routeAccess(admin, "in", person)).toBe("refused");
    expect(routeAccess(admin, "in", { ...person, isCompanyOwner: true })).toBe("open");
  });
});

test("rejects an address that contains a host, even with a root item", () => {
  const root = pageConfig({ navigation: [pageItem({ path: "", url: "https://app.example/" })] });
  for (const url of ["/x/..//evil.example/a", "/.//evil.example", "/%2e//evil.example", "/x/../\\evil.example"])
    expect([url, hasView(root, new URL(url, "https://shell.example").pathname)]).toEqual([url, false]);
  expect(hasView(root, "/a//b")).toBe(true);
});
