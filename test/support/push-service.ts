import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PushDelivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A push service (RFC 8030) on 127.0.0.1. */
export interface PushService {
  readonly origin: string;
  readonly deliveries: PushDelivery[];
  /** The status of the next responses. Default 201. */
  status: number;
  /** The body of the next responses. Default empty. */
  body: string;
  retryAfter: string | null;
  close(): Promise<void>;
}

export async function startPushService(): Promise<PushService> {
  const deliveries: PushDelivery[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      deliveries.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      if (service.retryAfter) response.setHeader('retry-after', service.retryAfter);
      response.writeHead(service.status).end(service.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: PushService = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    status: 201,
    body: '',
    retryAfter: null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return service;
}

/** The keys of a browser's subscription, with what only the browser has. */
export interface PushDevice {
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** Decrypts a message: `aes128gcm` of RFC 8188 with the keys of RFC 8291, one record. */
  decrypt(body: Buffer): string;
}

export function createPushDevice(): PushDevice {
  const key = createECDH('prime256v1');
  const publicKey = key.generateKeys();
  const auth = randomBytes(16);
  const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, length));
  return {
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    decrypt(body) {
      const salt = body.subarray(0, 16);
      const keyLength = body.readUInt8(20);
      const senderKey = body.subarray(21, 21 + keyLength);
      const record = body.subarray(21 + keyLength);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey]);
      const secret = derive(key.computeSecret(senderKey), auth, info, 32);
      const contentKey = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
      const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
      const cipher = createDecipheriv('aes-128-gcm', contentKey, nonce);
      cipher.setAuthTag(record.subarray(-16));
      const plain = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
      // The last record ends with 2 and padding.
      return plain.subarray(0, plain.lastIndexOf(2)).toString();
    },
  };
}
