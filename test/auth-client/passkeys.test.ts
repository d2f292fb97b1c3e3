import { describe, expect, it, vi } from 'vitest';
import {
  type PasskeySignIn,
  type Passkeys,
  createPasskeys,
} from '../../src/auth-client/features/passkeys.ts';
import { AuthError } from '../../src/auth-client/index.ts';
import { refusal, sessionReply } from '../support/wire/replies.ts';
import {
  type FakeWebAuthn,
  bytesOf,
  createFakeWebAuthn,
  createdCredential,
  requestedCredential,
} from './support/fake-web-authn.ts';
import { type Harness, createHarness } from './support/harness.ts';

const textOf = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString();
const toBase64Url = (text: string) => Buffer.from(text).toString('base64url');

const creationOptions = {
  rp: { name: 'Tidings', id: 'localhost' },
  user: { id: toBase64Url('ada'), name: 'ada@example.com', displayName: 'Ada' },
  challenge: toBase64Url('challenge'),
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  excludeCredentials: [{ type: 'public-key', id: toBase64Url('known') }],
  timeout: 300_000,
};
const requestOptions = { challenge: toBase64Url('challenge'), rpId: 'localhost', timeout: 300_000 };

/** A reply with a challenge that expires in 5 minutes. */
const challengeReply = ({ world }: Harness, id: string, options: object) =>
  Response.json({ challenge_id: id, options, expires_at: world.clock.now() / 1000 + 300 });
/** The JSON form of a credential of the fake, with the members of its kind. */
const credentialJson = (response: object) => ({
  id: 'Y3JlZA',
  rawId: 'Y3JlZA',
  type: 'public-key',
  authenticatorAttachment: 'platform',
  clientExtensionResults: {},
  response: { clientDataJSON: toBase64Url('client'), ...response },
});
const passkeyReply = { id: 'p1', friendly_name: 'Passkey', created_at: '2026-11-22T10:00:00.5Z' };

/** Starts a sign-in and lets it reach the browser. */
async function startSignIn(harness: Harness, webAuthn: FakeWebAuthn, request?: PasskeySignIn) {
  const opened = harness.open();
  await opened.client.start();
  const controller = new AbortController();
  harness.server.next(challengeReply(harness, 'c1', requestOptions));
  const passkeys = createPasskeys(opened.client, { webAuthn });
  const signingIn = passkeys.signInWithPasskey(request, { signal: controller.signal });
  signingIn.catch(() => undefined);
  await harness.world.settle();
  return { ...opened, passkeys, signingIn, controller };
}

async function startRegistration(harness: Harness, webAuthn: FakeWebAuthn) {
  const { client } = await harness.signedIn();
  harness.server.next(challengeReply(harness, 'c1', creationOptions));
  const registering = createPasskeys(client, { webAuthn }).registerPasskey();
  registering.catch(() => undefined);
  await harness.world.settle();
  return { client, registering };
}

const passkeyId = 'a0000000-0000-4000-8000-000000000001';

