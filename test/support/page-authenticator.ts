import { onTestFinished } from 'vitest';
import { createSoftwareAuthenticator } from './software-authenticator.ts';

/** The page's Web Authentication API, before a software authenticator. */
export interface PageAuthenticator {
  /** The person dismisses the next prompt. */
  dismissNext(): void;
  /** The person chooses the passkey in the autofill that waits. @throws unless exactly one request waits. */
  chooseInAutofill(): void;
  /** How many requests wait in autofill. */
  readonly waiting: number;
}

interface WaitingRequest {
  readonly choose: () => void;
}

/** Gives the page the Web Authentication API of a browser, until the end of the test. @param origin the relying party's. */
export function installPageAuthenticator(origin: string): PageAuthenticator {
  const authenticator = createSoftwareAuthenticator(origin);
  const waiting = new Set<WaitingRequest>();
  let isDismissed = false;
  const perform = (answer: () => object) => {
    if (isDismissed) {
      isDismissed = false;
      throw new DOMException('The operation was not allowed', 'NotAllowedError');
    }
    const json = answer();
    return { toJSON: () => json };
  };
  const credentials = {
    async create({ publicKey }: { publicKey: Parameters<typeof authenticator.create>[0] }) {
      return perform(() => authenticator.create(publicKey));
    },
    async get({ publicKey, mediation, signal }: ConditionalOptions) {
      const answer = () => perform(() => authenticator.get(publicKey));
      if (mediation !== 'conditional') return answer();
      return new Promise((resolve, reject) => {
        const request = { choose: () => end(() => resolve(answer())) };
        const abort = () => end(() => reject(signal?.reason));
        const end = (settle: () => void) => {
          waiting.delete(request);
          signal?.removeEventListener('abort', abort);
          settle();
        };
        waiting.add(request);
        signal?.addEventListener('abort', abort);
      });
    },
  };
  interface ConditionalOptions {
    readonly publicKey: Parameters<typeof authenticator.get>[0];
    readonly mediation?: string;
    readonly signal?: AbortSignal;
  }
  const readJson = (json: object) => json;
  const methods = {
    isConditionalMediationAvailable: async () => true,
    parseCreationOptionsFromJSON: readJson,
    parseRequestOptionsFromJSON: readJson,
  };
  Object.defineProperty(globalThis, 'PublicKeyCredential', { value: methods, configurable: true });
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true });
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
      const [request, ...others] = waiting;
      if (!request || others.length > 0) throw new Error(`${waiting.size} requests wait`);
      request.choose();
    },
  };
}
