import { decodeBase64 } from '../../../platform/base64.ts';
import { utf8Length } from '../../../platform/bytes.ts';
import { type Call, readText, sendJson } from '../http/call.ts';
import { inTransaction, type AuthContext } from '../context.ts';
import { badRequest, invalid, OAuthError, unprocessable } from '../http/errors.ts';
import { runHookForNewAccount, signInByProvider } from '../oauth/external-account.ts';
import type { Profile } from '../rows/provider-profile.ts';
import { isRedirectAllowed } from '../http/redirect-url.ts';
import { recordAudit } from '../rows/audit.ts';
import { signIn } from '../sessions/session-tokens.ts';
import { type Chain, MessageError, parseSignedMessage, type SignedMessage } from '../web3/signed-message.ts';

const shortestMessage = 64;
const longestMessage = 20 * 1024;
const names: Readonly<Record<Chain, string>> = { ethereum: 'Ethereum', solana: 'Solana' };

const refused = (description: string): OAuthError => new OAuthError('invalid_grant', description);

function parseChain(context: AuthContext, chain: string): Chain {
  const { web3EthereumEnabled, web3SolanaEnabled } = context.settings;
  const off = (what: string): Error => unprocessable('web3_provider_disabled', `${what} is disabled`);
  if (!web3EthereumEnabled && !web3SolanaEnabled) throw off('Web3 provider');
  if (chain !== 'ethereum' && chain !== 'solana')
    throw badRequest('web3_unsupported_chain', 'Unsupported chain');
  const isEnabled = chain === 'ethereum' ? web3EthereumEnabled : web3SolanaEnabled;
  if (!isEnabled) throw off(`${names[chain]} Web3 provider`);
  return chain;
}

function checkLengths(chain: Chain, message: string, signature: string): void {
  const bytes = utf8Length(message);
  if (bytes < shortestMessage) throw invalid('message is too short');
  if (bytes > longestMessage) throw invalid('message must not exceed 20KB');
  if (chain === 'ethereum') {
    if (signature.replace(/^0x/, '').length !== 130)
      throw invalid('signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string');
    return;
  }
  if (signature.length !== 86 && signature.length !== 88)
    throw invalid('signature must be 64 bytes encoded as base64 with or without padding');
  if (!/^[\w+/-]{86}={0,2}$/.test(signature))
    throw invalid('signature does not contain valid base64 characters');
}

function parseMessage(chain: Chain, message: string): SignedMessage {
  try {
    return parseSignedMessage(chain, message);
  } catch (error) {
    if (error instanceof MessageError) throw invalid(error.message);
    throw error;
  }
}

function checkPlace(context: AuthContext, chain: Chain, { uri, domain }: SignedMessage): void {
  const subject = `Signed ${names[chain]} message is using`;
  const isLocal = uri.hostname === 'localhost';
  if (uri.protocol !== 'https:' && !isLocal) throw refused(`${subject} URI which does not use HTTPS`);
  if (!isRedirectAllowed(context, uri.toString()))
    throw refused(`${subject} URI which is not allowed on this server, message was signed for another app`);
  if (!isLocal && (uri.host !== domain || !isRedirectAllowed(context, `https://${domain}/`)))
    throw refused(
      `${subject} a Domain that does not match the one in URI which is not allowed on this server`,
    );
}

function checkTimes(context: AuthContext, chain: Chain, message: SignedMessage): void {
  const nowMs = context.now();
  const validityMs = context.settings.web3ValiditySeconds * 1000;
  const { notBeforeMs, expiresAtMs, issuedAtMs } = message;
  if (notBeforeMs !== null && nowMs < notBeforeMs)
    throw refused(`Signed ${names[chain]} message becomes valid in the future`);
  // The real service compares the end of an Ethereum message only if the message has a beginning, too.
  const comparesEnd = chain !== 'ethereum' || notBeforeMs !== null;
  if (comparesEnd && expiresAtMs !== null && nowMs > expiresAtMs)
    throw refused(`Signed ${names[chain]} message is expired`);
  if (nowMs > issuedAtMs + validityMs) throw refused(`${names[chain]} message was issued too long ago`);
  if (nowMs < issuedAtMs - validityMs)
    throw refused(`${names[chain]} message was issued too far in the future`);
}

function profileOf(chain: Chain, { address, network, domain, statement }: SignedMessage): Profile {
  const data = {
    sub: `web3:${chain}:${address}`,
    email_verified: false,
    phone_verified: false,
    custom_claims: {
      address,
      chain,
      network,
      domain,
      statement: statement ?? (chain === 'solana' ? '' : null),
    },
  };
  return { provider: 'web3', data, email: '', isEmailVerified: false, isEmailOptional: true };
}

/** Loads the chain's curve on first use, because it takes a fifth of the import time of the package. */
async function isSignedBy(chain: Chain, message: SignedMessage, signature: string): Promise<boolean> {
  if (chain === 'ethereum')
    return (await import('../web3/ethereum.ts')).isSignedByEthereum(message, signature);
  return (await import('../web3/solana.ts')).isSignedBySolana(message, decodeBase64(signature));
}

/** POST /token?grant_type=web3: `{chain, message, signature}`. */
export async function web3Grant(context: AuthContext, call: Call): Promise<Response> {
  const body = await call.json();
  const chain = parseChain(context, readText(body, 'chain'));
  const [raw, signature] = [readText(body, 'message'), readText(body, 'signature')];
  checkLengths(chain, raw, signature);
  const message = parseMessage(chain, raw);
  if (!(await isSignedBy(chain, message, signature)))
    throw refused('Signature does not match address in message');
  checkPlace(context, chain, message);
  checkTimes(context, chain, message);
  const profile = profileOf(chain, message);
  await runHookForNewAccount(context, call, profile);
  const { address, network, domain, uri } = message;
  const traits = { provider: 'web3', chain, network, address, domain, uri: uri.toString() };
  const tokens = await inTransaction(context, async (tx) => {
    const user = await signInByProvider(context, call, tx, profile);
    await recordAudit(context, tx.sql, user, 'login', { traits });
    return signIn(context, call, tx.sql, user, 'web3');
  });
  return sendJson(call, tokens);
}