describe('registration', () => {
  it('sends the created credential with its challenge and returns the passkey', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { registering } = await startRegistration(harness, webAuthn);
    const { publicKey } = webAuthn.calls[0]?.options ?? {};
    expect(textOf(publicKey?.challenge)).toBe('challenge');
    expect(publicKey).toMatchObject({ rp: creationOptions.rp, timeout: 300_000 });
    expect(textOf((publicKey as PublicKeyCredentialCreationOptions).user.id)).toBe('ada');
    const [excluded] = (publicKey as PublicKeyCredentialCreationOptions).excludeCredentials ?? [];
    expect([excluded?.type, textOf(excluded?.id)]).toEqual(['public-key', 'known']);
    harness.server.next(Response.json(passkeyReply));
    webAuthn.calls[0]?.resolve(createdCredential());
    expect(await registering).toEqual({
      id: 'p1',
      friendlyName: 'Passkey',
      createdAtMs: Date.parse('2026-11-22T10:00:00.5Z'),
      lastUsedAtMs: null,
    });
    expect(harness.server.lines.slice(1)).toEqual([
      'POST /passkeys/registration/options',
      'POST /passkeys/registration/verify',
    ]);
    const { access_token } = sessionReply('ada', 1);
    expect(harness.server.sent[2]?.headers.get('authorization')).toBe(`Bearer ${access_token}`);
    expect(harness.server.sent[2]?.body).toEqual({
      challenge_id: 'c1',
      credential: credentialJson({
        attestationObject: toBase64Url('attestation'),
        transports: ['internal'],
      }),
    });
  });

  it('requires user verification where the option says so, and else what the server requires', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { client } = await harness.signedIn();
    const required = createPasskeys(client, { webAuthn, userVerification: 'required' });
    const selection = { residentKey: 'required', userVerification: 'preferred' };
    const expected = { ...creationOptions, authenticatorSelection: selection };
    for (const passkeys of [required, createPasskeys(client, { webAuthn })]) {
      harness.server.next(challengeReply(harness, 'c1', expected));
      passkeys.registerPasskey().catch(() => undefined);
      await harness.world.settle();
      harness.server.next(
        challengeReply(harness, 'c2', { ...requestOptions, userVerification: 'preferred' }),
      );
      passkeys.signInWithPasskey().catch(() => undefined);
      await harness.world.settle();
    }
    const [created, requested, createdByDefault, requestedByDefault] = webAuthn.calls.map(
      ({ options }) => options.publicKey,
    );
    expect(created).toMatchObject({
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(requested).toMatchObject({ userVerification: 'required' });
    expect(createdByDefault).toMatchObject({ authenticatorSelection: selection });
    expect(requestedByDefault).toMatchObject({ userVerification: 'preferred' });
  });

  it("uses the browser's own conversions where they exist", async () => {
    const harness = createHarness();
    const parsed = { challenge: bytesOf('by the browser') };
    const webAuthn = createFakeWebAuthn({ parseCreationOptionsFromJSON: () => parsed });
    const { registering } = await startRegistration(harness, webAuthn);
    expect(webAuthn.calls[0]?.options.publicKey).toBe(parsed);
    harness.server.next(Response.json(passkeyReply));
    webAuthn.calls[0]?.resolve(createdCredential({ toJSON: () => ({ id: 'by the browser' }) }));
    await registering;
    expect(harness.server.sent[2]?.body?.['credential']).toEqual({ id: 'by the browser' });
  });

  it("converts a password manager's credential, on which the browser's toJSON throws", async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { registering } = await startRegistration(harness, webAuthn);
    harness.server.next(Response.json(passkeyReply));
    const toJSON = () => {
      throw new TypeError('Illegal invocation');
    };
    webAuthn.calls[0]?.resolve(createdCredential({ toJSON }));
    await registering;
    expect(harness.server.sent[2]?.body?.['credential']).toMatchObject({ rawId: 'Y3JlZA' });
  });

  it.each([
    ['NotAllowedError', 'passkey-canceled'],
    ['InvalidStateError', 'webauthn_credential_exists'],
    ['NotSupportedError', 'unsupported-runtime'],
    ['ConstraintError', 'unsupported-runtime'],
    ['SecurityError', 'passkey-failed'],
    ['AbortError', 'aborted'],
  ])("maps the browser's %s to %s, with its cause, and sends nothing more", async (name, code) => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { registering } = await startRegistration(harness, webAuthn);
    const cause = new DOMException('refused', name);
    webAuthn.calls[0]?.reject(cause);
    await expect(registering).rejects.toBeInstanceOf(AuthError);
    await expect(registering).rejects.toMatchObject({ code, cause, status: null });
    expect(harness.server.lines).toHaveLength(2);
  });

  it.each(['webauthn_credential_exists', 'too_many_passkeys', 'insufficient_aal', 'passkey_disabled'])(
    'throws the error %s of the server',
    async (code) => {
      const harness = createHarness();
      const { client } = await harness.signedIn();
      harness.server.next(refusal(422, code));
      const registering = createPasskeys(client, { webAuthn: createFakeWebAuthn() }).registerPasskey();
      await expect(registering).rejects.toMatchObject({ code, status: 422 });
    },
  );

  it('reports the database failure of the server for a duplicate credential as a conflict', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { registering } = await startRegistration(harness, webAuthn);
    harness.server.next(refusal(500, 'unexpected_failure', { message: 'Database error creating passkey' }));
    webAuthn.calls[0]?.resolve(createdCredential());
    await expect(registering).rejects.toMatchObject({
      code: 'webauthn_credential_exists',
      status: 500,
      serverCode: 'unexpected_failure',
      cause: { code: 'unexpected_failure' },
    });
  });

  it('registers the credential of another authenticator in two steps', async () => {
    const harness = createHarness();
    const { client } = await harness.signedIn();
    const passkeys = createPasskeys(client, { webAuthn: createFakeWebAuthn() });
    harness.server.next(challengeReply(harness, 'c1', creationOptions));
    const { challengeId, options, expiresAtMs } = await passkeys.startRegistration();
    expect([challengeId, options, expiresAtMs - harness.world.clock.now()]).toEqual([
      'c1',
      creationOptions,
      300_000,
    ]);
    harness.server.next(Response.json(passkeyReply));
    const credential = credentialJson({ attestationObject: toBase64Url('attestation') });
    expect(await passkeys.verifyRegistration({ challengeId, credential })).toMatchObject({ id: 'p1' });
    expect(await harness.server.requests.at(-1)?.json()).toEqual({ challenge_id: 'c1', credential });
  });

  it('signs in by another authenticator in two steps', async () => {
    const harness = createHarness();
    const { client } = harness.open();
    await client.start();
    const passkeys = createPasskeys(client, { webAuthn: createFakeWebAuthn() });
    harness.server.next(challengeReply(harness, 'c1', requestOptions));
    const { challengeId } = await passkeys.startAuthentication({ captchaToken: 'solved' });
    expect(await harness.server.requests.at(-1)?.json()).toEqual({
      gotrue_meta_security: { captcha_token: 'solved' },
    });
    harness.server.next(Response.json(sessionReply('ada', 1)));
    const credential = credentialJson({ signature: toBase64Url('signature') });
    const session = await passkeys.verifyAuthentication({ challengeId, credential });
    expect([session.user.id, client.getSnapshot().status]).toEqual(['ada', 'signed-in']);
  });

  it('rejects options that cannot be read', async () => {
    const harness = createHarness();
    const { client } = await harness.signedIn();
    harness.server.next(challengeReply(harness, 'c1', { ...creationOptions, challenge: '%' }));
    const registering = createPasskeys(client, { webAuthn: createFakeWebAuthn() }).registerPasskey();
    await expect(registering).rejects.toMatchObject({ code: 'not-the-service' });
  });
});

