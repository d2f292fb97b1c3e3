import { onTestFinished } from 'vitest';
import { createSoftwareAuthenticator } from './software-authenticator.ts';
import { createSoftwareWebAuthn } from './software-web-authn.ts';

/** The page's Web Authentication API with a software authenticator. */
export interface PageAuthenticator {
  /** The person dismisses the next prompt. */
  dismissNext(): void;
  /** The person chooses the passkey in the autofill that waits. @throws unless exactly one request waits. */
  chooseInAutofill(): void;
  /** How many requests wait in autofill. */
  readonly waiting: number;
}

/**
 * Installs the Web Authentication API of a browser in the page, until the end of the test. @param origin the relying
 * party's.
 */
export function installPageAuthenticator(origin: string): PageAuthenticator {
  const { credentials, publicKeyCredential } = createSoftwareWebAuthn(createSoftwareAuthenticator(origin));
  const waiting = new Set<() => void>();
  let isDismissed = false;

  const prompt = async <T>(respond: () => Promise<T>): Promise<T> => {
    if (!isDismissed) return respond();
    isDismissed = false;
    throw new DOMException('The operation was not allowed', 'NotAllowedError');
  };
  /** Resolves when the test chooses; rejects when the signal aborts. */
  const untilChosen = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      waiting.add(resolve);
      signal?.addEventListener('abort', () => {
        waiting.delete(resolve);
        reject(signal.reason);
      });
    });
  const page: typeof credentials = {
    create: (options) => prompt(() => credentials.create(options)),
    async get(options) {
      if (options?.mediation === 'conditional') await untilChosen(options.signal);
      return prompt(() => credentials.get(options));
    },
  };
  Object.defineProperty(globalThis, 'PublicKeyCredential', {
    value: publicKeyCredential,
    configurable: true,
  });
  Object.defineProperty(navigator, 'credentials', { value: page, configurable: true });
  onTestFinished(() => {
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
    Reflect.deleteProperty(navigator, 'credentials');
  });
  return {
    get waiting() {
      return waiting.size;
    },
    dismissNext: () => void (isDismissed = true),
    chooseInAutofill() {
      const [choose, ...others] = waiting;
      if (!choose || others.length > 0) throw new Error(`${waiting.size} requests wait`);
      waiting.delete(choose);
      choose();
    },
  };
}
