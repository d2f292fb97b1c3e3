import { useEffect, useMemo, useState } from 'react';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import { type Passkey, type Passkeys, createPasskeys } from 'supabase-protocol-clients/auth-client/passkeys';
import { useClients } from '../../shared/clients/clients-context.ts';

export interface PasskeyList {
  readonly client: Passkeys;
  /** `disabled`: the project offers no passkeys. */
  readonly status: 'loading' | 'loaded' | 'failed' | 'disabled';
  readonly passkeys: readonly Passkey[];
  readonly change: (update: (passkeys: readonly Passkey[]) => readonly Passkey[]) => void;
}

/** The passkeys of the signed-in user, read once. */
export function usePasskeys(): PasskeyList {
  const { auth, platform } = useClients();
  const client = useMemo(() => createPasskeys(auth, { userVerification: 'required' }), [auth]);
  const [state, setState] = useState<Pick<PasskeyList, 'status' | 'passkeys'>>({
    status: 'loading',
    passkeys: [],
  });
  useEffect(() => {
    const controller = new AbortController();
    client.listPasskeys({ signal: controller.signal }).then(
      (loaded) => setState(({ passkeys }) => ({ status: 'loaded', passkeys: addMissing(loaded, passkeys) })),
      (problem: unknown) => {
        if (controller.signal.aborted) return;
        const isDisabled = problem instanceof AuthError && problem.code === 'passkey_disabled';
        if (!isDisabled) platform.report(problem);
        setState(({ passkeys }) => ({ status: isDisabled ? 'disabled' : 'failed', passkeys }));
      },
    );
    return () => controller.abort();
  }, [client, platform]);
  return {
    ...state,
    client,
    change: (update) => setState(({ status, passkeys }) => ({ status, passkeys: update(passkeys) })),
  };
}

/** The loaded list may be older than a passkey that was added while it loaded. */
function addMissing(loaded: readonly Passkey[], added: readonly Passkey[]): readonly Passkey[] {
  const ids = new Set(loaded.map(({ id }) => id));
  return [...loaded, ...added.filter(({ id }) => !ids.has(id))];
}

/** Whether a passkey was removed in the meantime, for example on another device. */
export function isMissingPasskey(problem: unknown): boolean {
  return problem instanceof AuthError && problem.status === 404 && problem.code === 'validation_failed';
}
