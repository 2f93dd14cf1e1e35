/** Pages by address; the address holds the full state of a page. */
import { createRouter, createWebHashHistory, type RouteRecordRaw } from "vue-router";

import RunPage from "./pages/RunPage.vue";
import RunsPage from "./pages/RunsPage.vue";
import StillPage from "./pages/StillPage.vue";
import { scrollBack } from "./scroll";

const COMPARE: RouteRecordRaw[] = __STILL__ ? [] : [{ path: "/compare", name: "compare", meta: { title: "Compare" }, component: () => import("./pages/ComparePage.vue") }];
const AFTER: RouteRecordRaw[] = __STILL__ ? [] : [
  { path: "chat", name: "chat", component: () => import("./pages/ChatPage.vue") },
  { path: "validation", name: "validation", component: () => import("./pages/ValidationPage.vue") },
];

export const router = createRouter({
  history: createWebHashHistory(),
  scrollBehavior: (to, from, saved) => (saved ? scrollBack(saved.top) : to.path === from.path ? false : { top: 0 }),
  routes: [
    { path: "/", name: "runs", meta: { title: "Runs" }, component: __STILL__ ? StillPage : RunsPage },
    ...COMPARE,
    {
      path: "/run/:id",
      component: RunPage,
      children: [
        { path: "", name: "run", component: () => import("./pages/OverviewPage.vue") },
        { path: "view/:surface", name: "view", component: () => import("./pages/ViewPage.vue") },
        { path: "agent/:agent", name: "agent", component: () => import("./pages/AgentPage.vue") },
        { path: "search", name: "search", component: () => import("./pages/SearchPage.vue") },
        { path: "questions", name: "questions", component: () => import("./pages/QuestionsPage.vue") },
        { path: "question/:place", name: "question", component: () => import("./pages/QuestionPage.vue") },
        { path: "source/:world/:chunk", name: "source", component: () => import("./pages/SourcePage.vue") },
        ...AFTER,
      ],
    },
    { path: "/:rest(.*)*", name: "lost", meta: { title: "No such page" }, component: () => import("./pages/LostPage.vue") },
  ],
});

/** The title of pages outside a run; a run's page names the run and itself. */
router.afterEach((to) => {
  if (to.meta.title) document.title = `${to.meta.title} – openiir`;
});
