/** Which sessions a sign-out ends. */
export const SIGN_OUT_SCOPES = ['global', 'local', 'others'] as const;

/** @throws {Error} for an unknown scope of a sign-out. */
export function requireScope(scope: string = 'global'): void {
  if (!SIGN_OUT_SCOPES.some((known) => known === scope))
    throw new Error(`Parameter scope must be one of ${SIGN_OUT_SCOPES.join(', ')}: ${scope}`);
}
