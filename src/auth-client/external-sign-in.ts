/** Ways to sign in with what others have issued: a company's provider, a wallet, a provider's own token. */
export { createIdToken } from './features/id-token.ts';
export type { IdToken, IdTokenCredentials } from './features/id-token.ts';
export { createSso } from './features/sso.ts';
export type { Sso, SsoRequest } from './features/sso.ts';
export { createSignInMessage, createWeb3 } from './features/web3.ts';
export type { SignInMessage, Web3, Web3Chain, Web3Credentials } from './features/web3.ts';
