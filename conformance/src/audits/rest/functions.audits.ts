import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, textAt } from '../../target/wire.ts';
import { newCaller } from './callers.ts';
import { awaitDelivery, notifyOnce, rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#functions-of-the-database';
const since = '1.0.0';
const singular = { Accept: 'application/vnd.pgrst.object+json' } as const;

interface Invited {
  readonly inviter: AuditUser;
  readonly invitee: AuditUser;
  readonly invitation: string;
}

/** Invites Grace as Ada and returns the invitation's token. */
async function invite(context: AuditContext): Promise<Invited> {
  const [inviter, invitee] = [await context.newUser(), await context.newUser()];
  const made = await context.rest.send('POST', '/rpc/create_invitation', {
    token: inviter.accessToken,
    body: { invitee_email: invitee.email, entity_type: 'project', entity_id: 'p-1', entity_name: 'Engine' },
  });
  assertStatus(made, 200);
  return { inviter, invitee, invitation: textAt(made, 0, 'token') };
}

const call = (context: AuditContext, name: string, user: AuditUser, body: object) =>
  context.rest.send('POST', `/rpc/${name}`, { token: user.accessToken, body });

const get = (
  context: AuditContext,
  { invitee, invitation }: Invited,
  query: Record<string, string> = {},
  headers = {},
  method = 'GET',
) =>
  context.rest.send(method, '/rpc/get_invitation', {
    token: invitee.accessToken,
    query: { token: invitation, ...query },
    headers,
  });

const calls: readonly Audit[] = [
  audit('REST-310', 'a function that changes no data can be called by GET', { source }, async (context) => {
    const invited = await invite(context);
    assert.equal(at(rowsOf(await get(context, invited))[0], 'status'), 'pending', 'status of the first row');
  }),
  audit(
    'REST-311',
    'a function that changes data is refused by GET as 25006 with 405',
    { source },
    async (context) => {
      const { invitee, invitation } = await invite(context);
      const response = await context.rest.send('GET', '/rpc/accept_invitation', {
        token: invitee.accessToken,
        query: { token: invitation },
      });
      assertError(response, 405, '25006');
    },
  ),
  audit('REST-312', 'a function that returns rows responds with an array', { source }, async (context) => {
    const { invitee, invitation } = await invite(context);
    const response = await call(context, 'get_invitation', invitee, { token: invitation });
    assert.equal(rowsOf(response).length, 1, 'the number of rows of the response');
  }),
  audit('REST-313', 'select narrows the rows of a function', { source }, async (context) => {
    const response = await get(context, await invite(context), { select: 'status,for_me:is_for_me' });
    assert.deepEqual(rowsOf(response), [{ status: 'pending', for_me: true }], 'the rows of the response');
  }),
  audit('REST-314', 'filters apply to the rows of a function', { source }, async (context) => {
    const response = await get(context, await invite(context), { status: 'eq.accepted' });
    assert.deepEqual(rowsOf(response), [], 'the rows of the response');
  }),
  audit('REST-315', 'order and limit apply to the rows of a function', { source }, async (context) => {
    const response = await get(context, await invite(context), { order: 'created_at.desc', limit: '1' });
    assert.equal(rowsOf(response).length, 1, 'the number of rows of the response');
  }),
  audit('REST-316', 'the row of a function can be returned as an object', { source }, async (context) => {
    const response = await get(
      context,
      await invite(context),
      {},
      { Accept: 'application/vnd.pgrst.object+json' },
    );
    assertStatus(response, 200);
    assert.equal(at(response.json, 'entity_name'), 'Engine', 'entity_name of the response');
  }),
  audit('REST-317', 'the rows of a function are counted on request', { source }, async (context) => {
    const response = await get(context, await invite(context), {}, { Prefer: 'count=exact' });
    assert.equal(response.headers.get('content-range'), '0-0/1', 'the header content-range of the response');
  }),
  audit('REST-318', 'a missing argument is refused as PGRST202', { source }, async (context) => {
    assertError(await call(context, 'get_invitation', await context.newUser(), {}), 404, 'PGRST202');
  }),
  audit('REST-319', 'an unknown argument is refused as PGRST202', { source }, async (context) => {
    const body = { token: 'x', other: 1 };
    assertError(await call(context, 'get_invitation', await context.newUser(), body), 404, 'PGRST202');
  }),
  audit('REST-320', 'arguments with a default may be omitted', { source }, async (context) => {
    const response = await call(context, 'create_invitation', await context.newUser(), {
      invitee_email: context.newEmail(),
    });
    assertStatus(response, 200);
    assert.match(textAt(response, 0, 'token'), /^[\da-f]{64}$/, '0.token of the response');
  }),
  audit(
    'REST-321',
    'a function without a result row responds with an empty array',
    { source },
    async (context) => {
      const response = await call(context, 'get_invitation', await context.newUser(), { token: 'unknown' });
      assert.deepEqual(rowsOf(response), [], 'the rows of the response');
    },
  ),
  audit('REST-322', 'a function may set the status: PT404', { source }, async (context) => {
    const response = await call(context, 'accept_invitation', await context.newUser(), { token: 'unknown' });
    assertError(response, 404, 'PT404');
    assert.equal(at(response.json, 'message'), 'invitation_not_found', 'message of the response');
  }),
  audit(
    'REST-323',
    'the details of an error that a function raised are returned',
    { source },
    async (context) => {
      const response = await call(context, 'create_invitation', await context.newUser(), {
        invitee_email: 'not-an-address',
      });
      assertError(response, 400, 'PT400');
      assert.equal(typeof at(response.json, 'details'), 'string', 'type of details of the response');
    },
  ),
  audit(
    'REST-324',
    "another's invitation is refused as PT403 and stays unchanged",
    { source: 'protocol/product.md#invitations' },
    async (context) => {
      const invited = await invite(context);
      const { invitation: token } = invited;
      assertError(await call(context, 'accept_invitation', await context.newUser(), { token }), 403, 'PT403');
      assert.equal(
        at(rowsOf(await get(context, invited))[0], 'status'),
        'pending',
        'status of the first row',
      );
    },
  ),
  audit(
    'REST-325',
    'a declined invitation cannot be accepted: PT409',
    { source: 'protocol/product.md#invitations' },
    async (context) => {
      const { invitee, invitation: token } = await invite(context);
      assertStatus(await call(context, 'decline_invitation', invitee, { token }), 200);
      assertError(await call(context, 'accept_invitation', invitee, { token }), 409, 'PT409');
    },
  ),
  audit(
    'REST-326',
    'accepting again returns the same and sends no second notification',
    { source: 'protocol/product.md#invitations' },
    async (context) => {
      const { inviter, invitee, invitation: token } = await invite(context);
      const first = await call(context, 'accept_invitation', invitee, { token });
      const second = await call(context, 'accept_invitation', invitee, { token });
      assert.deepEqual(second.json, first.json, 'the second response');
      await awaitDelivery(context, inviter, 1);
      // Invitations are delivered before notifications, so after this one a second can no longer be late.
      await notifyOnce(context, invitee, inviter);
      const listed = await context.rest.send('GET', '/notifications', { token: inviter.accessToken });
      assert.equal(rowsOf(listed).length, 2, 'the number of rows');
    },
  ),
  audit(
    'REST-327',
    'an anonymous request cannot call a function without a grant: 42501 with 401',
    { source },
    async (context) => {
      const response = await context.rest.send('POST', '/rpc/get_invitation', { body: { token: 'x' } });
      assertError(response, 401, '42501');
    },
  ),
  audit('REST-328', 'HEAD calls a function without a body', { source, level: 'SHOULD' }, async (context) => {
    const { invitee, invitation } = await invite(context);
    const response = await context.rest.send('HEAD', '/rpc/get_invitation', {
      token: invitee.accessToken,
      query: { token: invitation },
    });
    assertStatus(response, 200);
    assert.equal(response.text, '', 'the text of the response');
  }),
  audit('REST-329', 'a function of a private schema is not found', { source }, async (context) => {
    const response = await call(context, 'answer_invitation', await context.newUser(), {
      token: 'x',
      answer: 'accepted',
    });
    assertError(response, 404, 'PGRST202');
  }),
  audit(
    'REST-330',
    'an argument shaped like an operator is a filter in a GET',
    { source: 'protocol/rest.md#quoting', level: 'SHOULD' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const response = await context.rest.send('GET', '/rpc/get_invitation', {
        token,
        query: { token: 'eq.x' },
      });
      assertError(response, 404, 'PGRST202');
    },
  ),
  audit(
    'REST-359',
    'a function that writes can return its only row as an object, and the write is committed',
    { source },
    async (context) => {
      const invited = await invite(context);
      const response = await context.rest.send('POST', '/rpc/accept_invitation', {
        token: invited.invitee.accessToken,
        query: { select: 'status' },
        body: { token: invited.invitation },
        headers: singular,
      });
      assertStatus(response, 200);
      assert.deepEqual(response.json, { status: 'accepted' }, 'the response');
      assert.equal(
        at(rowsOf(await get(context, invited))[0], 'status'),
        'accepted',
        'status of the first row',
      );
    },
  ),
  audit(
    'REST-360',
    'a function that writes and returns no row for an object is refused and rolled back',
    { source },
    async (context) => {
      const invited = await invite(context);
      const response = await context.rest.send('POST', '/rpc/accept_invitation', {
        token: invited.invitee.accessToken,
        query: { status: 'eq.declined' },
        body: { token: invited.invitation },
        headers: singular,
      });
      assertError(response, 406, 'PGRST116');
      assert.equal(
        at(rowsOf(await get(context, invited))[0], 'status'),
        'pending',
        'status of the first row',
      );
    },
  ),
];

const cases: readonly Audit[] = [
  audit(
    'REST-464',
    'a function takes its arguments from a form, and the last of repeated ones from a query',
    { source, since },
    async (context) => {
      const [inviter, { user, send }] = [await newCaller(context), await newCaller(context)];
      const made = await inviter.send('POST', '/rpc/create_invitation', {
        body: `invitee_email=${encodeURIComponent(user.email)}&entity_type=project&entity_name=a+%26+b`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      assertStatus(made, 200);
      const query = { select: 'entity_type,entity_id,entity_name' };
      const path = `/rpc/get_invitation?token=x&token=${textAt(made, 0, 'token')}`;
      const expected = [{ entity_type: 'project', entity_id: null, entity_name: 'a & b' }];
      assert.deepEqual(rowsOf(await send('GET', path, { query })), expected, 'the rows');
    },
  ),
  audit(
    'REST-465',
    'the rows of a function are filtered by columns that are not selected, by trees and to a range',
    { source, since },
    async (context) => {
      const invited = await invite(context);
      const found = [{ status: 'pending' }];
      const queries: readonly (readonly [Record<string, string>, readonly object[]])[] = [
        [{ entity_type: 'eq.project' }, found],
        [{ entity_type: 'eq.other' }, []],
        [{ or: '(entity_type.eq.project,entity_id.eq.x)' }, found],
        [{ or: '(entity_type.eq.other,entity_id.is.null)' }, []],
        [{ limit: '0' }, []],
        [{ offset: '1' }, []],
      ];
      for (const [query, expected] of queries)
        assert.deepEqual(
          rowsOf(await get(context, invited, { select: 'status', ...query })),
          expected,
          `the rows of ${JSON.stringify(query)}`,
        );
      const counted = { Prefer: 'count=exact' };
      assertError(await get(context, invited, { offset: '2' }, counted), 416, 'PGRST103');
      const head = await get(context, invited, {}, counted, 'HEAD');
      assert.equal(head.headers.get('content-range'), '0-0/1', 'the header content-range of HEAD');
    },
  ),
  audit(
    'REST-466',
    'a function that writes more rows than max-affected is refused and rolled back',
    { source: 'protocol/rest.md#preferences', since },
    async (context) => {
      const invited = await invite(context);
      const accept = (most: number) =>
        context.rest.send('POST', '/rpc/accept_invitation', {
          token: invited.invitee.accessToken,
          body: { token: invited.invitation },
          headers: { Prefer: `handling=strict, max-affected=${most}` },
        });
      const status = async () => at(rowsOf(await get(context, invited))[0], 'status');
      assertError(await accept(0), 400, 'PGRST124');
      assert.equal(await status(), 'pending', 'status of the first row');
      assertStatus(await accept(1), 200);
      assert.equal(await status(), 'accepted', 'status of the first row');
    },
  ),
  audit(
    'REST-467',
    'a function is called by no other method than GET, HEAD and POST: PGRST101 with 405',
    { source, since },
    async (context) => {
      const { send } = await newCaller(context);
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const response = await send(method, '/rpc/get_invitation', {});
        assertError(response, 405, 'PGRST101');
        assert.ok(String(at(response.json, 'message')).includes(method), `the message names ${method}`);
      }
    },
  ),
];

/** Database functions, audited with four functions of the product's schema. */
export const restFunctionAudits: readonly Audit[] = [...calls, ...cases];
