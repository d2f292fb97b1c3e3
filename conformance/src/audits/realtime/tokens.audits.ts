import { assert } from '../../target/assertion.ts';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { notifyOnce } from '../rest/notifications.ts';
import { assertStatus, at, parseJson } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import {
  inboxOf,
  inboxTopicOf,
  join,
  joinLive,
  joinOk,
  newRoom,
  settle,
  topic,
  withPair,
  withSocket,
  NO_CLAUSE,
} from './audit-socket.ts';
import { httpWith } from './broadcast-http.ts';
import {
  indexOf,
  isBroadcast,
  isChange,
  isEvent,
  isReply,
  isSystem,
  joinPayload,
  realtimeUrlOf,
} from './frame-socket.ts';
import { requireTable } from '../../schema/product-schema.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#tokens-of-channels';
const since = '1.0.0';

const pushed: readonly Audit[] = [
  audit('RT-170', 'a pushed token gets no reply', { source }, (context) =>
    withPair(context, async ({ ada, socket }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      socket.send('1', '4', topic, 'access_token', { access_token: ada.accessToken });
      await settle(socket, '78');
      assert.equal(indexOf(socket, isReply('4')), -1, 'the position of the frame');
    }),
  ),
  audit('RT-171', 'pushing the same token again changes nothing', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      socket.send('1', '4', topic, 'access_token', { access_token: ada.accessToken });
      await settle(socket, '78');
      await notify();
      await socket.expect('the insert', isChange('INSERT'));
      assert.equal(indexOf(socket, isEvent('phx_close')), -1, 'the position of the frame');
    }),
  ),
  audit(
    'RT-172',
    'pushing null or an API key of the newer form changes nothing',
    { source, level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        socket.send('1', '4', topic, 'access_token', { access_token: null });
        socket.send('1', '5', topic, 'access_token', { access_token: 'sb_publishable_x' });
        await settle(socket, '78');
        await notify();
        await socket.expect('the insert', isChange('INSERT'));
      }),
  ),
  audit(
    'RT-173',
    'a pushed token that is not a JWT closes the channel and keeps the socket open',
    { source },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        socket.send('1', '4', topic, 'access_token', { access_token: 'not.a.jwt' });
        await socket.expect('system error', isSystem('error'));
        await socket.expect('phx_close', isEvent('phx_close'));
        await settle(socket, '78');
      }),
  ),
  audit(
    'RT-177',
    'of several pushed tokens the newest is verified before the current one expires',
    { source },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        const exp = Math.floor(Date.now() / 1000) + 4;
        const short = context.signAgain(ada.accessToken, { exp });
        const newest = context.signAgain(ada.accessToken, { jti: 'newest' });
        socket.send('1', '4', topic, 'access_token', { access_token: short });
        socket.send('1', '5', topic, 'access_token', { access_token: newest });
        await new Promise((resolve) => setTimeout(resolve, 1_000 + exp * 1_000 - Date.now()));
        await settle(socket, '78');
        assert.equal(indexOf(socket, isEvent('phx_close')), -1, 'the position of the frame');
        await notify();
        await socket.expect('the insert', isChange('INSERT'));
      }),
  ),
  audit(
    'RT-326',
    'a token that expires ends the channel with a system error and a close, and the socket stays open',
    { source, since: '1.0.0' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        // The first subscription of an idle project takes seconds, in which the short token would expire.
        await joinLive(socket, ada.accessToken, [inboxOf(ada)], { name: 'realtime:first', ref: '2' });
        const exp = Math.floor(Date.now() / 1000) + 4;
        await joinLive(socket, context.signAgain(ada.accessToken, { exp }), [inboxOf(ada)]);
        await socket.expect('phx_close', isEvent('phx_close'));
        const message = socket.received.find(isSystem('error'))?.payload;
        assert.match(String(at(message, 'message')), /expired/, 'message of the system error');
        await settle(socket, '78');
      }),
  ),
  audit(
    'RT-174',
    'the refusal of a join names its reason',
    { source: 'protocol/realtime.md#refused-joins' },
    (context) =>
      withSocket(context, async (socket) => {
        socket.send('1', '1', topic, 'phx_join', joinPayload('not.a.jwt', []));
        const { payload } = await socket.expect('the refusal', isReply('1'));
        assert.match(
          String(at(payload, 'response', 'reason')),
          /JWT|Unauthorized/i,
          'response.reason of the payload',
        );
      }),
  ),
  audit(
    'RT-175',
    'a socket without an API key is refused',
    { source: 'protocol/realtime.md#handshake' },
    (context) => isRefused(context, '?vsn=2.0.0'),
  ),
  audit(
    'RT-176',
    'a socket with an invalid API key is refused',
    { source: 'protocol/realtime.md#handshake' },
    (context) => isRefused(context, '?vsn=2.0.0&apikey=no-such-key'),
  ),
];