describe('sign-in', () => {
  it('prompts, signs in with the tokens of the response, and notifies every tab', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const other = harness.open();
    await other.client.start();
    const onChosen = vi.fn<() => void>();
    const { client, events, signingIn } = await startSignIn(harness, webAuthn, {
      captchaToken: 't',
      onChosen,
    });
    expect(harness.server.sent[0]?.body).toEqual({ gotrue_meta_security: { captcha_token: 't' } });
    const { publicKey, mediation } = webAuthn.calls[0]?.options ?? {};
    expect([textOf(publicKey?.challenge), mediation]).toEqual(['challenge', undefined]);
    expect(onChosen).not.toHaveBeenCalled();
    harness.server.next(Response.json(sessionReply('ada', 1)));
    webAuthn.calls[0]?.resolve(requestedCredential());
    const session = await signingIn;
    await harness.world.settle();
    expect(onChosen).toHaveBeenCalledOnce();
    expect(harness.server.lines).toEqual([
      'POST /passkeys/authentication/options',
      'POST /passkeys/authentication/verify',
    ]);
    expect(harness.server.sent[1]?.body).toEqual({
      challenge_id: 'c1',
      credential: credentialJson({
        authenticatorData: toBase64Url('data'),
        signature: toBase64Url('signature'),
        userHandle: toBase64Url('ada'),
      }),
    });
    expect(client.getSnapshot().session).toEqual(session);
    expect((await harness.stored())?.['refresh_token']).toBe('refresh-ada-1');
    expect([events, other.events]).toEqual([
      ['INITIAL_SESSION', 'SIGNED_IN'],
      ['INITIAL_SESSION', 'SIGNED_IN'],
    ]);
  });

  it.each(['webauthn_challenge_expired', 'webauthn_verification_failed', 'user_banned'])(
    'stays signed out when the server refuses with %s',
    async (code) => {
      const harness = createHarness();
      const webAuthn = createFakeWebAuthn();
      const { client, signingIn } = await startSignIn(harness, webAuthn);
      harness.server.next(refusal(400, code));
      webAuthn.calls[0]?.resolve(requestedCredential());
      await expect(signingIn).rejects.toMatchObject({ code, status: 400 });
      expect(client.getSnapshot().status).toBe('signed-out');
    },
  );

  it('ends the prompt with the signal', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { signingIn, controller } = await startSignIn(harness, webAuthn);
    controller.abort();
    await expect(signingIn).rejects.toMatchObject({ code: 'aborted' });
    expect(webAuthn.calls[0]?.options.signal?.aborted).toBe(true);
  });

  it('sends nothing where the browser has no WebAuthn', async () => {
    const { open, server } = createHarness();
    const passkeys = createPasskeys(open().client);
    expect([passkeys.isSupported(), await passkeys.isAutofillSupported()]).toEqual([false, false]);
    await expect(passkeys.signInWithPasskey()).rejects.toMatchObject({ code: 'unsupported-runtime' });
    await expect(passkeys.registerPasskey()).rejects.toMatchObject({ code: 'unsupported-runtime' });
    expect(server.lines).toEqual([]);
  });
});

