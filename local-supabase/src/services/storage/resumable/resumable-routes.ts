import { Hono } from 'hono';
import { utf8Length } from '../../../platform/bytes.ts';
import { checkStoredKey } from '../names.ts';
import { TooManyBytes } from '../object-store.ts';
import { readJson } from '../request-body.ts';
import type { StorageContext } from '../storage-context.ts';
import { storageErrorOf } from '../storage-error.ts';
import { checkMimeType, eTagOf, findUploadBucket, parseMetadata, storeObject } from '../upload.ts';
import type { BucketRow } from '../upload.ts';
import { asService } from '../versions.ts';
import { invalidLength, maximumExceeded, offsetConflict, sizeExceeded, TusError } from './tus-error.ts';
import {
  encodeUploadMetadata,
  headerProblem,
  PART_TYPE,
  parseUploadMetadata,
  TUS_ALLOWED,
  TUS_EXPOSED_HEADERS,
  TUS_VERSION,
} from './tus-headers.ts';
import { authorize, identify, isSignedRoute, type UploadAccess } from './upload-access.ts';
import { createUploadId, encodeUploadId, readUploadId } from './upload-id.ts';
import {
  appendPart,
  createUpload,
  declareSize,
  expireUpload,
  expiryOf,
  findUpload,
  joinParts,
  removeParts,
  removeUpload,
  type UploadState,
} from './upload-state.ts';

/**
 * The routes below /upload/resumable: resumable uploads by the tus protocol 1.0.0, with its extensions creation,
 * creation-with-upload, creation-defer-length, expiration and termination. Below /sign, the link of a signed upload
 * replaces the token.
 */
export function createResumableRoutes(context: StorageContext): Hono {
  const app = new Hono();
  const respond = async (request: Request, send: () => Promise<Response>): Promise<Response> => {
    const { method } = request;
    if (method !== 'OPTIONS') {
      if (method !== 'HEAD' && request.headers.get('content-type') !== PART_TYPE)
        await readJson(request.clone());
      if (!isSignedRoute(request)) context.admit(request, { isHeaderChecked: false });
    }
    const problem = method === 'OPTIONS' ? null : headerProblem(request);
    const response = problem ? tusErrorResponse(problem) : await send().catch(tusErrorResponse);
    if (!problem) response.headers.set('access-control-expose-headers', TUS_EXPOSED_HEADERS);
    response.headers.set('tus-resumable', TUS_VERSION);
    return response;
  };
  const routes = { HEAD: inspect, PATCH: append, DELETE: terminate, PUT: refusePut };
  app.on('OPTIONS', ['', '/', '/*'], (c) => respond(c.req.raw, async () => describe(context)));
  app.on('POST', ['', '/', '/*'], (c) => respond(c.req.raw, () => create(context, c.req.raw)));
  app.on(['GET', 'PATCH', 'DELETE', 'PUT'], '/:rest{.*}', (c, next) => {
    const request = c.req.raw;
    const { method } = request;
    // Hono routes a HEAD request to GET, which the service does not support.
    if (method !== 'HEAD' && method !== 'PATCH' && method !== 'DELETE' && method !== 'PUT') return next();
    return respond(request, () => routes[method](context, request));
  });
  return app;
}

function describe({ fileSizeLimitBytes }: StorageContext): Response {
  const headers = {
    ...TUS_ALLOWED,
    'tus-version': TUS_VERSION,
    'tus-extension': 'creation,creation-with-upload,creation-defer-length,termination,expiration',
    'tus-max-size': String(fileSizeLimitBytes),
  };
  return new Response(null, { status: 204, headers });
}

const maxBytesOf = ({ fileSizeLimitBytes }: StorageContext, bucket: BucketRow): number =>
  Math.min(bucket.file_size_limit || Infinity, fileSizeLimitBytes);

async function create(context: StorageContext, request: Request): Promise<Response> {
  const { headers: sent } = request;
  if (sent.has('upload-concat'))
    throw new TusError(
      501,
      'Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n',
    );
  const sizeBytes = readSize(request);
  const given = parseUploadMetadata(sent.get('upload-metadata'));
  if (!given) throw new TusError(400, 'Metadata header is required');
  const id = createUploadId(given['bucketName'], given['objectName']);
  const bucket = await findUploadBucket(context, id.bucket);
  const maxBytes = maxBytesOf(context, bucket);
  if ((sizeBytes ?? 0) > maxBytes) throw maximumExceeded();
  const access = await authorize(context, request, id, 'create', { metadata: given, sizeBytes });
  const { contentType, cacheControl = '' } = given;
  if (contentType) checkMimeType(contentType, bucket);
  const metadata = {
    ...given,
    cacheControl: /^-?\d+$/.test(cacheControl) ? `max-age=${cacheControl}` : 'no-cache',
  };
  // Check the name last: the service creates the file after all other checks.
  checkStoredKey(id.path);
  const { database, now } = context;
  const created = await createUpload(database, { id: id.text, sizeBytes, metadata, createdAtMs: now() });
  const isWithPart = sent.get('content-type') === PART_TYPE;
  const state =
    isWithPart || sizeBytes === 0 ? await receive(context, request, created, { access, maxBytes }) : created;
  const { origin, pathname } = new URL(request.url);
  const headers = {
    location: `${origin}${routeOf(pathname)}/${encodeUploadId(id)}`,
    ...(isWithPart && { 'upload-offset': String(state.offsetBytes) }),
    ...progressOf(state),
  };
  return new Response('', { status: 201, headers });
}

