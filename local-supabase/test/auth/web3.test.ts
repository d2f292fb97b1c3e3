import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { beforeAll, describe, expect, it } from 'vitest';

import { addressOfPublicKey, hashPersonalMessage } from '../../src/services/auth/web3/ethereum.ts';
import { decodeBase58, wrapForLedger } from '../../src/services/auth/web3/solana.ts';
import { encodeBase58, openAuthWorld, readClaims, type AuthWorld } from './auth-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

interface Wallet {
  readonly chain: 'ethereum' | 'solana';
  readonly address: string;
  sign(message: string): string;
}

function ethereumWallet(): Wallet {
  const key = secp256k1.utils.randomSecretKey();
  return {
    chain: 'ethereum',
    address: addressOfPublicKey(secp256k1.getPublicKey(key, false)),
    sign(message) {
      const bytes = secp256k1.sign(hashPersonalMessage(message), key, {
        prehash: false,
        format: 'recovered',
      });
      return `0x${Buffer.from(bytes.slice(1)).toString('hex')}${(27 + (bytes[0] ?? 0)).toString(16)}`;
    },
  };
}

function solanaWallet(
  wrap: (address: Uint8Array, message: string) => Uint8Array = (_, message) => Buffer.from(message),
): Wallet {
  const key = ed25519.utils.randomSecretKey();
  const publicKey = ed25519.getPublicKey(key);
  return {
    chain: 'solana',
    address: encodeBase58(publicKey),
    sign: (message) => Buffer.from(ed25519.sign(wrap(publicKey, message), key)).toString('base64'),
  };
}

function writeMessage(
  wallet: Wallet,
  fields: Readonly<Record<string, string>> = {},
  domain = 'localhost:5173',
): string {
  const name = wallet.chain === 'ethereum' ? 'Ethereum' : 'Solana';
  const all = {
    URI: 'http://localhost:5173/login',
    Version: '1',
    'Chain ID': wallet.chain === 'ethereum' ? '1' : 'solana:mainnet',
    Nonce: 'abcdefgh',
    'Issued At': new Date(world.nowMs()).toISOString(),
    ...fields,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}`);
  return [
    `${domain} wants you to sign in with your ${name} account:`,
    wallet.address,
    '',
    'Hello.',
    '',
    ...lines,
  ].join('\n');
}

const grant = async (wallet: Wallet, message: string, signature = wallet.sign(message)) =>
  world.post('/token?grant_type=web3', { chain: wallet.chain, message, signature });

const ended = { 'Issued At': '2025-12-31T23:55:00Z', 'Expiration Time': '2025-12-31T23:59:00Z' };

describe.each([
  ['ethereum', ethereumWallet],
  ['solana', solanaWallet],
] as const)('a wallet on %s', (chain, createWallet) => {
  it('signs in, and finds its account again', async () => {
    const wallet = createWallet();
    const { status, body } = await grant(wallet, writeMessage(wallet));
    expect(status).toBe(200);
    expect(body.user).toMatchObject({
      email: '',
      app_metadata: { provider: 'web3', providers: ['web3'] },
      identities: [
        {
          id: `web3:${chain}:${wallet.address}`,
          identity_data: { custom_claims: { chain, statement: 'Hello.' } },
        },
      ],
    });
    expect(readClaims(body.access_token)['amr']).toMatchObject([{ method: 'web3' }]);
    const again = await grant(wallet, writeMessage(wallet, { Nonce: 'another-one' }));
    expect(again.body.user.id).toBe(body.user.id);
  });

  it('is refused when another wallet signed', async () => {
    const wallet = createWallet();
    const message = writeMessage(wallet);
    expect((await grant(wallet, message, createWallet().sign(message))).body).toEqual({
      error: 'invalid_grant',
      error_description: 'Signature does not match address in message',
    });
  });

  it.each([
    [{ 'Issued At': '2025-12-31T23:00:00Z' }, 'issued too long ago'],
    [{ 'Issued At': '2026-01-01T01:00:00Z' }, 'issued too far in the future'],
    [{ 'Not Before': '2026-01-01T00:30:00Z' }, 'becomes valid in the future'],
    [{ ...ended, 'Not Before': '2025-12-31T23:55:00Z' }, 'is expired'],
    [{ URI: 'http://app.example.com/' }, 'does not use HTTPS'],
    [{ URI: 'https://evil.example.org/' }, 'signed for another app'],
    [{ URI: 'https://app.example.com/login' }, 'Domain that does not match'],
  ])('is refused for %j', async (fields, description) => {
    const wallet = createWallet();
    const { status, body } = await grant(wallet, writeMessage(wallet, fields));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: 'invalid_grant',
      error_description: expect.stringContaining(description),
    });
  });

  it('may sign for an allowed site', async () => {
    const wallet = createWallet();
    const message = writeMessage(wallet, { URI: 'https://app.example.com/login' }, 'app.example.com');
    expect((await grant(wallet, message)).status).toBe(200);
  });

  it.each([
    [{ Version: '2' }, 'Version value is not supported, expected 1 got "2"'],
    [{ 'Chain ID': 'nonsense' }, 'Chain ID is not valid'],
    [{ 'Issued At': 'yesterday' }, 'Issued At is not a valid ISO8601 timestamp'],
    [{ 'Expiration Time': '2000-01-01T00:00:00Z' }, 'Issued At is after Expiration Time'],
  ])('receives the reason for rejecting a message with %j', async (fields, detail) => {
    const wallet = createWallet();
    const { body } = await grant(wallet, writeMessage(wallet, fields));
    expect(body).toEqual({
      code: 'validation_failed',
      message: `${chain === 'ethereum' ? 'siwe' : 'siws'}: ${detail}`,
    });
  });
});

it('an Ethereum message without Not Before may have ended, as at the real service', async () => {
  const [ethereum, solana] = [ethereumWallet(), solanaWallet()];
  expect((await grant(ethereum, writeMessage(ethereum, ended))).status).toBe(200);
  expect((await grant(solana, writeMessage(solana, ended))).status).toBe(400);
});

it('a Ledger signs a Solana message in its envelope', async () => {
  const wallet = solanaWallet((publicKey, message) => wrapForLedger('localhost:5173', publicKey, message));
  expect((await grant(wallet, writeMessage(wallet))).status).toBe(200);
});

it.each(['0', 'O', 'I', 'l'])('no Solana address has a %s', async (char) => {
  let wallet = solanaWallet();
  while (!wallet.address.includes('2z')) wallet = solanaWallet();
  // With the value -1 the character would make this text another address of the same key.
  const other = { ...wallet, address: wallet.address.replace('2z', `3${char}`) };
  expect((await grant(wallet, writeMessage(wallet))).status).toBe(200);
  expect((await grant(other, writeMessage(other))).status).toBe(400);
});

it('base58 keeps leading zeros', () => {
  const bytes = Uint8Array.from([0, 0, 1, 2, 255]);
  expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes);
});

it('a chain that is unknown or off is refused', async () => {
  expect((await world.post('/token?grant_type=web3', { chain: 'bitcoin' })).body.code).toBe(
    'web3_unsupported_chain',
  );
  const closed = await openAuthWorld({ web3SolanaEnabled: false });
  expect(await closed.post('/token?grant_type=web3', { chain: 'solana' })).toMatchObject({
    status: 422,
    body: { code: 'web3_provider_disabled', message: 'Solana Web3 provider is disabled' },
  });
});
