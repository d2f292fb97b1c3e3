import type { Page } from '@playwright/test';

export interface VirtualAuthenticator {
  /** Deletes the passkeys from the device. */
  clear(): Promise<void>;
}

/** Gives the page's device an authenticator with screen lock, which confirms every request at once. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    clear: async () => {
      await session.send('WebAuthn.clearCredentials', { authenticatorId });
    },
  };
}
