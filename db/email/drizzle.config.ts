import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "sqlite", schema: "./db/email/schema.ts", out: "./db/email/migrations" });
