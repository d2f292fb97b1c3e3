import { randomUUID } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request as sendHttp } from 'node:http';
import { WebSocket } from 'ws';

/** A file in the device's memory, as React Native names it. */
interface NativeBlob {
  readonly blobId: string;
  readonly offset: number;
  readonly size: number;
  readonly type?: string;
}

/** A field, or a file by its URI. */
interface NativeFormPart {
  readonly headers: Readonly<Record<string, string>>;
  readonly string?: string;
  readonly uri?: string;
}

interface NetworkQuery {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: {
    readonly string?: string;
    readonly base64?: string;
    readonly blob?: NativeBlob;
    readonly formData?: readonly NativeFormPart[];
  };
  readonly responseType: 'text' | 'base64' | 'blob';
}

type Emit = (name: string, body: unknown) => void;

/**
 * The native modules of React Native for iOS that its fetch, XMLHttpRequest, WebSocket, Blob and FileReader call, made of Node's parts.
 *
 * @param emit sends an event of a native module to the program.
 */
export function createNativeModules(emit: Emit): Readonly<Record<string, object>> {
  const files = createFiles();
  return {
    Networking: createNetworking(emit, files),
    WebSocketModule: createWebSocketModule(emit),
    BlobModule: {
      getConstants: () => ({ BLOB_URI_SCHEME: 'blob', BLOB_URI_HOST: null }),
      addNetworkingHandler() {},
      createFromParts(
        parts: readonly ({ type: 'string'; data: string } | { type: 'blob'; data: NativeBlob })[],
        id: string,
      ) {
        const bytes = parts.map((part) =>
          part.type === 'string' ? Buffer.from(part.data) : files.read(part.data),
        );
        files.write(Buffer.concat(bytes), id);
      },
      release() {},
    },
    FileReaderModule: {
      readAsDataURL: async (blob: NativeBlob) =>
        `data:${blob.type || 'application/octet-stream'};base64,${files.read(blob).toString('base64')}`,
      readAsText: async (blob: NativeBlob) => files.read(blob).toString(),
    },
    PlatformConstants: { getConstants: () => ({ reactNativeVersion: { major: 0, minor: 86, patch: 3 } }) },
    NativeMicrotasksCxx: { queueMicrotask },
  };
}

function createFiles() {
  const contents = new Map<string, Buffer>();
  return {
    read: ({ blobId, offset, size }: NativeBlob) =>
      (contents.get(blobId) ?? Buffer.alloc(0)).subarray(offset, offset + size),
    write(bytes: Buffer, blobId: string = randomUUID()): NativeBlob {
      contents.set(blobId, bytes);
      return { blobId, offset: 0, size: bytes.length };
    },
  };
}

function createNetworking(emit: Emit, files: ReturnType<typeof createFiles>) {
  const running = new Map<number, ClientRequest>();
  let lastId = 0;
  const bodyOf = ({ string, base64, blob, formData }: NetworkQuery['data']) => {
    if (formData) return encodeForm(formData);
    if (string !== undefined) return Buffer.from(string);
    if (base64 !== undefined) return Buffer.from(base64, 'base64');
    return blob ? files.read(blob) : Buffer.alloc(0);
  };
  const encode = (bytes: Buffer, { responseType }: NetworkQuery, contentType: string | undefined) => {
    if (responseType === 'blob') return { ...files.write(bytes), type: contentType };
    return bytes.toString(responseType === 'base64' ? 'base64' : 'utf8');
  };
  const receive = async (id: number, query: NetworkQuery, response: IncomingMessage) => {
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    );
    emit('didReceiveNetworkResponse', [id, response.statusCode, headers, query.url]);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    emit('didReceiveNetworkData', [
      id,
      encode(Buffer.concat(parts), query, response.headers['content-type']),
    ]);
    emit('didCompleteNetworkResponse', [id, null, false]);
  };
  return {
    addListener() {},
    removeListeners() {},
    sendRequest(query: NetworkQuery, callback: (id: number) => void) {
      const id = ++lastId;
      callback(id);
      const fail = ({ message }: Error) => {
        if (running.delete(id)) emit('didCompleteNetworkResponse', [id, message, false]);
      };
      const { method, url, headers } = query;
      const body = bodyOf(query.data);
      const length = method === 'GET' || method === 'HEAD' ? {} : { 'content-length': body.length };
      const type = query.data.formData && { 'content-type': `multipart/form-data; boundary=${boundary}` };
      const request = sendHttp(url, { method, headers: { ...headers, ...length, ...type } }, (response) => {
        receive(id, query, response).catch(fail);
      });
      running.set(id, request);
      request.on('error', fail);
      request.end(body);
    },
    abortRequest(id: number) {
      const request = running.get(id);
      running.delete(id);
      request?.destroy();
    },
  };
}

const boundary = 'native-boundary';

/** As the networking module of iOS encodes a form. A file is a `data:` URL here. */
function encodeForm(parts: readonly NativeFormPart[]): Buffer {
  const encoded = parts.map(({ headers, string, uri = '' }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `--${boundary}\r\n${lines.join('')}\r\n${string ?? uri.replace(/^data:.*?,/, '')}\r\n`;
  });
  return Buffer.from(`${encoded.join('')}--${boundary}--\r\n`);
}

function createWebSocketModule(emit: Emit) {
  const sockets = new Map<number, WebSocket>();
  return {
    addListener() {},
    removeListeners() {},
    connect(url: string, protocols: string[] | null, _options: object, id: number) {
      const socket = new WebSocket(url, protocols ?? []);
      sockets.set(id, socket);
      socket.on('open', () => emit('websocketOpen', { id, protocol: socket.protocol }));
      socket.on('message', (data: Buffer, isBinary) =>
        emit('websocketMessage', {
          id,
          type: isBinary ? 'binary' : 'text',
          data: data.toString(isBinary ? 'base64' : 'utf8'),
        }),
      );
      socket.on('close', (code, reason) => emit('websocketClosed', { id, code, reason: reason.toString() }));
      socket.on('error', ({ message }) => emit('websocketFailed', { id, message }));
    },
    send: (text: string, id: number) => sockets.get(id)?.send(text),
    sendBinary: (base64: string, id: number) => sockets.get(id)?.send(Buffer.from(base64, 'base64')),
    close: (code: number, reason: string, id: number) => sockets.get(id)?.close(code, reason),
  };
}
