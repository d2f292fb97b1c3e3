import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { generateLink } from './mail-link.ts';

const audit = auditsOf('auth');

/** URLs that this allow list permits, and others that look like them. */
const patterns: Readonly<
  Record<string, { readonly allowed: readonly string[]; readonly refused: readonly string[] }>
> = {
  'https://*.example.com/a?/**': {
    allowed: [
      'https://x.example.com/ab/',
      'https://x-y.example.com/ab/c/d.html?e=f',
      'https://x.example.com/ab/c#d',
      'https://x.example.com/a-/c',
    ],
    refused: [
      'https://example.com/ab/c',
      'https://x.y.example.com/ab/c',
      'https://x.example.com/ab',
      'https://x.example.com/abc/d',
      'https://x.example.com/a/c',
      'https://x.example.com/a./c',
      'https://x/example.com/ab/c',
      'http://x.example.com/ab/c',
      'https://xXexample.com/ab/c',
      ' https://x.example.com/ab/c',
      'HTTPS://x.example.com/ab/c',
    ],
  },
  'https://one.example.org/[a-c]/[!a-c]/[^z]*.html': {
    allowed: ['https://one.example.org/b/d/^x.html', 'https://one.example.org/c/-/z.html'],
    refused: [
      'https://one.example.org/d/d/z.html',
      'https://one.example.org/b/b/z.html',
      'https://one.example.org/-/d/z.html',
      'https://one.example.org/b/d/x.html',
      'https://one.example.org/b/d/z.y.html',
      'https://one.example.org/b/d/z.html2',
      'https://one.example.org/b/d/zXhtml',
    ],
  },
  'https://two.example.org/{x}/\\*/(b+c)$': {
    allowed: ['https://two.example.org/x/*/(b+c)$'],
    refused: [
      'https://two.example.org/{x}/*/(b+c)$',
      'https://two.example.org/x/y/(b+c)$',
      'https://two.example.org/x/*/bbc',
    ],
  },
  'https://three.example.org/{one,two}': {
    allowed: ['https://three.example.org/one'],
    refused: [
      'https://three.example.org/two',
      'https://three.example.org/{one',
      'https://three.example.org/{one,two}',
    ],
  },
  'https://example.net:*/port': {
    allowed: ['https://example.net:8443/port'],
    refused: ['https://example.net/port', 'https://example.net:8443/ports'],
  },
  'audit-app://**': {
    allowed: ['audit-app://sign/in.done', 'audit-app://'],
    refused: ['audit-app:/sign', 'other-app://sign'],
  },
};

/** Addresses are allowed or refused whatever the list says. */
const addresses = {
  allowed: ['http://127.0.0.1:9/x', 'http://127.1.2.3/', 'https://127.0.0.1/', 'http://[::1]:9/x'],
  refused: [
    'http://10.0.0.1/',
    'http://[::2]/',
    'http://2130706433/',
    'https://exa_mple.com/ab/',
    'https://-.example.com/ab/',
  ],
};

/** The URL to which a link leads that was generated with this `redirect_to`. */
async function redirectOf(context: AuditContext, email: string, wanted: string): Promise<unknown> {
  const link = await generateLink(context, { type: 'magiclink', email, redirect_to: wanted });
  assertStatus(link, 200);
  return at(link.json, 'redirect_to');
}

async function assertRedirects(
  context: AuditContext,
  email: string,
  { allowed, refused }: { readonly allowed: readonly string[]; readonly refused: readonly string[] },
): Promise<void> {
  const site = await redirectOf(context, email, '');
  for (const url of allowed)
    assert.equal(await redirectOf(context, email, url), url, `the redirect to ${url}`);
  for (const url of refused)
    assert.equal(await redirectOf(context, email, url), site, `the redirect to the refused ${url}`);
}

/** Where links may lead. */
export const redirectAudits: readonly Audit[] = [
  audit(
    'AUTH-1180',
    'patterns of the allow list match single characters, parts and whole paths of a URL',
    { source: 'protocol/auth.md#allowed-redirects', since: '1.0.0', needs: ['service-key'] },
    async (context) => {
      const { email } = await context.newUser();
      let count = 0;
      for (const urls of Object.values(patterns)) {
        const [first = ''] = urls.allowed;
        if ((await redirectOf(context, email, first)) !== first) continue;
        await assertRedirects(context, email, urls);
        count += 1;
      }
      if (count === 0) throw new NotRunError('the allow list has none of the patterns of this audit');
    },
  ),
  audit(
    'AUTH-1181',
    'links lead to the site and to addresses of this machine, not to other addresses and schemes',
    { source: 'protocol/auth.md#allowed-redirects', since: '1.0.0', needs: ['service-key'] },
    async (context) => {
      const { email } = await context.newUser();
      await assertRedirects(context, email, addresses);
      const site = new URL(String(await redirectOf(context, email, '')));
      const otherScheme = site.protocol === 'http:' ? 'https:' : 'http:';
      await assertRedirects(context, email, {
        allowed: [`${site.origin}/audit/x.y?z`],
        refused: [`${otherScheme}//${site.hostname}:1/audit`, `${site.protocol}//audit.example.edu/audit`],
      });
      if (site.hostname !== 'localhost') return;
      await assertRedirects(context, email, {
        allowed: [`${site.protocol}//localhost:1/audit`],
        refused: [],
      });
    },
  ),
];
