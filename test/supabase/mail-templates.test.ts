import { describe, expect, it } from 'vitest';
import { readProjectConfig } from 'local-supabase';
import { createUser, requestApi, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import type { ApiRequest } from '../support/local-supabase.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';

const { options } = readProjectConfig();
const supabase = useLocalSupabase({
  ...(options.mailTemplates && { mailTemplates: options.mailTemplates }),
  auth: { ...options.auth, emailMaxFrequencySeconds: 0, rateLimits: null, bcryptCost: 4 },
});

const newEmail = () => `mail-${crypto.randomUUID()}@example.com`;
const post = async (path: string, body: unknown, request: Omit<ApiRequest, 'body'> = {}) => {
  const response = await requestApi(supabase(), `/auth/v1${path}`, { method: 'POST', ...request, body });
  expect({ path, ok: response.ok }).toEqual({ path, ok: true });
};
const put = (body: unknown, token: string) => post('/user', body, { method: 'PUT', token });
const mailTo = (address: string) => supabase().mailbox.waitFor({ to: address });
const user = async (language: string) => {
  const email = newEmail();
  const created = await createUser(supabase(), email);
  await put({ data: { language } }, created.token);
  return created;
};

/** Each mail of the auth service that carries a code: causes it in a language, and returns the address. */
const codeMails: Readonly<Record<string, (language: string) => Promise<string>>> = {
  confirmation: async (language) => {
    const email = newEmail();
    await post('/signup', { email, password: seedPassword, data: { language } });
    return email;
  },
  recovery: async (language) => {
    const { email } = await user(language);
    await post('/recover', { email });
    return email;
  },
  magic_link: async (language) => {
    const { email } = await user(language);
    await post('/otp', { email, create_user: false });
    return email;
  },
  invite: async (language) => {
    const email = newEmail();
    const key = supabase().serviceRoleKey;
    await post('/invite', { email, data: { language } }, { apiKey: key, token: key });
    return email;
  },
  email_change: async (language) => {
    const { email, token } = await user(language);
    await put({ email: newEmail() }, token);
    return email;
  },
  reauthentication: async (language) => {
    const { email, token } = await user(language);
    const response = await requestApi(supabase(), '/auth/v1/reauthenticate', { token });
    expect(response.ok).toBe(true);
    return email;
  },
};

/** Links an account at a provider by an ID token, and returns the user's identities. */
async function linkIdentity(token: string, address: string): Promise<{ readonly identity_id: string }[]> {
  const provider = { method: 'POST', body: { email: address, sub: crypto.randomUUID() } };
  const issued = await requestApi(supabase(), '/auth/v1/test-provider/google/id_token', provider);
  const { id_token: idToken } = (await issued.json()) as { id_token: string };
  const body = { provider: 'google', id_token: idToken, link_identity: true };
  await post('/token?grant_type=id_token', body, { token });
  const response = await requestApi(supabase(), '/auth/v1/user', { token });
  return ((await response.json()) as { identities: { identity_id: string }[] }).identities;
}

/** Each mail about a change of the account. */
const changeMails: typeof codeMails = {
  password_changed: async (language) => {
    const { email, token } = await user(language);
    await put({ password: 'another-horse-13' }, token);
    return email;
  },
  email_changed: async (language) => {
    const { email, token } = await user(language);
    const next = newEmail();
    await put({ email: next }, token);
    for (const address of [next, email])
      await post('/verify', { type: 'email_change', email: address, token: (await mailTo(address)).code });
    return email;
  },
  mfa_factor_enrolled: async (language) => {
    const { email, token } = await user(language);
    await enrollSecondFactor(supabase(), token);
    return email;
  },
  recovery_codes: async (language) => {
    const { email, token } = await user(language);
    await post('/factors/recovery-codes', {}, { token: (await enrollSecondFactor(supabase(), token)).token });
    return email;
  },
  mfa_factor_unenrolled: async (language) => {
    const { email, token } = await user(language);
    const factor = await enrollSecondFactor(supabase(), token);
    await post(`/factors/${factor.factorId}`, undefined, { method: 'DELETE', token: factor.token });
    return email;
  },
  identity_linked: async (language) => {
    const { email, token } = await user(language);
    await linkIdentity(token, 'stranger@example.com');
    return email;
  },
  identity_unlinked: async (language) => {
    const { email, token } = await user(language);
    const [, linked] = await linkIdentity(token, email);
    await post(`/user/identities/${linked?.identity_id}`, undefined, { method: 'DELETE', token });
    return email;
  },
};

describe.each(Object.entries(codeMails))('the mail %s', (_, cause) => {
  it('a mail has no link that a mail scanner could use up, in HTML or in text', async () => {
    const mail = await mailTo(await cause('en'));
    expect(mail.code).toMatch(/^\d{8}$/);
    expect(mail.html + mail.text).not.toMatch(/\/auth\/v1|\/verify|[?&]token/);
    for (const link of mail.links) {
      const { origin, search, hash } = new URL(link);
      expect({ origin, search }).toEqual({ origin: 'http://localhost:5173', search: '' });
      expect(hash).toMatch(/^#token_hash=\w+&type=\w+$/);
      expect(mail.text).toContain(link);
    }
  });
});

describe.each(Object.entries({ ...codeMails, ...changeMails }))('the mail %s', (_, cause) => {
  it('a mail is written in the language of the account, and says what to do if it was another person', async () => {
    const [english, german] = [await mailTo(await cause('en')), await mailTo(await cause('de'))];
    expect(german.subject).not.toBe(english.subject);
    expect(german.html).toContain('<html lang="de">');
    expect(english.html).toContain('<html lang="en">');
    expect(german.text).toMatch(/\b(du|dein|dir|deine[rsmn]?)\b/i);
    expect(english.text).not.toMatch(/\b(du|dein|dir)\b/);
    expect(english.text).toMatch(/If (this wasn’t you|you didn’t [\w ]+), /);
    expect(german.text).toMatch(/Wenn du (das|dich) nicht [\w ]+, /);
    expect(german.html + english.html).not.toMatch(/\{\{|<no value>|undefined/);
  });
});

describe.each(Object.entries(changeMails))('the mail %s', (_, cause) => {
  it('a mail leads to the account page, without a token', async () => {
    const address = await cause('en');
    const links = supabase()
      .mailbox.messages()
      .filter(({ to }) => to.address === address)
      .flatMap((mail) => mail.links);
    expect(links).toContain('http://localhost:5173/account#devices');
  });
});

it('recovery codes are announced by a separate mail', async () => {
  const address = await changeMails['recovery_codes']?.('en');
  const mails = supabase()
    .mailbox.messages()
    .filter(({ to }) => to.address === address);
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Recovery codes were created',
    'Two-step sign-in was turned on',
  ]);
  expect(mails[0]?.text).toContain('Each takes the place of the authenticator’s code once.');
});
