/** Texts of models and of the web as text: emphasis, lists and http links, and never HTML. */
import { defineComponent, h, ref, type VNodeChild } from "vue";

const LONG = 4000;
const MARKS = /(\*\*[^*\n]+\*\*|`[^`\n]+`|https?:\/\/[^\s<>"')\]]+)/;

function inline(text: string): VNodeChild[] {
  return text.split(MARKS).map((part, n) => {
    if (n % 2 === 0) return part;
    if (part.startsWith("**")) return h("strong", part.slice(2, -2));
    if (part.startsWith("`")) return h("code", part.slice(1, -1));
    return h("a", { href: part, target: "_blank", rel: "noopener noreferrer nofollow" }, part);
  });
}

function blocks(text: string): VNodeChild[] {
  const found: VNodeChild[] = [];
  let items: VNodeChild[] = [];
  const close = (): void => {
    if (items.length) found.push(h("ul", items));
    items = [];
  };
  for (const line of text.split("\n")) {
    const item = /^\s*[-*•]\s+(.*)$/.exec(line);
    if (item) items.push(h("li", { dir: "auto" }, inline(item[1]!)));
    else {
      close();
      if (line.trim()) found.push(h("p", { dir: "auto" }, inline(line)));
    }
  }
  close();
  return found;
}

export default defineComponent({
  props: { text: { type: String, required: true } },
  setup(props) {
    const whole = ref(false);
    return () => {
      const cut = props.text.length > LONG && !whole.value;
      const shown = blocks(cut ? `${props.text.slice(0, LONG)} …` : props.text);
      if (cut)
        shown.push(
          h("button", { type: "button", class: "plain", onClick: () => (whole.value = true) },
            `Show all ${props.text.length.toLocaleString("en")} characters`),
        );
      return h("div", { class: "words" }, shown);
    };
  },
});
