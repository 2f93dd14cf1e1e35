/** The app as ES modules, for the server. */
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export const define = {
  __VUE_OPTIONS_API__: "false",
  __VUE_PROD_DEVTOOLS__: "false",
  __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
};

export default defineConfig({
  base: "./",
  plugins: [vue()],
  define: { ...define, __STILL__: "false" },
  build: {
    outDir: "../src/openiir/web/app",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8601" } },
});
