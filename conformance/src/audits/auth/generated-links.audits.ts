import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, textAt, type WireResponse } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { generateLink, verifyToken } from './mail-link.ts';

const audit = auditsOf('auth');
const options = {
  source: 'protocol/auth.md#administration',
  needs: ['service-key'],
  since: '1.0.0',
} as const;
const password = 'Secret-123456';

const isRecent = (json: unknown, member: string): boolean =>
  Math.abs(Date.now() - Date.parse(String(at(json, member)))) < 600_000;

/** Links that an administrator generates instead of a mail. */
export const generatedLinkAudits: readonly Audit[] = [
  audit(
    'AUTH-835',
    'the links of a change of an address confirm it at the new and at the current address',
    options,
    async (context) => {
      const [user, newEmail] = [await context.newUser(), context.newEmail()];
      const linkOf = (type: string) =>
        generateLink(context, { type, email: user.email, new_email: newEmail });
      const ofNew = await linkOf('email_change_new');
      assertStatus(ofNew, 200);
      assert.deepEqual(
        [at(ofNew.json, 'email'), at(ofNew.json, 'new_email'), at(ofNew.json, 'verification_type')],
        [user.email, newEmail, 'email_change_new'],
        'email, new_email and verification_type of the response',
      );
      assert.ok(isRecent(ofNew.json, 'email_change_sent_at'), 'email_change_sent_at is a time of now');
      const query = new URL(textAt(ofNew, 'action_link')).searchParams;
      assert.equal(query.get('type'), 'email_change', 'type of the link');
      const ofCurrent = await linkOf('email_change_current');
      if (ofCurrent.status === 400) throw new NotRunError('the new address alone confirms a change');
      assert.equal(at(ofCurrent.json, 'verification_type'), 'email_change_current', 'verification_type');
      const confirm = (email: string, link: WireResponse) =>
        verifyToken(context, { type: 'email_change', email, token: textAt(link, 'email_otp') });
      const half = await confirm(newEmail, ofNew);
      if (at(half.json, 'access_token') !== undefined)
        throw new NotRunError('one confirmation is enough where accounts are confirmed at once');
      assert.equal(at(half.json, 'code'), '200', 'code of the first confirmation');
      const session = assertSession(await confirm(user.email, ofCurrent));
      assert.deepEqual(
        [at(session.json, 'user', 'email'), at(session.json, 'user', 'new_email')],
        [newEmail, undefined],
        'email and new_email of the user',
      );
    },
  ),
  audit(
    'AUTH-1233',
    'where the new address alone confirms a change, no link is generated for the current one',
    options,
    async (context) => {
      const { email } = await context.newUser();
      const current = await generateLink(context, {
        type: 'email_change_current',
        email,
        new_email: context.newEmail(),
      });
      if (current.status === 200) throw new NotRunError('both addresses confirm a change');
      assertRefusal(
        current,
        400,
        'validation_failed',
        'Enable secure email change to generate link for current email',
      );
      const new_email = context.newEmail();
      const link = await generateLink(context, { type: 'email_change_new', email, new_email });
      const body = { type: 'email_change', email: new_email, token: textAt(link, 'email_otp') };
      const changed = assertSession(await verifyToken(context, body));
      assert.equal(at(changed.json, 'user', 'email'), new_email, 'email of the user');
    },
  ),
  audit(
    'AUTH-836',
    'no link changes an address to one that is invalid or of another account',
    options,
    async (context) => {
      const [{ email }, other] = [await context.newUser(), await context.newUser()];
      const change = (new_email: string) =>
        generateLink(context, { type: 'email_change_new', email, new_email });
      for (const invalid of ['nonsense', '']) assertError(await change(invalid), 400, 'validation_failed');
      assertError(await change(other.email), 422, 'email_exists');
    },
  ),
  audit('AUTH-837', 'a generated link sets the time of its mail', options, async (context) => {
    const { email } = await context.newUser();
    const times = [
      ['recovery', email, 'recovery_sent_at'],
      ['magiclink', email, 'recovery_sent_at'],
      ['signup', context.newEmail(), 'confirmation_sent_at'],
      ['invite', context.newEmail(), 'confirmation_sent_at'],
      ['invite', context.newEmail(), 'invited_at'],
    ] as const;
    for (const [type, address, member] of times) {
      const { json } = await generateLink(context, { type, email: address, password });
      assert.ok(isRecent(json, member), `${member} of ${type} is a time of now`, String(at(json, member)));
    }
  }),
  audit(
    'AUTH-838',
    'a generated link ends the one before, and signs in by its code as well as by its hash',
    options,
    async (context) => {
      const { email } = await context.newUser();
      const first = await generateLink(context, { type: 'recovery', email });
      const second = await generateLink(context, { type: 'recovery', email });
      const tokenOf = (link: WireResponse) => textAt(link, 'email_otp');
      if (tokenOf(first) !== tokenOf(second))
        assertError(
          await verifyToken(context, { type: 'recovery', email, token: tokenOf(first) }),
          403,
          'otp_expired',
        );
      assertSession(await verifyToken(context, { type: 'recovery', email, token: tokenOf(second) }));
      const token_hash = textAt(second, 'hashed_token');
      assertError(await verifyToken(context, { type: 'recovery', token_hash }), 403, 'otp_expired');
    },
  ),
  audit(
    'AUTH-839',
    'a link to sign up merges its data into an unconfirmed account, and takes no weak password for a new one',
    options,
    async (context) => {
      const email = context.newEmail();
      const link = (data: object) => generateLink(context, { type: 'signup', email, password, data });
      assertStatus(await link({ name: 'Ada', plan: 'free' }), 200);
      const again = await link({ plan: 'pro' });
      assert.deepEqual(
        [at(again.json, 'user_metadata', 'name'), at(again.json, 'user_metadata', 'plan')],
        ['Ada', 'pro'],
        'name and plan of the user_metadata',
      );
      const weak = await generateLink(context, {
        type: 'signup',
        email: context.newEmail(),
        password: 'abc',
      });
      assertStatus(weak, 422);
      assert.equal(at(weak.json, 'code'), 'weak_password', 'code of the response');
    },
  ),
  audit('AUTH-840', 'users are found by a part of their full_name, in any case', options, async (context) => {
    const user = await context.newUser();
    const name = context.run.newName();
    await context.admin('PUT', `/users/${user.id}`, { user_metadata: { full_name: `Ada ${name} Lovelace` } });
    const idsOf = async (filter: string) => {
      const { json } = await context.admin('GET', `/users?filter=${encodeURIComponent(filter)}`);
      return (at(json, 'users') as readonly unknown[]).map((one) => at(one, 'id'));
    };
    assert.deepEqual(await idsOf(name.toUpperCase()), [user.id], 'the users with the name');
    assert.deepEqual(await idsOf(`${name}x`), [], 'the users with another name');
  }),
];
