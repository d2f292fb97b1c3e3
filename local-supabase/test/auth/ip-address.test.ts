import { BlockList, isIP } from 'node:net';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isIpAddress, isWithin } from '../../src/services/auth/http/ip-address.ts';

const samples = [
  '1.2.3',
  '1.2.3.4.',
  '01.2.3.4',
  '256.1.1.1',
  'example.com',
  '',
  '1.2.3.4:80',
  '::g',
  '1::2::3',
];

it('recognizes the same addresses as Node', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom(...samples, 'fe80::1%eth0')), (address) => {
      expect(isIpAddress(address)).toBe(isIP(address) !== 0);
    }),
  );
});

it('matches an address with a network, also IPv4 within IPv6', () => {
  const networks = [
    { address: '10.0.0.0', bits: 8 },
    { address: '172.16.0.0', bits: 12 },
    { address: 'fc00::', bits: 7 },
    { address: 'fe80::', bits: 10 },
  ];
  const expected = new BlockList();
  for (const { address, bits } of networks)
    expected.addSubnet(address, bits, address.includes(':') ? 'ipv6' : 'ipv4');
  const known = [
    '10.9.8.7',
    '172.31.0.1',
    '172.32.0.1',
    '[fd00::1]',
    '[fe90::1]',
    '[::ffff:10.1.2.3]',
    '[::1]',
  ];
  const addresses = fc.oneof(
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.constantFrom(...known),
  );
  fc.assert(
    fc.property(addresses, (address) => {
      const host = new URL(`http://${address}/`).hostname.replaceAll(/[[\]]/g, '');
      expect(isWithin(host, networks)).toBe(expected.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));
    }),
  );
});
