/** The same app as one classic script and one style sheet, for exported runs that are opened from disk. */
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

import { define } from "./vite.config.ts";

export default defineConfig({
  plugins: [vue()],
  define: { ...define, __STILL__: "true", "process.env.NODE_ENV": '"production"' },
  build: {
    target: "es2023",
    outDir: "../src/openiir/web/still",
    emptyOutDir: true,
    lib: {
      entry: "src/main.ts",
      formats: ["iife"],
      name: "openiirViewer",
      fileName: () => "viewer.js",
      cssFileName: "viewer",
    },
  },
});
