// Configuration that `npm start` uses: a shell with two embedded applications (apps/). Each is deployed to the hosting service and
// has an origin of its own, so it receives exactly what its item allows.

const identity = process.env.PLATFORM_IDENTITY_URL ?? "http://localhost:8787/identity";
const platform = new URL(identity).origin;

// `npm start` sets the addresses of the applications.
const today = process.env.EXAMPLE_TODAY_URL ?? "http://today.localhost:8787/";
const orders = process.env.EXAMPLE_ORDERS_URL ?? "http://orders.localhost:8787/";

export default {
  port: 3000,
  title: "Aster Trading",
  version: "1.0.0",
  language: ["en", "fr"],
  navigation: [
    { label: { en: "Home", fr: "Accueil" }, path: "home", url: "/__welcome", icon: "icons/house.svg" },
    {
      title: { en: "Work", fr: "Travail" },
      items: [
        {
          label: { en: "Today", fr: "Aujourd’hui" },
          path: "today",
          url: today,
          icon: "icons/list-checks.svg",
          // receives the signed-in user
          shareUser: true,
        },
        {
          label: { en: "Orders", fr: "Commandes" },
          path: "orders",
          url: orders,
          icon: "icons/package.svg",
          requiresAuth: true,
          // also receives the access token
          safeForAuthToken: true,
        },
      ],
    },
    {
      label: { en: "Settings", fr: "Paramètres" },
      path: "settings",
      url: "/__settings",
      icon: "icons/settings.svg",
      position: "end",
    },
  ],
  backend: {
    type: "platform",
    url: identity,
    companyId: 1,
    login: { methods: ["magic_link", "oauth"] },
  },
  // The settings show the company's storage usage; applications store files through the shell.
  storage: { url: platform },
  // the app of `npx platform deploy examples`
  hosting: { url: `${platform}/hosting`, app: "my-app" },
};
