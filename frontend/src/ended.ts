/** How a run ended that did not finish: why, and the command that goes on with it. */
import { placeOf } from "./about";
import { command } from "./parts/giving";
import type { RunCard } from "./types";

const WORDS: Record<string, string> = {
  killed: "Its process ended without a word: killed, or the machine went down",
  declared: "It was declared, and never began",
};

export const endedEarly = (run: RunCard): boolean => !["finished", "running"].includes(run.state);

export const whyEnded = (run: RunCard): string => run.reason || WORDS[run.state] || "No reason was recorded";

/** Nothing goes on with a damaged run. */
export const resumeCommand = (run: RunCard): string => (run.state === "damaged" ? "" : command("openiir", "resume", placeOf(run.sweep ?? run.id)));
