import { describe, expect, it } from 'vitest';
import { readAuthSettings } from '../../scripts/project-config.ts';
import { minPasswordLength } from '../../src/ui/form/credential-rules.ts';

describe('the settings of config.toml', () => {
  it('are those of the project that is deployed', () => {
    expect(readAuthSettings()).toMatchObject({
      anonymousEnabled: false,
      emailMaxFrequencySeconds: 60,
      mailerAutoconfirm: false,
      passwordUpdateRequiresReauthentication: true,
      secureEmailChange: true,
    });
  });

  it('ask for passwords as long as the forms do', () => {
    expect(readAuthSettings().passwordMinLength).toBe(minPasswordLength);
  });

  it('leave to the server what the file does not say', () => {
    expect(readAuthSettings('[auth]\njwt_expiry = 60\n')).toEqual({ jwtExpirySeconds: 60 });
  });

  it.each([
    ['1m30s', 90],
    ['1h', 3600],
    ['500ms', 0.5],
  ])('read a duration such as %s', (duration, expected) => {
    const settings = readAuthSettings(`[auth.email]\nmax_frequency = "${duration}"\n`);
    expect(settings).toEqual({ emailMaxFrequencySeconds: expected });
  });

  it.each([
    ['[auth]\njwt_expiry = "soon"\n', 'auth.jwt_expiry must be a number'],
    ['[auth.email]\nmax_frequency = "soon"\n', '"soon" is no duration'],
    ['[auth]\npassword_requirements = "long"\n', 'no password_requirements "long"'],
  ])('refuse %j in a sentence that names the place', (text, message) => {
    expect(() => readAuthSettings(text)).toThrow(message);
  });
});
