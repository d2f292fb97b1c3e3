import { createSignInMessage } from '../../auth-client/features/web3.ts';
import type {
  EthereumWallet,
  EthereumWalletCredentials,
  SignedMessage,
  SolanaWallet,
  SolanaWalletCredentials,
} from './credentials.ts';

/** The page's URL, where the caller gives none. @throws {Error} outside of a page. */
function readUrl(chain: string, wallet: unknown, url: string | undefined): URL {
  const isPage = typeof document !== 'undefined';
  if (!isPage && (typeof wallet !== 'object' || !url))
    throw new Error(`signInWithWeb3({ chain: '${chain}' }) needs a wallet and a url outside of a page.`);
  return new URL(url ?? location.href);
}

/** @throws {Error} without a wallet. */
function findWallet<Wallet>(chain: 'ethereum' | 'solana', given: Wallet | undefined): Wallet {
  const wallet = given ?? (globalThis as { readonly ethereum?: unknown; readonly solana?: unknown })[chain];
  if (typeof wallet !== 'object' || wallet === null)
    throw new Error(`No ${chain} wallet: pass one to signInWithWeb3(), or install it in the browser.`);
  return wallet as Wallet;
}

const toIso = (time: Date | string | undefined) => time && new Date(time).toISOString();

/** The lines of EIP-4361 after `Issued At`, which both chains have. */
interface LaterLines {
  readonly expirationTime?: Date | string | undefined;
  readonly notBefore?: Date | string | undefined;
  readonly requestId?: string | undefined;
  readonly resources?: readonly string[] | undefined;
}

function laterLines({ expirationTime, notBefore, requestId, resources = [] }: LaterLines): string[] {
  const fields = [
    ['Expiration Time', toIso(expirationTime)],
    ['Not Before', toIso(notBefore)],
    ['Request ID', requestId],
  ].filter(([, value]) => value);
  const listed = resources.length > 0 ? ['Resources:', ...resources.map((resource) => `- ${resource}`)] : [];
  return [...fields.map(([name, value]) => `${name}: ${value}`), ...listed];
}

const toHex = (text: string) =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

async function signByEthereum(credentials: EthereumWalletCredentials): Promise<SignedMessage> {
  const { statement, options = {} } = credentials;
  const url = readUrl('ethereum', credentials.wallet, options.url);
  const wallet: EthereumWallet = findWallet('ethereum', credentials.wallet);
  const { chainId, nonce, issuedAt, ...later } = options.signInWithEthereum ?? {};
  const accounts = (await wallet.request({ method: 'eth_requestAccounts' })) as readonly string[] | null;
  const address = accounts?.[0]?.toLowerCase();
  if (!address) throw new Error('The wallet has no account: connect it first.');
  const chain = chainId ?? Number(await wallet.request({ method: 'eth_chainId' }));
  const text = createSignInMessage({
    chain: 'ethereum',
    domain: url.host,
    address,
    uri: url.href,
    issuedAtMs: new Date(issuedAt ?? Date.now()).getTime(),
    statement,
    chainId: String(chain),
    nonce,
  });
  const message = [text, ...laterLines(later)].join('\n');
  const signature = await wallet.request({ method: 'personal_sign', params: [toHex(message), address] });
  return { message, signature: signature as string };
}

async function signBySolana(credentials: SolanaWalletCredentials): Promise<SignedMessage> {
  const { statement, options = {} } = credentials;
  const url = readUrl('solana', credentials.wallet, options.url);
  const wallet: SolanaWallet = findWallet('solana', credentials.wallet);
  const { issuedAt, chainId, nonce, ...later } = options.signInWithSolana ?? {};
  if (wallet.signIn) {
    const output = await wallet.signIn({
      issuedAt: new Date().toISOString(),
      ...options.signInWithSolana,
      version: '1',
      domain: url.host,
      uri: url.href,
      ...(statement && { statement }),
    });
    const { signedMessage, signature } = Array.isArray(output) ? (output[0] ?? {}) : output;
    if (!signedMessage || !signature) throw new Error('The wallet returned no signed message.');
    const isText = typeof signedMessage === 'string';
    return { message: isText ? signedMessage : new TextDecoder().decode(signedMessage), signature };
  }
  const address = wallet.publicKey?.toBase58();
  if (!wallet.signMessage || !address)
    throw new Error('The wallet has neither signIn() nor signMessage() with a publicKey.');
  const text = createSignInMessage({
    chain: 'solana',
    domain: url.host,
    address,
    uri: url.href,
    issuedAtMs: new Date(issuedAt ?? Date.now()).getTime(),
    statement,
    chainId,
    nonce,
  });
  const message = [text, ...laterLines(later)].join('\n');
  const signature = await wallet.signMessage(new TextEncoder().encode(message), 'utf8');
  if (!signature) throw new Error('The wallet returned no signature.');
  return { message, signature };
}

/** Asks a wallet to sign a message that names the page. @throws what the wallet throws; {Error} without a wallet. */
export const signByWallet = (
  credentials: EthereumWalletCredentials | SolanaWalletCredentials,
): Promise<SignedMessage> =>
  credentials.chain === 'ethereum' ? signByEthereum(credentials) : signBySolana(credentials);
