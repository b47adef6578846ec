import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "sqlite", schema: "./db/identity/schema.ts", out: "./db/identity/migrations" });
