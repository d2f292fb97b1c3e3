import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { expect, test } from 'vitest';
import { addressOfPublicKey, hashPersonalMessage } from '../../src/services/auth/web3/ethereum.ts';
import { createClient, type EthereumWallet, type SolanaWallet } from '../../../src/compat/index.ts';
import { useLocalSupabase } from '../../../test/support/local-supabase.ts';
import { encodeBase58 } from './auth-world.ts';

const supabase = useLocalSupabase();
const url = 'http://localhost:5173/login';
const connect = () =>
  createClient(supabase().url, supabase().anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: supabase().fetch },
  });

/** A wallet that keeps its key and signs what the client asks for. */
function createEthereumWallet(accounts?: readonly string[]) {
  const key = secp256k1.utils.randomSecretKey();
  const address = addressOfPublicKey(secp256k1.getPublicKey(key, false));
  const signed: string[] = [];
  const methods: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_requestAccounts: () => accounts ?? [address],
    eth_chainId: () => '0x1',
    personal_sign([text]) {
      const message = Buffer.from(String(text).slice(2), 'hex').toString();
      signed.push(message);
      const bytes = secp256k1.sign(hashPersonalMessage(message), key, {
        prehash: false,
        format: 'recovered',
      });
      return `0x${Buffer.from(bytes.slice(1)).toString('hex')}${(27 + (bytes[0] ?? 0)).toString(16)}`;
    },
  };
  const wallet: EthereumWallet = {
    request: async ({ method, params = [] }) => methods[method]?.(params),
  };
  return { wallet, signed, address };
}

function createSolanaKey() {
  const key = ed25519.utils.randomSecretKey();
  const address = encodeBase58(ed25519.getPublicKey(key));
  return { address, sign: (message: Uint8Array) => ed25519.sign(message, key) };
}

test('an Ethereum wallet signs a message of the page, and its account is signed in', async () => {
  const { wallet, signed, address } = createEthereumWallet();
  const { auth } = connect();
  const { data, error } = await auth.signInWithWeb3({
    chain: 'ethereum',
    wallet,
    statement: 'I accept the terms',
    options: {
      url,
      signInWithEthereum: {
        expirationTime: new Date(Date.now() + 60_000),
        resources: ['https://example.com'],
      },
    },
  });
  expect(error).toBeNull();
  expect(data.session?.access_token).toBeTypeOf('string');
  expect(signed[0]?.split('\n').slice(0, 4)).toEqual([
    'localhost:5173 wants you to sign in with your Ethereum account:',
    address.toLowerCase(),
    '',
    'I accept the terms',
  ]);
  expect(signed[0]).toMatch(/Expiration Time: .*Z\nResources:\n- https:\/\/example\.com$/);
});

test('a Solana wallet signs by signMessage, or writes and signs the message itself', async () => {
  const { address, sign } = createSolanaKey();
  const byMessage: SolanaWallet = {
    publicKey: { toBase58: () => address },
    signMessage: async (message) => sign(message),
  };
  const fields: unknown[] = [];
  const bySignIn: SolanaWallet = {
    async signIn(given) {
      fields.push(given);
      const { domain, uri, issuedAt } = given as Readonly<Record<string, string>>;
      const head = `${domain} wants you to sign in with your Solana account:\n${address}\n`;
      const text = `${head}\nVersion: 1\nURI: ${uri}\nIssued At: ${issuedAt}`;
      const signedMessage = new TextEncoder().encode(text);
      return [{ signedMessage, signature: sign(signedMessage) }];
    },
  };
  for (const wallet of [byMessage, bySignIn]) {
    const { data, error } = await connect().auth.signInWithWeb3({
      chain: 'solana',
      wallet,
      options: { url },
    });
    expect(error).toBeNull();
    expect(data.user?.id).toBeTypeOf('string');
  }
  expect(fields).toMatchObject([{ version: '1', domain: 'localhost:5173', uri: url }]);
});

test('uses the wallet of the browser, and rejects without one, without a URL and without an account', async () => {
  const { wallet } = createEthereumWallet();
  const { auth } = connect();
  const options = { url };
  await expect(auth.signInWithWeb3({ chain: 'ethereum', wallet })).rejects.toThrow(
    'needs a wallet and a url',
  );
  await expect(auth.signInWithWeb3({ chain: 'solana', wallet: {}, options })).rejects.toThrow(
    'signMessage()',
  );
  const { wallet: empty } = createEthereumWallet([]);
  await expect(auth.signInWithWeb3({ chain: 'ethereum', wallet: empty, options })).rejects.toThrow(
    'no account',
  );
  const page = globalThis as { document?: unknown; ethereum?: unknown };
  page.document = {};
  try {
    await expect(auth.signInWithWeb3({ chain: 'ethereum', options })).rejects.toThrow('No ethereum wallet');
    page.ethereum = wallet;
    expect((await auth.signInWithWeb3({ chain: 'ethereum', options })).error).toBeNull();
  } finally {
    delete page.document;
    delete page.ethereum;
  }
});
