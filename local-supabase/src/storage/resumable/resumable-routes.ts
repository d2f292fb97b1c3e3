import { Hono } from 'hono';
import { decodeBase64, encodeBase64Url } from '../../platform/base64.ts';
import { decodeUtf8 } from '../../platform/bytes.ts';
import type { StorageContext } from '../storage-context.ts';
import { StorageError, storageErrorOf } from '../storage-error.ts';
import { checkUpload, parseMetadata, storeObject } from '../upload.ts';
import { maximumExceeded, offsetConflict, sizeExceeded, TusError, uploadNotFound } from './tus-error.ts';
import {
  checkTusHeaders,
  encodeUploadMetadata,
  PART_TYPE,
  parseUploadMetadata,
  TUS_VERSION,
} from './tus-headers.ts';
import { authorize, identify, type UploadAccess } from './upload-access.ts';
import {
  appendPart,
  createUpload,
  expiryOf,
  findUpload,
  joinParts,
  removeParts,
  removeUpload,
  type UploadState,
} from './upload-state.ts';

/** The largest upload where neither project nor bucket has a limit: 50 GiB. */
const MOST_BYTES = 50 * 1024 ** 3;

/**
 * The routes below /upload/resumable: uploads in parts by the tus protocol 1.0.0, with its extensions creation,
 * creation-with-upload, expiration and termination. Below /sign, the link of a signed upload replaces the token.
 */
export function createResumableRoutes(context: StorageContext): Hono {
  const app = new Hono();
  const answer = async (send: () => Promise<Response>): Promise<Response> => {
    const response = await send().catch(answerTusError);
    response.headers.set('tus-resumable', TUS_VERSION);
    return response;
  };
  app.on('OPTIONS', ['/', '/*'], () => answer(async () => describe(context)));
  app.on('POST', ['/', '/sign'], (c) => answer(() => create(context, c.req.raw)));
  app.on(['GET', 'PATCH', 'DELETE'], ['/:id', '/sign/:id'], (c) => {
    const request = c.req.raw;
    const id = decodeUtf8(decodeBase64(c.req.param('id')));
    return answer(async () => {
      // The router hands a HEAD request to the route of GET.
      switch (request.method) {
        case 'HEAD':
          return inspect(context, request, id);
        case 'PATCH':
          return append(context, request, id);
        case 'DELETE':
          return terminate(context, request, id);
        default:
          throw uploadNotFound();
      }
    });
  });
  return app;
}

function describe({ fileSizeLimitBytes = MOST_BYTES }: StorageContext): Response {
  const headers = {
    'tus-version': TUS_VERSION,
    'tus-extension': 'creation,creation-with-upload,expiration,termination',
    'tus-max-size': String(fileSizeLimitBytes),
  };
  return new Response(null, { status: 204, headers });
}

async function create(context: StorageContext, request: Request): Promise<Response> {
  checkTusHeaders(request);
  const sizeBytes = readSize(request);
  const metadata = parseUploadMetadata(request.headers.get('upload-metadata') ?? '');
  if (!metadata) throw new TusError(400, 'Metadata header is required');
  const { bucketName = '', objectName = '' } = metadata;
  const id = `${bucketName}/${objectName}/${crypto.randomUUID()}`;
  const described = { ...describeUpload(metadata), sizeBytes };
  await checkUpload(context, bucketName, objectName, described).catch(throwAsTusRefusal);
  const access = await authorize(context, request, id);
  const { database, now } = context;
  const created = await createUpload(database, { id, sizeBytes, metadata, createdAtMs: now() });
  const isWithPart = request.headers.get('content-type') === PART_TYPE || sizeBytes === 0;
  const state = isWithPart ? await receive(context, request, created, access) : created;
  const { origin, pathname } = new URL(request.url);
  const headers = {
    location: `${origin}${pathname.replace(/\/$/, '')}/${encodeBase64Url(id)}`,
    ...(isWithPart && { 'upload-offset': String(state.offsetBytes) }),
    ...progressOf(state),
  };
  return new Response(null, { status: 201, headers });
}