async function isRefused({ target }: AuditContext, query: string): Promise<void> {
  const socket = new WebSocket(realtimeUrlOf(target) + query);
  const outcome = await new Promise<string>((resolve) => {
    socket.once('open', () => resolve('opened'));
    socket.once('error', ({ message }) => resolve(message));
  });
  socket.terminate();
  assert.match(outcome, /40[13]/, 'the outcome');
}

/** Refused tokens: what they are, how they are made, and the reason. */
const refusedTokens: readonly (readonly [
  string,
  (context: AuditContext, ada: AuditUser, grace: AuditUser) => string,
  RegExp,
])[] = [
  ['no token', () => 'not-a-jwt', /^MalformedJWT: The token provided is not a valid JWT$/],
  [
    'an expired one',
    (context, ada) => context.signAgain(ada.accessToken, { exp: Math.floor(Date.now() / 1000) - 100 }),
    /^InvalidJWTToken: Token has expired 1\d\d seconds ago$/,
  ],
  [
    'one without a role',
    (context, ada) => context.signAgain(ada.accessToken, { role: undefined }),
    /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/,
  ],
  [
    'one without an end',
    (context, ada) => context.signAgain(ada.accessToken, { exp: undefined }),
    /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/,
  ],
  [
    'one with the signature of another',
    (_context, ada, grace) =>
      [...ada.accessToken.split('.').slice(0, 2), grace.accessToken.split('.')[2]].join('.'),
    /^JwtSignatureError: Failed to validate JWT signature$/,
  ],
];

/** The token with another header or payload, whose signature no longer counts. */
function withPart(token: string, index: 0 | 1, part: unknown): string {
  const parts = token.split('.');
  parts[index] = Buffer.from(JSON.stringify(part)).toString('base64url');
  return parts.join('.');
}

const NO_SIGNER =
  'JwtSignerError: Failed to generate JWT signer, check your JWT secret or JWKS configuration';
const SIGNER_OF = (kid: string) =>
  `JwtSignerError: Failed to generate JWT signer for key ID (kid) "${kid}", check your JWT secret or JWKS configuration`;
const UNKNOWN = 'Unknown Error on Channel';

/** Headers and payloads of tokens that are refused before their signature counts, with the reason. */
const refusedParts: readonly (readonly [index: 0 | 1, part: unknown, reason: string])[] = [
  [0, { alg: 'none' }, NO_SIGNER],
  [0, { alg: 'PS256', kid: 'a' }, NO_SIGNER],
  [0, { alg: 'ES256' }, NO_SIGNER],
  [0, { alg: 'RS256', kid: 5 }, NO_SIGNER],
  [0, { alg: 'ES256', kid: 'no such key' }, SIGNER_OF('no such key')],
  [0, { alg: 'RS512', kid: 'a' }, SIGNER_OF('a')],
  [0, { alg: 'EdDSA', kid: 'a' }, SIGNER_OF('a')],
  [0, [], UNKNOWN],
  [1, 'text', `UnknownErrorOnChannel: ${NO_CLAUSE}`],
  [1, null, `UnknownErrorOnChannel: ${NO_CLAUSE}`],
];