describe('sign-in by autofill', () => {
  const autofill = { mediation: 'conditional' } as const;

  it('waits without a prompt until the person chooses a passkey', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { client, signingIn } = await startSignIn(harness, webAuthn, autofill);
    expect(webAuthn.calls[0]?.options.mediation).toBe('conditional');
    harness.server.next(Response.json(sessionReply('ada', 1)));
    webAuthn.calls[0]?.resolve(requestedCredential());
    await signingIn;
    expect(client.getSnapshot().status).toBe('signed-in');
    expect(harness.world.clock.pendingTimers, 'only the refresh of the session').toBe(1);
  });

  it('renews the challenge before it expires, in a hidden page once it is visible again', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { tab, signingIn } = await startSignIn(harness, webAuthn, autofill);
    harness.server.next(challengeReply(harness, 'c2', requestOptions));
    await harness.world.clock.advance(239_000);
    expect(webAuthn.calls).toHaveLength(1);
    await harness.world.clock.advance(1_000);
    expect(webAuthn.calls).toHaveLength(2);
    expect(webAuthn.calls[0]?.options.signal?.aborted, 'one request at a time').toBe(true);

    tab.setVisible(false);
    await harness.world.clock.advance(3_600_000);
    expect(webAuthn.calls).toHaveLength(2);
    harness.server.next(challengeReply(harness, 'c3', requestOptions));
    tab.setVisible(true);
    await harness.world.settle();
    harness.server.next(Response.json(sessionReply('ada', 1)));
    webAuthn.calls[2]?.resolve(requestedCredential());
    await signingIn;
    expect(harness.server.sent.at(-1)?.body?.['challenge_id']).toBe('c3');
  });

  it('ends while it waits for the page to be visible', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { tab, signingIn, controller } = await startSignIn(harness, webAuthn, autofill);
    tab.setVisible(false);
    await harness.world.clock.advance(240_000);
    controller.abort();
    await expect(signingIn).rejects.toMatchObject({ code: 'aborted' });
    tab.setVisible(true);
    await harness.world.settle();
    expect(harness.server.lines).toHaveLength(1);
  });

  it('uses a challenge for at least a minute where the clock of the device is wrong', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { client } = harness.open();
    await client.start();
    harness.server.on('POST /passkeys/authentication/options', () =>
      Response.json({ challenge_id: 'c', options: requestOptions, expires_at: 1 }),
    );
    const controller = new AbortController();
    const passkeys = createPasskeys(client, { webAuthn });
    const signingIn = passkeys.signInWithPasskey(autofill, { signal: controller.signal });
    await harness.world.clock.advance(59_000);
    expect(webAuthn.calls).toHaveLength(1);
    await harness.world.clock.advance(1_000);
    expect(webAuthn.calls).toHaveLength(2);
    controller.abort();
    await expect(signingIn).rejects.toMatchObject({ code: 'aborted' });
    expect(harness.world.clock.pendingTimers).toBe(0);
  });

  it('ends when a prompt begins', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { passkeys, signingIn } = await startSignIn(harness, webAuthn, autofill);
    harness.server.next(Response.json(sessionReply('ada', 1)));
    const prompting = passkeys.signInWithPasskey();
    await harness.world.settle();
    await expect(signingIn).rejects.toMatchObject({ code: 'aborted' });
    webAuthn.calls[1]?.resolve(requestedCredential());
    expect((await prompting).user.id).toBe('ada');
  });

  it('ends when a prompt begins at the same time', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { client } = harness.open();
    await client.start();
    const passkeys = createPasskeys(client, { webAuthn });
    harness.server.next(challengeReply(harness, 'c1', requestOptions));
    const waiting = passkeys.signInWithPasskey(autofill);
    const prompting = passkeys.signInWithPasskey();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    await harness.world.settle();
    expect(webAuthn.calls.map(({ options }) => options.mediation)).toEqual([undefined]);
    harness.server.next(Response.json(sessionReply('ada', 1)));
    webAuthn.calls[0]?.resolve(requestedCredential());
    expect((await prompting).user.id).toBe('ada');
  });

  it('reports what onChosen throws, and signs in', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const problem = new Error('thrown by the page');
    const onChosen = () => {
      throw problem;
    };
    const { tab, signingIn } = await startSignIn(harness, webAuthn, { ...autofill, onChosen });
    harness.server.next(Response.json(sessionReply('ada', 1)));
    webAuthn.calls[0]?.resolve(requestedCredential());
    expect((await signingIn).user.id).toBe('ada');
    expect(tab.reported).toEqual([problem]);
  });

  it('sends nothing where the browser has no such autofill, which would prompt instead', async () => {
    const { open, server } = createHarness();
    const webAuthn = createFakeWebAuthn({ isConditionalMediationAvailable: async () => false });
    const passkeys = createPasskeys(open().client, { webAuthn });
    const signingIn = passkeys.signInWithPasskey(autofill);
    await expect(signingIn).rejects.toMatchObject({ code: 'unsupported-runtime' });
    expect([server.lines, webAuthn.calls]).toEqual([[], []]);
  });
});

