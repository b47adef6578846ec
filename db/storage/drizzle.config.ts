import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "sqlite", schema: "./db/storage/schema.ts", out: "./db/storage/migrations" });