const rights: readonly Audit[] = [
  audit(
    'RT-402',
    'the reason of a token whose header or payload is unsuitable says so',
    { source: 'protocol/realtime.md#refused-joins', level: 'SHOULD', since },
    async (context) => {
      const { accessToken } = await context.newUser();
      const reasons = await Promise.all(
        refusedParts.map(async ([index, part]) => {
          let reply: unknown;
          await withSocket(context, async (socket) => {
            const token = withPart(accessToken, index, part);
            reply = await join(socket, 'audit', { accessToken: token }, {});
          });
          assert.equal(at(reply, 'status'), 'error', `status of the reply to ${JSON.stringify(part)}`);
          return at(reply, 'response', 'reason');
        }),
      );
      // A project without published keys names no key ID.
      const ofKeys = refusedParts.filter(([, , reason]) => reason.includes('key ID'));
      const hasKeys = ofKeys.some(([, , reason]) => reasons.includes(reason));
      assert.deepEqual(
        reasons,
        refusedParts.map(([, , reason]) => (hasKeys || !reason.includes('key ID') ? reason : NO_SIGNER)),
        'the reasons',
      );
    },
  ),
  audit(
    'RT-353',
    'the reason of a refused token begins with its code and says what is wrong',
    { source: 'protocol/realtime.md#refused-joins', level: 'SHOULD', since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await Promise.all(
        refusedTokens.map(([what, tokenOf, reason]) =>
          withSocket(context, async (socket) => {
            const reply = await join(socket, 'audit', { accessToken: tokenOf(context, ada, grace) }, {});
            assert.equal(at(reply, 'status'), 'error', `status of the reply to ${what}`);
            assert.match(
              String(at(reply, 'response', 'reason')),
              reason,
              `response.reason of the reply to ${what}`,
            );
          }),
        ),
      );
    },
  ),
  audit(
    'RT-354',
    'a join without a token has the rights of its API key, and user_token comes before access_token',
    { source: 'protocol/realtime.md#joins', since },
    async (context) => {
      // The policy of the users' topics comes with the tables.
      await requireTable(context, 'notifications');
      const ada = await context.newUser();
      const joinsWith = async (name: string, isPrivate: boolean, sent: object) => {
        let status: unknown;
        await withSocket(context, async (socket) => {
          socket.send('1', '1', `realtime:${name}`, 'phx_join', { config: { private: isPrivate }, ...sent });
          status = at((await socket.expect('the reply', isReply('1'))).payload, 'status');
        });
        return status;
      };
      const statuses = await Promise.all([
        joinsWith('audit', false, {}),
        joinsWith('audit', false, { access_token: null }),
        joinsWith('audit', false, { access_token: 'sb_publishable_x' }),
        joinsWith(inboxTopicOf(ada), true, {}),
        joinsWith(inboxTopicOf(ada), true, { user_token: ada.accessToken }),
        joinsWith(inboxTopicOf(ada), true, { user_token: ada.accessToken, access_token: 'not-a-jwt' }),
      ]);
      assert.deepEqual(statuses, ['ok', 'ok', 'ok', 'error', 'ok', 'ok'], 'the statuses of the replies');
    },
  ),
  audit(
    'RT-380',
    'white space in a token and its percent-encoding are removed',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    async (context) => {
      const ada = await context.newUser();
      const [header = '', ...rest] = ada.accessToken.split('.');
      for (const accessToken of [` ${ada.accessToken}\n`, `${header}%2E${rest.join('. ')}`])
        await withSocket(context, (socket) =>
          joinOk(socket, inboxTopicOf(ada), { accessToken }, { private: true }),
        );
      await withSocket(context, async (socket) => {
        await joinOk(socket, 'audit', ada, {});
        socket.send('1', '4', topic, 'access_token', { access_token: '%zz' });
        const { payload } = await socket.expect('system error', isSystem('error'));
        const message = 'The token provided is not a valid JWT';
        assert.equal(at(payload, 'message'), message, 'the message for an incomplete encoding');
      });
    },
  ),
  audit(
    'RT-355',
    "after another user's token a channel receives that user's rows",
    { source, since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        const inserts = { event: 'INSERT', schema: 'public', table: 'notifications' };
        await joinLive(socket, ada.accessToken, [inserts]);
        // The same token again changes nothing, and neither does one that is no text.
        for (const access_token of [ada.accessToken, null, 5, 'sb_secret'])
          socket.send('1', '3', 'realtime:audit', 'access_token', { access_token });
        socket.send('1', '4', 'realtime:audit', 'access_token', { access_token: grace.accessToken });
        await socket.expect('a second system ok', () => socket.received.filter(isSystem('ok')).length === 2);
        await notifyOnce(context, grace, ada);
        const id = await notifyOnce(context, ada, grace);
        await socket.expect('the insert', isChange('INSERT'));
        await settle(socket, '78');
        assert.deepEqual(
          socket.received
            .filter(isChange('INSERT'))
            .map(({ payload }) => at(payload, 'data', 'record', 'id')),
          [id],
          'the ids of the received rows',
        );
        assert.equal(socket.received.filter(isSystem('ok')).length, 2, 'the number of subscriptions');
      });
    },
  ),
  audit(
    'RT-356',
    'a pushed token without the right to read a private channel ends it with a system error that says so',
    { source, since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxTopicOf(ada), ada, { private: true }, '1');
        await joinOk(socket, 'audit', ada, { broadcast: { ack: true } }, '2');
        socket.send('1', '4', `realtime:${inboxTopicOf(ada)}`, 'access_token', {
          access_token: grace.accessToken,
        });
        const { topic, payload } = await socket.expect('system error', isSystem('error'));
        const channel = inboxTopicOf(ada);
        assert.equal(topic, `realtime:${channel}`, 'the topic of the message');
        const message = `You do not have permissions to read from this Channel topic: ${channel}`;
        assert.deepEqual(payload, { channel, extension: 'system', message, status: 'error' }, 'the payload');
        const close = await socket.expect('phx_close', isEvent('phx_close'));
        assert.equal(close.joinRef, '1', 'the join_ref of the close');
        socket.send('2', '5', 'realtime:audit', 'broadcast', {
          type: 'broadcast',
          event: 'shout',
          payload: {},
        });
        assert.equal(
          at((await socket.expect('the reply', isReply('5'))).payload, 'status'),
          'ok',
          'status of the reply of the other channel',
        );
      });
    },
  ),
  audit(
    'RT-417',
    'a pushed token whose time is not a number ends the channel with the claim and its value',
    { source, level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const claims: readonly (readonly [claims: object, message: RegExp])[] = [
        [{ iat: 'x' }, /^\[message: "Invalid token", claim: "iat", claim_val: "x"\]$/],
        [{ exp: 'x' }, /^\[message: \d{10}, claim: "exp", claim_val: "x"\]$/],
        [{ exp: 1.5 }, /^\[message: \d{10}, claim: "exp", claim_val: 1\.5\]$/],
        [{ exp: 100 }, /^Token has expired \d{10} seconds ago$/],
        [{ exp: undefined }, /^Fields `role` and `exp` are required in JWT$/],
        [{ role: undefined }, /^Fields `role` and `exp` are required in JWT$/],
      ];
      for (const [changed, message] of claims)
        await withSocket(context, async (socket) => {
          await joinOk(socket, 'audit', user, {});
          const token = context.signAgain(user.accessToken, { ...changed });
          socket.send('1', '4', topic, 'access_token', { access_token: token });
          const { payload } = await socket.expect('system error', isSystem('error'));
          const what = `message for ${JSON.stringify(changed)}`;
          assert.match(String(at(payload, 'message')), message, what);
          await socket.expect('phx_close', isEvent('phx_close'));
        });
    },
  ),
  audit(
    'RT-432',
    'a token whose role is no text joins public channels, and neither reads nor writes private ones',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    async (context) => {
      for (const role of [5, null, ['anon']]) {
        const accessToken = context.signAgain(context.target.anonKey, { role });
        const name = newRoom();
        await withSocket(context, async (socket) => {
          await joinOk(socket, name, { accessToken }, {});
          const send = httpWith(context, context.target.anonKey, accessToken);
          const path = `/broadcast/${name}/events/note`;
          assertStatus(await send(path, { body: {} }), 202);
          await socket.expect('the broadcast', isBroadcast);
          const refused = await send(path, { body: {}, query: { private: 'true' } });
          assert.deepEqual(
            [refused.status, refused.json],
            [500, { message: 'Unable to authorize broadcast' }],
            'status and body of the response to a private broadcast',
          );
          const reply = await join(socket, `${name}-private`, { accessToken }, { private: true }, '2');
          const reason = 'Realtime was unable to connect to the project database';
          assert.deepEqual(reply, { status: 'error', response: { reason } }, 'the reply to a private join');
        });
      }
    },
  ),
  audit(
    'RT-418',
    'the response to a refused handshake is JSON that says why',
    { source: 'protocol/realtime.md#handshake', level: 'SHOULD', since },
    async (context) => {
      const { anonKey } = context.target;
      const keyWith = (claims: Readonly<Record<string, unknown>>) => context.signAgain(anonKey, claims);
      const malformed = 'The token provided is not a valid JWT';
      const missing = 'Fields `role` and `exp` are required in JWT';
      // A gateway that knows the keys of a project refuses others by itself.
      const first = await refusalOf(context, 'x');
      if (first[1] !== malformed) throw new NotRunError('a gateway refuses the handshake');
      for (const [key, refusal] of [
        [null, [401, 'API key is missing']],
        ['', [401, malformed]],
        [keyWith({ exp: 100 }), [401, 'Token has expired']],
        [keyWith({ exp: undefined }), [401, missing]],
        [keyWith({ role: undefined }), [401, missing]],
        [`${anonKey.split('.').slice(0, 2).join('.')}.AAAA`, [401, 'Failed to validate JWT signature']],
        [keyWith({ iat: 'x' }), [500, 'Error connecting to Realtime']],
      ] as const)
        assert.deepEqual(
          await refusalOf(context, key),
          [...refusal, 'application/json; charset=utf-8'],
          'status, error and content-type of the response',
        );
    },
  ),
];

/** Status, error and content-type of the response to a handshake that is refused. */
async function refusalOf(
  { target }: AuditContext,
  key: string | null,
): Promise<readonly [status: unknown, error: unknown, type: unknown]> {
  const query = key === null ? '' : `&apikey=${encodeURIComponent(key)}`;
  const socket = new WebSocket(`${realtimeUrlOf(target)}?vsn=2.0.0${query}`);
  const response = await new Promise<IncomingMessage | null>((resolve) => {
    socket.once('unexpected-response', (_request, refused) => resolve(refused));
    socket.once('error', () => resolve(null));
    socket.once('open', () => resolve(null));
  });
  const body = response === null ? '' : await text(response);
  socket.terminate();
  return [response?.statusCode, at(parseJson(body), 'error'), response?.headers['content-type']];
}

/** Tokens of joins and of channels, and the rights that they give. */
export const realtimeTokenAudits: readonly Audit[] = [...pushed, ...rights];