describe('the challenge of a sign-in', () => {
  const autofill = { mediation: 'conditional' } as const;
  const optionsPath = 'POST /passkeys/authentication/options';
  /** Starts a further sign-in and lets it reach the browser. */
  const startAgain = async (harness: Harness, passkeys: Passkeys, request?: PasskeySignIn) => {
    const controller = new AbortController();
    const signingIn = passkeys.signInWithPasskey(request, { signal: controller.signal });
    signingIn.catch(() => undefined);
    await harness.world.settle();
    return { signingIn, controller };
  };
  const challengesOf = ({ server }: Harness) => server.lines.filter((line) => line === optionsPath).length;

  it('serves autofill, dismissed prompts and autofill again until a passkey uses it', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { passkeys } = await startSignIn(harness, webAuthn, autofill);
    for (const request of [undefined, autofill, undefined]) {
      const { signingIn } = await startAgain(harness, passkeys, request);
      if (request) continue;
      webAuthn.calls.at(-1)?.reject(new DOMException('dismissed', 'NotAllowedError'));
      await expect(signingIn).rejects.toMatchObject({ code: 'passkey-canceled' });
    }
    const { signingIn } = await startAgain(harness, passkeys);
    harness.server.next(refusal(400, 'webauthn_verification_failed'));
    webAuthn.calls.at(-1)?.resolve(requestedCredential());
    await expect(signingIn).rejects.toMatchObject({ code: 'webauthn_verification_failed' });
    expect([challengesOf(harness), harness.server.sent.at(-1)?.body?.['challenge_id']]).toEqual([1, 'c1']);

    harness.server.next(challengeReply(harness, 'c2', requestOptions), Response.json(sessionReply('ada', 1)));
    const { signingIn: last } = await startAgain(harness, passkeys);
    webAuthn.calls.at(-1)?.resolve(requestedCredential());
    await last;
    expect(challengesOf(harness), 'the server accepts a response to a challenge once').toBe(2);
    expect(harness.server.sent.at(-1)?.body?.['challenge_id']).toBe('c2');
  });

  it('is renewed for a prompt that could outlast it', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { passkeys, controller } = await startSignIn(harness, webAuthn, autofill);
    controller.abort();
    await harness.world.clock.advance(179_000);
    const { controller: inTime } = await startAgain(harness, passkeys);
    inTime.abort();
    expect([challengesOf(harness), webAuthn.calls.length]).toEqual([1, 2]);
    await harness.world.clock.advance(1_000);
    harness.server.next(challengeReply(harness, 'c2', requestOptions));
    await startAgain(harness, passkeys);
    expect([challengesOf(harness), webAuthn.calls.length]).toEqual([2, 3]);
  });

  it('is requested once for an autofill and a prompt right after it, and again with a captcha token', async () => {
    const harness = createHarness();
    const webAuthn = createFakeWebAuthn();
    const { client } = harness.open();
    await client.start();
    let respond = (_reply: Response) => {};
    harness.server.on(optionsPath, () => new Promise<Response>((resolve) => (respond = resolve)));
    const passkeys = createPasskeys(client, { webAuthn });
    const { signingIn: waiting } = await startAgain(harness, passkeys, autofill);
    await startAgain(harness, passkeys);
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    expect(challengesOf(harness)).toBe(1);
    respond(challengeReply(harness, 'c1', requestOptions));
    await harness.world.settle();
    expect(webAuthn.calls.map(({ options }) => options.mediation)).toEqual([undefined]);

    const other = createPasskeys(client, { webAuthn });
    await startAgain(harness, other, autofill);
    await startAgain(harness, other, { captchaToken: 'human' });
    expect(challengesOf(harness)).toBe(3);
  });

  it('is not requested by a call that is aborted before it begins', async () => {
    const { open, server } = createHarness();
    const passkeys = createPasskeys(open().client, { webAuthn: createFakeWebAuthn() });
    const signal = AbortSignal.abort();
    await expect(passkeys.signInWithPasskey({}, { signal })).rejects.toMatchObject({ code: 'aborted' });
    expect(server.lines).toEqual([]);
  });
});

