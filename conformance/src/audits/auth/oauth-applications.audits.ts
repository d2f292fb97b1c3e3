import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertStatus, at, textAt } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { isTime, withApplication } from './oauth-application.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#oauth-server', needs: ['service-key'], since: '1.0.0' } as const;

const pages = { client_uri: 'https://app.example.com/about', logo_uri: 'https://app.example.com/logo.png' };

/** How applications are registered and changed. */
export const oauthApplicationAudits: readonly Audit[] = [
  audit(
    'AUTH-1113',
    'an application keeps its pages and its times, and is listed with the newest first',
    options,
    (context) =>
      withApplication(context, pages, async ({ id, registered }) => {
        const { json } = await context.admin('GET', `/oauth/clients/${id}`);
        const name = textAt(registered, 'client_name');
        for (const [member, value] of Object.entries({ ...pages, client_name: name }))
          for (const client of [registered.json, json]) assert.equal(at(client, member), value, member);
        for (const member of ['created_at', 'updated_at'])
          assert.ok(isTime(at(json, member)), `${member} is a time`, String(at(json, member)));
        await withApplication(context, {}, async (newer) => {
          const listed = at(
            (await context.admin('GET', '/oauth/clients')).json,
            'clients',
          ) as readonly unknown[];
          const ids = listed.map((client) => at(client, 'client_id'));
          assert.deepEqual(
            ids.filter((one) => one === id || one === newer.id),
            [newer.id, id],
            'the two applications in the list',
          );
          assert.ok(
            listed.every((client) => at(client, 'client_secret') === undefined),
            'the list has no secrets',
          );
        });
      }),
  ),
  audit(
    'AUTH-1114',
    'each member of an application can be changed, and an empty one removes it',
    options,
    (context) =>
      withApplication(context, pages, async ({ id, registered }) => {
        const path = `/oauth/clients/${id}`;
        const changes = {
          redirect_uris: ['https://app.example.com/a', 'com.example.app://b'],
          grant_types: ['authorization_code'],
          client_name: context.run.newName(),
          client_uri: 'https://app.example.com/other',
          logo_uri: 'https://app.example.com/other.png',
          token_endpoint_auth_method: 'client_secret_post',
        };
        for (const [member, value] of Object.entries(changes)) {
          const changed = await context.admin('PUT', path, { [member]: value });
          assertStatus(changed, 200);
          assert.deepEqual(at(changed.json, member), value, `${member} of the response`);
        }
        const { json } = await context.admin('GET', path);
        for (const [member, value] of Object.entries(changes))
          assert.deepEqual(at(json, member), value, member);
        assert.ok(
          Date.parse(String(at(json, 'updated_at'))) > Date.parse(textAt(registered, 'updated_at')),
          'updated_at has moved',
        );
        for (const member of ['client_name', 'client_uri', 'logo_uri']) {
          const removed = await context.admin('PUT', path, { [member]: '' });
          assert.equal(at(removed.json, member), undefined, `${member} that was removed`);
        }
      }),
  ),
  audit(
    'AUTH-1115',
    'the name of an application has up to 1024 bytes, the address of a page 2048, and there are ten to return to',
    options,
    async (context) => {
      const page = (length: number) => `https://app.example.com/${'x'.repeat(length - 24)}`;
      const addresses = (length: number) =>
        Array.from({ length }, (_, index) => `https://app.example.com/${index}`);
      const longest = {
        client_name: context.run.newName().padEnd(1024, 'x'),
        client_uri: page(2048),
        logo_uri: page(2048),
        redirect_uris: addresses(10),
      };
      await withApplication(context, longest, async ({ id, registered }) => {
        for (const [member, value] of Object.entries(longest))
          assert.deepEqual(at(registered.json, member), value, member);
        const tooLong = {
          client_name: 'x'.repeat(1025),
          client_uri: page(2049),
          logo_uri: page(2049),
          redirect_uris: addresses(11),
          grant_types: ['implicit'],
        };
        const reasons = [
          'client_name cannot exceed 1024 characters',
          'client_uri cannot exceed 2048 characters',
          'logo_uri cannot exceed 2048 characters',
          'redirect_uris cannot exceed 10 items',
          "grant_types must only contain 'authorization_code' and/or 'refresh_token'",
        ];
        const methods = '[none client_secret_basic client_secret_post]';
        for (const [index, [member, value]] of Object.entries(tooLong).entries()) {
          const body = { redirect_uris: addresses(1), [member]: value };
          const added = await context.admin('POST', '/oauth/clients', body);
          assertRefusal(added, 400, 'validation_failed', `400: ${reasons[index]}`);
          const changed = await context.admin('PUT', `/oauth/clients/${id}`, { [member]: value });
          assertRefusal(changed, 400, 'validation_failed', String(reasons[index]));
        }
        for (const [change, reason] of [
          [{}, 'No fields provided for update'],
          [{ grant_types: [] }, 'grant_types cannot be empty'],
          [{ redirect_uris: [] }, 'redirect_uris cannot be empty'],
          [{ logo_uri: 'no address' }, 'logo_uri must be a valid URL'],
          [
            { token_endpoint_auth_method: 'other' },
            `invalid token_endpoint_auth_method: must be one of ${methods}`,
          ],
          [
            { token_endpoint_auth_method: 'none' },
            "token_endpoint_auth_method 'none' is not valid for client_type 'confidential'; valid methods: [client_secret_basic client_secret_post]",
          ],
        ] as const) {
          const refused = await context.admin('PUT', `/oauth/clients/${id}`, change);
          assertRefusal(refused, 400, 'validation_failed', reason);
        }
        const relative = await context.admin('PUT', `/oauth/clients/${id}`, { client_uri: '/about' });
        assert.equal(at(relative.json, 'client_uri'), '/about', 'client_uri');
      });
    },
  ),
  audit(
    'AUTH-1116',
    'an application returns to https, to its own scheme and to this computer, and to no scheme that runs code',
    options,
    async (context) => {
      const safe = [
        'https://app.example.com/',
        'com.example.app://callback',
        'http://localhost:3000/callback',
        'http://127.0.0.1/callback',
        'http://user@localhost/callback',
        'http://[::1]:3000/callback',
      ];
      await withApplication(context, { redirect_uris: safe }, async ({ registered }) => {
        assert.deepEqual(at(registered.json, 'redirect_uris'), safe, 'redirect_uris');
        const schemes = ['javascript', 'data', 'file', 'vbscript', 'about', 'blob', 'JavaScript'];
        const unsafe: readonly (readonly [string, string])[] = [
          ...schemes.map((scheme): readonly [string, string] => [
            `${scheme}://app.example.com/`,
            `scheme '${scheme.toLowerCase()}' is not allowed for security reasons`,
          ]),
          ['', 'redirect URI cannot be empty'],
          ['app.example.com', 'must have scheme and host'],
          ['http://localhost.example.com/', 'HTTP scheme only allowed for localhost'],
          ['com.example.app:///callback', 'must have scheme and host'],
          ['https:///callback', 'must have scheme and host'],
        ];
        for (const [uri, reason] of unsafe) {
          const refused = await context.admin('POST', '/oauth/clients', { redirect_uris: [uri] });
          const message = `400: invalid redirect_uri '${uri}': ${reason}`;
          assertRefusal(refused, 400, 'validation_failed', message);
        }
      });
    },
  ),
  audit(
    'AUTH-1117',
    'the types of an application and of its credentials belong together',
    options,
    async (context) => {
      const kinds = [
        [{ client_type: 'public' }, 'public', 'none'],
        [{ client_type: 'confidential' }, 'confidential', 'client_secret_basic'],
        [{ token_endpoint_auth_method: 'none' }, 'public', 'none'],
        [{ token_endpoint_auth_method: 'client_secret_post' }, 'confidential', 'client_secret_post'],
      ] as const;
      for (const [fields, type, method] of kinds)
        await withApplication(context, fields, async ({ registered, secret }) => {
          assert.deepEqual(
            [at(registered.json, 'client_type'), at(registered.json, 'token_endpoint_auth_method')],
            [type, method],
            'client_type and token_endpoint_auth_method',
          );
          assert.equal(secret !== '', type === 'confidential', 'whether the application has a secret');
        });
      const redirect_uris = ['https://app.example.com/'];
      for (const [client_type, token_endpoint_auth_method, expected] of [
        ['public', 'client_secret_basic', 'confidential'],
        ['confidential', 'none', 'public'],
      ] as const) {
        const body = { redirect_uris, client_type, token_endpoint_auth_method };
        assertRefusal(
          await context.admin('POST', '/oauth/clients', body),
          400,
          'validation_failed',
          `400: client_type '${client_type}' is inconsistent with token_endpoint_auth_method '${token_endpoint_auth_method}' (expected client_type '${expected}')`,
        );
      }
    },
  ),
];