/** The route up to `/sign`, without anything that a client appended. */
const routeOf = (pathname: string): string =>
  /^.*\/upload\/resumable(?:\/sign(?=$|\/$))?/.exec(pathname)?.[0] ?? pathname;

async function inspect(context: StorageContext, request: Request): Promise<Response> {
  const id = readUploadId(request);
  if (isSignedRoute(request)) await identify(context, request, id);
  const { offsetBytes, sizeBytes, metadata } = await findUpload(context.database, id.text, context.now());
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-type': 'text/plain;charset=UTF-8',
    'upload-offset': String(offsetBytes),
    ...(sizeBytes === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(sizeBytes) }),
    'upload-metadata': encodeUploadMetadata(metadata),
  };
  return new Response(null, { headers });
}

async function append(context: StorageContext, request: Request): Promise<Response> {
  const { database, now } = context;
  const id = readUploadId(request);
  const offset = request.headers.get('upload-offset');
  if (offset === null) throw new TusError(403, 'Upload-Offset header required\n');
  if (!request.headers.has('content-type')) throw new TusError(403, 'Content-Type header required\n');
  const found = await findUpload(database, id.text, now());
  const access = await authorize(context, request, id, 'part', found);
  const maxBytes = maxBytesOf(context, await findUploadBucket(context, id.bucket));
  if (found.offsetBytes !== Number(offset)) throw offsetConflict();
  const state = await readDeclaredSize(context, request, found, maxBytes);
  const received = await receive(context, request, state, { access, maxBytes });
  const headers = { 'upload-offset': String(received.offsetBytes), ...progressOf(received) };
  return new Response(null, { status: 204, headers });
}

/** The size that a part declares for an upload that was created without one. */
async function readDeclaredSize(
  { database }: StorageContext,
  { headers }: Request,
  state: UploadState,
  maxBytes: number,
): Promise<UploadState> {
  const length = headers.get('upload-length');
  if (length === null) return state;
  if (state.sizeBytes !== null || Number(length) < state.offsetBytes) throw invalidLength();
  if (Number(length) > maxBytes) throw maximumExceeded();
  return declareSize(database, state, Number(length));
}

async function terminate(context: StorageContext, request: Request): Promise<Response> {
  const id = readUploadId(request);
  const { database, objects, now } = context;
  const state = await findUpload(database, id.text, now());
  await authorize(context, request, id, 'delete', state);
  if (state.offsetBytes === state.sizeBytes)
    throw new TusError(400, 'Cannot terminate an already completed upload');
  await removeUpload(database, objects, state);
  return new Response(null, { status: 204 });
}

async function refusePut(): Promise<Response> {
  throw new TusError(404, 'Not found\n');
}

interface Reception {
  readonly access: UploadAccess;
  readonly maxBytes: number;
}

/** Adds a part, and stores the object after the last one. */
async function receive(
  { database, objects }: StorageContext,
  request: Request,
  state: UploadState,
  { access: { destination, run }, maxBytes }: Reception,
): Promise<UploadState> {
  const restBytes = (state.sizeBytes ?? maxBytes) - state.offsetBytes;
  const part = await objects.receive(request.body, restBytes).catch((problem: unknown) => {
    throw problem instanceof TooManyBytes ? sizeExceeded() : problem;
  });
  let received: UploadState | undefined;
  try {
    received = await appendPart(database, objects, state, part.content);
  } finally {
    await part.end();
  }
  if (!received) throw offsetConflict();
  if (received.offsetBytes !== received.sizeBytes) return received;
  // A part without bytes after the last one: the object is stored already.
  if (received.sizeBytes > 0 && received.partOffsets.length === 0) return received;
  const content = await joinParts(objects, received);
  const upload = { content, eTag: await eTagOf(content), ...describeUpload(received.metadata) };
  try {
    await run((tx) => asService(tx, () => storeObject(tx, objects, destination, upload)));
  } catch (problem) {
    // `completeUpload` deletes the bytes of an object that it cannot store.
    await expireUpload(database, received);
    throw problem;
  } finally {
    await removeParts(database, objects, received);
  }
  return received;
}

const progressOf = (state: UploadState): Record<string, string> =>
  state.offsetBytes === state.sizeBytes ? { 'tus-complete': '1' } : { 'upload-expires': expiryOf(state) };

function readSize({ headers }: Request): number | null {
  const length = headers.get('upload-length');
  if ((length === null) === !headers.has('upload-defer-length')) throw invalidLength();
  return length === null ? null : Number(length);
}

function describeUpload({ contentType, cacheControl, metadata }: UploadState['metadata']) {
  return {
    contentType: contentType || 'application/octet-stream',
    cacheControl,
    userMetadata: parseMetadata(metadata ?? null),
  };
}

const sendText = (text: string, status: number): Response =>
  new Response(text, { status, headers: { 'content-length': String(utf8Length(text)) } });

/** Errors of this protocol are plain text with the real status. */
function tusErrorResponse(problem: unknown): Response {
  if (problem instanceof TusError) return sendText(problem.message, problem.status);
  const { statusCode, message } = storageErrorOf(problem);
  return sendText(message, statusCode);
}
