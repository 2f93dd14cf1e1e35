/** Texts of models and of the web as text: emphasis, lists and http links, and never HTML. */
import { computed, defineComponent, h, inject, ref, type InjectionKey, type Ref, type VNodeChild } from "vue";
import { RouterLink, type RouteLocationRaw } from "vue-router";

/** Where marks in brackets lead, such as [4] or [c0080]: provided by what knows the passages of a text. */
export const MARKED: InjectionKey<Ref<Record<string, { to: RouteLocationRaw; title: string }>>> = Symbol("marked");
type Marked = Record<string, { to: RouteLocationRaw; title: string }>;

const LONG = 4000;
const MARKS = /(\*\*[^*\n]+\*\*|`[^`\n]+`|https?:\/\/[^\s<>"')\]]+|\[\w+\])/;

function inline(text: string, marked: Marked): VNodeChild[] {
  return text.split(MARKS).map((part, n) => {
    if (n % 2 === 0) return part;
    if (part.startsWith("**")) return h("strong", part.slice(2, -2));
    const mark = part.startsWith("[") ? marked[part.slice(1, -1)] : undefined;
    if (mark) return h(RouterLink, { to: mark.to, title: mark.title }, () => part);
    if (part.startsWith("[")) return part;
    if (part.startsWith("`")) return h("code", part.slice(1, -1));
    return h("a", { href: part, target: "_blank", rel: "noopener noreferrer nofollow" }, part);
  });
}

function blocks(text: string, marked: Marked): VNodeChild[] {
  const found: VNodeChild[] = [];
  let items: VNodeChild[] = [];
  const close = (): void => {
    if (items.length) found.push(h("ul", items));
    items = [];
  };
  for (const line of text.split("\n")) {
    const item = /^\s*[-*•]\s+(.*)$/.exec(line);
    if (item) items.push(h("li", { dir: "auto" }, inline(item[1]!, marked)));
    else {
      close();
      if (line.trim()) found.push(h("p", { dir: "auto" }, inline(line, line.startsWith("{") ? {} : marked))); // an example of a reply cites nothing of this run
    }
  }
  close();
  return found;
}

export default defineComponent({
  props: { text: { type: String, required: true } },
  setup(props) {
    const whole = ref(false);
    const marked = inject(MARKED, computed(() => ({})));
    return () => {
      const cut = props.text.length > LONG && !whole.value;
      const shown = blocks(cut ? `${props.text.slice(0, LONG)} …` : props.text, marked.value);
      if (cut)
        shown.push(
          h("button", { type: "button", class: "plain", onClick: () => (whole.value = true) },
            `Show all ${props.text.length.toLocaleString("en")} characters`),
        );
      return h("div", { class: "words" }, shown);
    };
  },
});