async function inspect(context: StorageContext, request: Request, id: string): Promise<Response> {
  checkTusHeaders(request);
  await identify(context, request, id);
  const { offsetBytes, sizeBytes, metadata } = await findUpload(context.database, id, context.now());
  const headers = {
    'cache-control': 'no-store',
    'upload-offset': String(offsetBytes),
    'upload-length': String(sizeBytes),
    'upload-metadata': encodeUploadMetadata(metadata),
  };
  return new Response(null, { headers });
}

async function append(context: StorageContext, request: Request, id: string): Promise<Response> {
  checkTusHeaders(request);
  const offset = request.headers.get('upload-offset');
  if (offset === null) throw new TusError(403, 'Upload-Offset header required\n');
  if (!request.headers.has('content-type')) throw new TusError(403, 'Content-Type header required\n');
  const state = await findUpload(context.database, id, context.now());
  const access = await authorize(context, request, id);
  if (state.offsetBytes !== Number(offset)) throw offsetConflict();
  const received = await receive(context, request, state, access);
  const headers = { 'upload-offset': String(received.offsetBytes), ...progressOf(received) };
  return new Response(null, { status: 204, headers });
}

async function terminate(context: StorageContext, request: Request, id: string): Promise<Response> {
  checkTusHeaders(request);
  const { database, objects, now } = context;
  const state = await findUpload(database, id, now());
  await authorize(context, request, id);
  if (state.offsetBytes === state.sizeBytes)
    throw new TusError(400, 'Cannot terminate an already completed upload');
  await removeUpload(database, objects, state);
  return new Response(null, { status: 204 });
}

/** Adds a part and, when it was the last, stores the object. */
async function receive(
  { database, objects }: StorageContext,
  request: Request,
  state: UploadState,
  { destination, run }: UploadAccess,
): Promise<UploadState> {
  const part = new Uint8Array(await request.arrayBuffer());
  if (state.offsetBytes + part.length > state.sizeBytes) throw sizeExceeded();
  const received = await appendPart(database, objects, state, part);
  if (!received) throw offsetConflict();
  if (received.offsetBytes < received.sizeBytes) return received;
  const upload = { bytes: await joinParts(objects, received), ...describeUpload(received.metadata) };
  await run((tx) => storeObject(tx, objects, destination, upload));
  await removeParts(objects, received);
  return received;
}

const progressOf = (state: UploadState): Record<string, string> =>
  state.offsetBytes === state.sizeBytes ? { 'tus-complete': '1' } : { 'upload-expires': expiryOf(state) };

function readSize({ headers }: Request): number {
  if (headers.has('upload-defer-length'))
    throw new TusError(501, 'creation-defer-length extension is not (yet) supported.\n');
  const length = headers.get('upload-length');
  if (length === null) throw new TusError(400, 'Upload-Length or Upload-Defer-Length header required\n');
  return Number(length);
}

function describeUpload({ contentType, cacheControl = '', metadata }: Readonly<Record<string, string>>) {
  return {
    contentType: contentType || 'application/octet-stream',
    cacheControl: /^-?\d+$/.test(cacheControl) ? `max-age=${cacheControl}` : 'no-cache',
    userMetadata: parseMetadata(metadata ?? null),
  };
}

/** A size above the limit is refused in the protocol's own words. */
function throwAsTusRefusal(problem: unknown): never {
  throw problem instanceof StorageError && problem.statusCode === 413 ? maximumExceeded() : problem;
}

/** Refusals of this protocol are texts, with the real status. */
function answerTusError(problem: unknown): Response {
  if (problem instanceof TusError) return new Response(problem.message, { status: problem.status });
  const { statusCode, message } = storageErrorOf(problem);
  return new Response(message, { status: statusCode });
}
