import { expect, test } from 'vitest';
import { describeProblem } from '../../../src/inbox/shared/auth-problem/auth-problem.ts';
import { german } from '../../../src/inbox/shared/auth-problem/auth-error-texts.de.ts';
import { authErrorTexts } from '../../../src/inbox/shared/auth-problem/auth-error-texts.ts';
import { AuthError } from '../../../src/auth-client/index.ts';
import { serverErrorCodes } from '../../../src/auth-client/errors.ts';

/** Codes that no screen of the application can cause. */
const codesOfNoScreen: ReadonlySet<string> = new Set([
  'unknown',
  'oauth_client_not_found',
  'oauth_dynamic_client_registration_disabled',
  'bad_json',
]);

const english = await authErrorTexts.load('en');

test.each([...serverErrorCodes])('%s has a message in both languages', (code) => {
  for (const texts of [english, german]) {
    const { message } = describeProblem(new AuthError(code, ''), texts);
    expect(message?.length).toBeGreaterThan(10);
    expect(message === texts.messages.unknown).toBe(codesOfNoScreen.has(code));
  }
});

test('the message of an auth error appears on its field, or on the form without that field', () => {
  const problem = new AuthError('email_exists', 'A user with this email address has already been registered');
  const message = english.messages.email_exists;
  expect(describeProblem(problem, english, ['email', 'password'])).toEqual({ fields: { email: message } });
  expect(describeProblem(problem, english, ['password'])).toEqual({ message });
});

test('the message of an auth error names the reasons why a password is weak', () => {
  const problem = new AuthError('weak_password', '', {
    weakPasswordReasons: ['length', 'pwned', 'unheard-of'],
  });
  expect(describeProblem(problem, english, ['password']).fields?.password).toBe(
    'This password is too easy to guess. Use more characters. It appeared in a data leak: don’t use it anywhere.',
  );
});

test('the message of an auth error leaves the number of seconds to the countdown of the button', () => {
  const problem = new AuthError('over_request_rate_limit', '', { retryAfterSeconds: 42 });
  const { message, retryAfterSeconds } = describeProblem(problem, english);
  expect(message).toBe(english.messages.over_request_rate_limit);
  expect(message).not.toMatch(/\d/);
  expect(retryAfterSeconds).toBe(42);
});

test.each([500, 502, 503])(
  'the message of an auth error says that the service has a problem after %d',
  (status) => {
    const problem = new AuthError('unknown', '', { status });
    expect(describeProblem(problem, english).message).toBe(english.messages.unexpected_failure);
  },
);

test("the message of an auth error is general for an unknown code and never shows the server's raw text", () => {
  const problem = new AuthError('brand_new_code' as 'unknown', 'raw text of the server');
  expect(describeProblem(problem, english).message).toBe(english.messages.unknown);
  expect(describeProblem('not an error', english).message).toBe(english.messages.unknown);
  for (const inherited of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(describeProblem(new AuthError(inherited as 'unknown', ''), english, ['email'])).toEqual({
      message: english.messages.unknown,
    });
});

test('the message of an auth error is the specified text when a sign-up throws a value that is not an error', () => {
  expect(describeProblem(new Error('Unknown error during signup'), english).message).toBe(
    'Unknown error during signup',
  );
});
