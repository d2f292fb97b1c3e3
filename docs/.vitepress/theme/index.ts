import { defineAsyncComponent } from 'vue';
import type { Theme } from 'vitepress';
import defaultTheme from 'vitepress/theme';
import './style.css';

/** The default theme, and the layouts of two pages, which are loaded on demand. */
export default {
  extends: defaultTheme,
  enhanceApp({ app }) {
    app.component(
      'Playground',
      defineAsyncComponent(() => import('./playground.vue')),
    );
    app.component(
      'Demo',
      defineAsyncComponent(() => import('./demo.vue')),
    );
  },
} satisfies Theme;
