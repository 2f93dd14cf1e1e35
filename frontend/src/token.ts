/** The start-up token of the address, taken out of it before anything else reads the address. */
const found = /^#\/?token=(.+)$/.exec(location.hash);

export const token = found ? decodeURIComponent(found[1]!) : "";

if (found) history.replaceState(null, "", `${location.pathname}#/`);
