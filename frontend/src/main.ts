import { token } from "./token"; // first: it takes the token out of the address

import { createApp } from "vue";

import App from "./App.vue";
import { readAbout } from "./about";
import { router } from "./routes";
import { handInToken } from "./source";
import "./style.css";

async function start(): Promise<void> {
  let refused = "";
  try {
    if (token) await handInToken(token);
  } catch (error) {
    refused = `The token in the address was not accepted: ${(error as Error).message}`;
  }
  void readAbout();
  if (!document.getElementById("app")) {
    const place = document.createElement("div");
    place.id = "app";
    document.body.prepend(place);
  }
  createApp(App, { refused }).use(router).mount("#app");
}

void start();
