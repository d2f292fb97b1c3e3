import { describe, expect, test } from 'vitest';
import { describeProblem } from '../../src/shared/auth-problem/auth-problem.ts';
import { texts as german } from '../../src/shared/auth-problem/auth-error-texts.de.ts';
import { texts as english } from '../../src/shared/auth-problem/auth-error-texts.en.ts';
import { AuthError } from '../../src/auth-client/index.ts';
import { serverErrorCodes } from '../../src/auth-client/wire/server-error-codes.ts';

describe('what is said about a failure', () => {
  test.each([...serverErrorCodes])('%s has a message of its own in both languages', (code) => {
    for (const { messages } of [english, german]) expect(messages[code].length).toBeGreaterThan(10);
  });

  test('stands on the field that it concerns, or on the form that has no such field', () => {
    const problem = new AuthError(
      'email_exists',
      'A user with this email address has already been registered',
    );
    const message = english.messages.email_exists;
    expect(describeProblem(problem, english, ['email', 'password'])).toEqual({ fields: { email: message } });
    expect(describeProblem(problem, english, ['password'])).toEqual({ message });
  });

  test('names the reasons why a password is weak', () => {
    const problem = new AuthError('weak_password', '', {
      weakPasswordReasons: ['length', 'pwned', 'unheard-of'],
    });
    expect(describeProblem(problem, english, ['password']).fields?.password).toBe(
      'This password is too easy to guess. Use more characters. It appeared in a data leak: don’t use it anywhere.',
    );
  });

  test('tells when it is possible again', () => {
    const problem = new AuthError('over_request_rate_limit', '', { retryAfterSeconds: 42 });
    const { message, retryAfterSeconds } = describeProblem(problem, english);
    expect(message).toMatch(/Try again in 42 seconds\.$/);
    expect(retryAfterSeconds).toBe(42);
  });

  test('is general where a newer server speaks of something unheard of, and never shows its raw text', () => {
    const problem = new AuthError('brand_new_code' as 'unknown', 'raw text of the server');
    expect(describeProblem(problem, english).message).toBe(english.messages.unknown);
    expect(describeProblem('not an error', english).message).toBe(english.messages.unknown);
    for (const inherited of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(describeProblem(new AuthError(inherited as 'unknown', ''), english, ['email'])).toEqual({
        message: english.messages.unknown,
      });
  });

  test('is the text of the specification where a sign-up threw what is no error', () => {
    expect(describeProblem(new Error('Unknown error during signup'), english).message).toBe(
      'Unknown error during signup',
    );
  });
});
