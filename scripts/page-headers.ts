/** The response headers of every page, for the preview server and for static hosts. See docs/inbox/hosting.md. */
export interface PageHeaderOptions {
  /** URL of the Supabase project: the only other origin that the page may connect to, over HTTP and websockets. */
  readonly supabaseUrl: string | undefined;
  /** Where errors of the page are posted; the page may connect to its origin, too. */
  readonly errorReportsUrl?: string | undefined;
  /** `hcaptcha` or `turnstile`: opens the policy for that provider's script and frame. */
  readonly captchaProvider?: string | undefined;
}

const captchaHosts: Readonly<Record<string, string>> = {
  hcaptcha: 'https://hcaptcha.com https://*.hcaptcha.com',
  turnstile: 'https://challenges.cloudflare.com',
};

export function createPageHeaders(options: PageHeaderOptions): Record<string, string> {
  return {
    'Content-Security-Policy': createContentSecurityPolicy(options),
    // Browsers ignore it on plain http.
    'Strict-Transport-Security': 'max-age=31536000',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  };
}

const originOf = (url: string | undefined): string => (url && URL.canParse(url) ? new URL(url).origin : '');

function createContentSecurityPolicy(options: PageHeaderOptions): string {
  const { supabaseUrl, errorReportsUrl, captchaProvider = '' } = options;
  const captcha = captchaHosts[captchaProvider] ?? '';
  const project = originOf(supabaseUrl);
  const directives: readonly (readonly [string, ...string[]])[] = [
    ['default-src', "'none'"],
    ['script-src', "'self'", captcha],
    ['style-src', "'self'"],
    ['img-src', "'self'", 'data:'],
    ['font-src', "'self'"],
    ['connect-src', "'self'", project, project.replace(/^http/, 'ws'), originOf(errorReportsUrl), captcha],
    ['frame-src', captcha || "'none'"],
    ['manifest-src', "'self'"],
    ['worker-src', "'self'"],
    ['base-uri', "'none'"],
    ['form-action', "'self'"],
    ['frame-ancestors', "'none'"],
    // The one policy creates the URLs of workers (src/inbox/app/worker-url.ts).
    ...(captcha === ''
      ? ([
          ['require-trusted-types-for', "'script'"],
          ['trusted-types', 'worker-url'],
        ] as const)
      : []),
  ];
  return directives.map((directive) => directive.filter(Boolean).join(' ')).join('; ');
}

/** Formats the headers as a `_headers` file, which Netlify, Cloudflare Pages and others read from the published folder. */
export function encodeHeadersFile(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  return ['/*', ...lines, '/assets/*', '  Cache-Control: public, max-age=31536000, immutable', ''].join('\n');
}

/**
 * Whether a page of this site sent the POST: a foreign one must not delete its cookies, for instance. Browsers that send no
 * `Sec-Fetch-Site` send `Origin` with every POST.
 */
export function isSameOriginPost(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = String(headers['origin'] ?? '');
  return URL.canParse(origin) && new URL(origin).host === headers['host'];
}
