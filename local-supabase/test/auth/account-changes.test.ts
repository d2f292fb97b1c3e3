import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';

import type { OutgoingMail } from '../../src/services/auth/context.ts';
import { accountChanges } from '../../src/services/auth/mail/mail-template.ts';
import { type ResponseBody, type AuthWorld, freshEmail, freshPhone, openAuthWorld } from './auth-world.ts';

let world: AuthWorld;
const reported: unknown[] = [];
beforeAll(async () => {
  world = await openAuthWorld({ accountChangeMails: accountChanges }, [], {
    report: (error) => reported.push(error),
  });
});

/** Subject and first sentence of every mail to `address` without a code. */
const noticesTo = (address: string): string[] =>
  world.mails
    .filter(({ to, text }) => to === address && !text.includes('Code: '))
    .map(({ subject, text }: OutgoingMail) => `${subject} | ${text.split('\n\n')[1]}`);

const put = async (session: ResponseBody, body: unknown) =>
  world.ask('PUT', '/user', body, { token: session.access_token });

async function verifyTotp(session: ResponseBody): Promise<{ factorId: string; session: ResponseBody }> {
  const options = { token: session.access_token };
  const { body: factor } = await world.post('/factors', { factor_type: 'totp' }, options);
  const { body: challenge } = await world.post(`/factors/${factor.id}/challenge`, {}, options);
  const code = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate({
    timestamp: world.nowMs(),
  });
  const proof = { challenge_id: challenge.id, code };
  const { body } = await world.post(`/factors/${factor.id}/verify`, proof, options);
  return { factorId: factor.id, session: body };
}

async function linkGithub(session: ResponseBody, email: string): Promise<string> {
  const options = { token: session.access_token };
  const query = new URLSearchParams({ provider: 'github', prompt: 'none', login_hint: email });
  const begun = await world.get(`/user/identities/authorize?${query}`, options);
  const provided = await world.get(begun.location.href);
  await world.get(provided.location.href);
  const { body: user } = await world.get('/user', options);
  const { identities } = user as unknown as ResponseBody['user'];
  return identities.find(({ provider }) => provider === 'github')?.identity_id ?? '';
}

describe('a change of an account', () => {
  it('a change of the password is mailed', async () => {
    const email = freshEmail();
    await put(await world.signedUp(email), { password: 'another horse' });
    expect(noticesTo(email)).toEqual([
      `Your password was changed | The password of the account ${email} was changed.`,
    ]);
  });

  it('a change of the email is mailed to the former address, once both addresses have confirmed', async () => {
    const [email, next] = [freshEmail(), freshEmail()];
    await put(await world.signedUp(email), { email: next });
    for (const address of [next, email]) {
      expect(noticesTo(email)).toEqual([]);
      await world.post('/verify', {
        type: 'email_change',
        email: address,
        token: world.mailTo(address).code,
      });
    }
    expect(noticesTo(email)).toEqual([
      `Your email address was changed | The email address of your account was changed from ${email} to ${next}.`,
    ]);
    expect(noticesTo(next)).toEqual([]);
  });

  it('a change of the phone is mailed; the first phone is a new sign-in method', async () => {
    const [email, first, second] = [freshEmail(), freshPhone(), freshPhone()];
    const session = await world.signedUp(email);
    for (const phone of [first, second]) {
      await put(session, { phone });
      await world.post('/verify', { type: 'phone_change', phone, token: world.codeTo(phone) });
    }
    expect(noticesTo(email)).toEqual([
      `A new sign-in method was linked to your account | The account ${email} can now sign in with phone.`,
      `Your phone number was changed | The phone number of your account was changed from ${first} to ${second}.`,
    ]);
  });

  it('an identity that is linked or unlinked is mailed', async () => {
    const email = freshEmail();
    const session = await world.signedUp(email);
    const id = await linkGithub(session, freshEmail());
    await world.ask('DELETE', `/user/identities/${id}`, undefined, { token: session.access_token });
    expect(noticesTo(email)).toEqual([
      `A new sign-in method was linked to your account | The account ${email} can now sign in with github.`,
      `A sign-in method was removed from your account | The account ${email} can no longer sign in with github.`,
    ]);
  });

  it('a factor is mailed at its first verification and at its removal', async () => {
    const email = freshEmail();
    const { factorId, session } = await verifyTotp(await world.signedUp(email));
    await world.ask('DELETE', `/factors/${factorId}`, undefined, { token: session.access_token });
    expect(noticesTo(email)).toEqual([
      `A new verification method was added to your account | The verification method totp was added to ${email}.`,
      `A verification method was removed from your account | The verification method totp was removed from ${email}.`,
    ]);
  });

  it('changes of an account are not mailed by default', async () => {
    const quiet = await openAuthWorld();
    const email = freshEmail();
    const session = await quiet.signedUp(email);
    const before = quiet.mails.length;
    await quiet.ask('PUT', '/user', { password: 'another horse' }, { token: session.access_token });
    expect(quiet.mails).toHaveLength(before);
  });
});

describe('when the mail server fails', () => {
  const failure = new Error('550 no such user');
  const openFailing = async () => {
    let isUp = true;
    const sent: OutgoingMail[] = [];
    const failing = await openAuthWorld({ accountChangeMails: accountChanges }, [], {
      mailer: {
        send(mail) {
          if (!isUp) throw failure;
          sent.push(mail);
        },
      },
      report: (error) => reported.push(error),
    });
    return { failing, sent, breakDown: () => void (isUp = false) };
  };

  it('a sign-up is rolled back with 500', async () => {
    const { failing, breakDown } = await openFailing();
    breakDown();
    const email = freshEmail();
    const { status, body } = await failing.post('/signup', { email, password: 'correct horse' });
    expect([status, body.message]).toEqual([500, 'Error sending confirmation email']);
    expect(await failing.database.query('select from auth.users where email = $1', [email])).toEqual([]);
  });

  it('a change of the account is kept', async () => {
    const { failing, sent, breakDown } = await openFailing();
    const email = freshEmail();
    await failing.post('/signup', { email, password: 'correct horse' });
    const [, token] = /Code: (\d+)/.exec(sent.at(-1)?.text ?? '') ?? [];
    const { body } = await failing.post('/verify', { type: 'signup', email, token });
    breakDown();
    const change = { password: 'another horse' };
    expect(await failing.ask('PUT', '/user', change, { token: body.access_token })).toMatchObject({
      status: 200,
    });
    expect(reported.at(-1)).toBe(failure);
    const grant = await failing.post('/token?grant_type=password', { email, ...change });
    expect(grant.status).toBe(200);
  });
});
