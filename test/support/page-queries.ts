import { configure, prettyDOM } from '@testing-library/dom';

configure({
  // Long enough that only a failure reaches it, although chunks load and a whole Supabase runs in this process.
  asyncUtilTimeout: 30_000,
  // `findBy` and `waitFor` create an error at every change of the page and drop it; only an error that is shown prints the page.
  getElementError: (message, container) => {
    let shown: string | undefined;
    return Object.defineProperties(new Error(), {
      name: { value: 'TestingLibraryElementError' },
      message: {
        configurable: true,
        get: () => (shown ??= [message, prettyDOM(container)].filter(Boolean).join('\n\n')),
      },
    });
  },
});
