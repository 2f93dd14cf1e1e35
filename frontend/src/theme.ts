/** Light or dark: as the system says, unless switched here. */
import { ref, watchEffect } from "vue";

const system = window.matchMedia("(prefers-color-scheme: dark)");

function kept(): string | null {
  try {
    return localStorage.getItem("openiir-theme");
  } catch {
    return null; // a page opened from disk may have no storage
  }
}

export const theme = ref<"light" | "dark">((kept() as "light" | "dark" | null) ?? (system.matches ? "dark" : "light"));

system.addEventListener("change", () => {
  if (!kept()) theme.value = system.matches ? "dark" : "light";
});

watchEffect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function switchTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("openiir-theme", theme.value);
  } catch {
    /* it lasts as long as the page */
  }
}

const TONES = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

/** The tone of the nth of several things. */
export function toneOf(n: number): string {
  return TONES[n % TONES.length]!;
}

/** The value of a colour variable now as #rrggbb, for canvases. */
export function colour(name: string): string {
  const value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(value);
  return short ? `#${short.slice(1).map((digit) => digit + digit).join("")}` : value || "#888888";
}
