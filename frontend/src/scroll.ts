/** Scrolling back to where one was, on pages whose content comes later. */

/** How long a page may take until it is long enough, in milliseconds. */
const LONGEST = 8000;
/** Frames in which the rows that came into sight may still move what one reads. */
const SETTLING = 20;
const OWN = ["wheel", "touchmove", "keydown", "pointerdown"];

/** Wait until the page is long enough and stay at `top` while it settles; ends where the reader scrolls by hand. */
export function scrollBack(top: number): Promise<false> {
  return new Promise((done) => {
    const began = Date.now();
    let left = SETTLING;
    const end = (): void => {
      left = -1;
      for (const name of OWN) window.removeEventListener(name, end);
      done(false);
    };
    for (const name of OWN) window.addEventListener(name, end, { passive: true });
    const look = (): void => {
      if (left < 0) return;
      const long = document.documentElement.scrollHeight - window.innerHeight >= top - 1;
      if (long) {
        window.scrollTo({ top, behavior: "instant" });
        left--;
      }
      if (left <= 0 || Date.now() - began > LONGEST) end();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}
