import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "sqlite", schema: "./db/hosting/schema.ts", out: "./db/hosting/migrations" });
