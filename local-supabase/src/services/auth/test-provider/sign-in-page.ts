import { escapeHtml } from '../../../mail/go-template/html-escapers.ts';

export interface SignInPage {
  /** The provider's name, as heading. */
  readonly title: string;
  readonly email: string;
  readonly hidden: Readonly<Record<string, string>>;
}

const style = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { display: grid; place-items: center; min-height: 100dvh; margin: 0; padding: 1rem; box-sizing: border-box }
  main { width: min(24rem, 100%) }
  label { display: block; margin-block: 1rem }
  input:not([type=checkbox]) { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .6rem }
  button { font: inherit; padding: .7rem 1.2rem; min-height: 2.75rem; margin-inline-end: .5rem }
`;

/** Renders the test provider's sign-in page, which works without scripts. */
export function renderSignInPage({ title, email, hidden }: SignInPage): Response {
  const fields = Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
  const heading = escapeHtml(title);
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${heading}</title>
<style>${style}</style></head>
<body><main>
<h1>${heading}</h1>
<p>This page stands in for the provider in local development. Sign in as anyone.</p>
<form method="post">${fields}
<label>Email <input name="email" type="email" required autocomplete="email" value="${escapeHtml(email)}"></label>
<label>Name <input name="name" autocomplete="name"></label>
<label><input name="email_verified" type="checkbox" checked value="true"> The address is verified</label>
<button name="decision" value="allow">Continue</button>
<button name="decision" value="deny" formnovalidate>Cancel</button>
</form>
</main></body>
</html>`;
  return new Response(html, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
