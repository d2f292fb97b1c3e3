const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** The scope of a link-local address, such as `%eth0`. */
const zonePattern = /%[\w.:-]+$/;

export const isIpAddress = (text: string): boolean =>
  ipv4Pattern.test(text) ||
  (text.includes(':') && URL.canParse(`http://[${text.replace(zonePattern, '')}]/`));

/** A network: its first address in groups, and the length of its prefix in bits. */
export interface Network {
  readonly address: string;
  readonly bits: number;
}

const bytesOfIpv4 = (address: string): readonly number[] => address.split('.').map(Number);

/** The bytes of an IPv6 address in the form that `URL` prints. */
function bytesOfIpv6(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const groupsOf = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const gap = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return [...first, ...gap, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** The bytes of an address; an IPv4 address within IPv6 counts as IPv4. */
function bytesOf(address: string): readonly number[] {
  if (!address.includes(':')) return bytesOfIpv4(address);
  const bytes = bytesOfIpv6(address);
  return mappedPrefix.every((byte, index) => bytes[index] === byte)
    ? bytes.slice(mappedPrefix.length)
    : bytes;
}

/** True when an address, in the form that `URL` prints, belongs to one of the networks. */
export function isWithin(address: string, networks: readonly Network[]): boolean {
  const bytes = bytesOf(address);
  return networks.some((network) => {
    const own = bytesOf(network.address);
    if (own.length !== bytes.length) return false;
    return bytes.every((byte, index) => {
      const shift = 8 - Math.max(0, Math.min(8, network.bits - index * 8));
      return byte >> shift === (own[index] ?? 0) >> shift;
    });
  });
}