describe('the passkeys of the user', () => {
  it('are listed, renamed and removed', async () => {
    const { signedIn, server } = createHarness();
    const passkeys = createPasskeys((await signedIn()).client);
    const used = {
      ...passkeyReply,
      id: 'p/2',
      friendly_name: undefined,
      last_used_at: '2026-11-22T11:00:00Z',
    };
    server.next(
      Response.json([passkeyReply, used]),
      Response.json({ ...passkeyReply, friendly_name: 'Laptop' }),
      new Response(null, { status: 204 }),
    );
    expect(await passkeys.listPasskeys()).toEqual([
      {
        id: 'p1',
        friendlyName: 'Passkey',
        createdAtMs: Date.parse(passkeyReply.created_at),
        lastUsedAtMs: null,
      },
      {
        id: 'p/2',
        friendlyName: null,
        createdAtMs: Date.parse(passkeyReply.created_at),
        lastUsedAtMs: Date.parse(used.last_used_at),
      },
    ]);
    const renamed = await passkeys.renamePasskey({ passkeyId, friendlyName: 'Laptop' });
    expect(renamed.friendlyName).toBe('Laptop');
    await passkeys.removePasskey({ passkeyId });
    expect(server.lines.slice(1)).toEqual([
      'GET /passkeys/',
      `PATCH /passkeys/${passkeyId}`,
      `DELETE /passkeys/${passkeyId}`,
    ]);
    expect(server.sent[2]?.body).toEqual({ friendly_name: 'Laptop' });
  });

  it('bad arguments are refused without a request', async () => {
    const { signedIn, server } = createHarness();
    const passkeys = createPasskeys((await signedIn()).client);
    const calls = [
      passkeys.renamePasskey({ passkeyId, friendlyName: '' }),
      // The server counts bytes of UTF-8.
      passkeys.renamePasskey({ passkeyId, friendlyName: 'ü'.repeat(61) }),
      passkeys.renamePasskey({ passkeyId: '', friendlyName: 'Laptop' }),
      passkeys.removePasskey({ passkeyId: '' }),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(server.lines).toHaveLength(1);
  });

  it('need a signed-in user', async () => {
    const { open, server } = createHarness();
    const { client } = open();
    await client.start();
    const passkeys = createPasskeys(client, { webAuthn: createFakeWebAuthn() });
    for (const call of [passkeys.listPasskeys(), passkeys.registerPasskey()])
      await expect(call).rejects.toMatchObject({ code: 'missing-session' });
    expect(server.lines).toEqual([]);
  });
});
