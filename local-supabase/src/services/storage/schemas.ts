import type { AnyOf, Schema } from './body-schema.ts';

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const count = (minimum: number): Schema => ({ type: 'integer', minimum });

const sizeLimit: AnyOf = {
  anyOf: [
    { type: 'integer', nullable: true, minimum: 0 },
    {
      type: 'string',
      nullable: true,
      pattern: '^[0-9]+(?:\\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$',
    },
  ],
};
const mimeTypes: Schema = { type: 'array', nullable: true, items: text };

export const createBucketSchema: Schema = {
  type: 'object',
  properties: {
    name: text,
    id: text,
    public: flag,
    type: { type: 'string', enum: ['STANDARD', 'ANALYTICS'] },
    file_size_limit: sizeLimit,
    allowed_mime_types: mimeTypes,
    versioning_status: { type: 'string', enum: ['DISABLED', 'ENABLED'] },
  },
  required: ['name'],
};

export const updateBucketSchema: Schema = {
  type: 'object',
  properties: {
    public: flag,
    file_size_limit: sizeLimit,
    allowed_mime_types: mimeTypes,
    versioning_status: { type: 'string', enum: ['ENABLED', 'SUSPENDED'] },
  },
  requiredAny: ['public', 'file_size_limit', 'allowed_mime_types'],
  orAny: ['versioning_status'],
};

export const listBucketsSchema: Schema = {
  type: 'object',
  properties: {
    limit: count(1),
    offset: count(0),
    sortColumn: { type: 'string', enum: ['id', 'name', 'created_at', 'updated_at'] },
    sortOrder: { type: 'string', enum: ['asc', 'desc'] },
    search: text,
  },
};

export const downloadQuerySchema: Schema = { type: 'object', properties: { download: text } };
export const signedQuerySchema: Schema = {
  type: 'object',
  properties: { download: text, token: text },
  required: ['token'],
};

export const transformSchema: Schema = {
  type: 'object',
  properties: {
    height: count(0),
    width: count(0),
    resize: { type: 'string', enum: ['cover', 'contain', 'fill'] },
    format: { type: 'string', enum: ['origin', 'avif', 'webp'] },
    quality: { type: 'integer', minimum: 20, maximum: 100 },
    gravity: {
      type: 'string',
      enum: ['no', 'so', 'ea', 'we', 'noea', 'nowe', 'soea', 'sowe', 'ce', 'sm', 'fp'],
    },
    x_offset: { type: 'number' },
    y_offset: { type: 'number' },
  },
  requiredWith: { name: 'gravity', value: 'fp', members: ['x_offset', 'y_offset'] },
};

export const signSchema: Schema = {
  type: 'object',
  properties: { expiresIn: count(1), transform: transformSchema, versionId: text },
  required: ['expiresIn'],
};

/** The maximum number of paths that one request signs or removes. */
export const MAX_PATHS = 1000;

export const signManySchema: Schema = {
  type: 'object',
  properties: {
    expiresIn: count(1),
    paths: { type: 'array', items: text, minItems: 1, maxItems: MAX_PATHS },
  },
  required: ['expiresIn', 'paths'],
};

export const removeSchema: Schema = {
  type: 'object',
  properties: { prefixes: { type: 'array', minItems: 1 } },
  required: ['prefixes'],
};
export const removedPathSchema: Schema = text;

const sortBy = (columns: readonly string[]): Schema => ({
  type: 'object',
  properties: {
    column: { type: 'string', enum: columns },
    order: { type: 'string', enum: ['asc', 'desc'] },
  },
  required: ['column'],
});

const versions: Readonly<Record<string, Schema>> = {
  noncurrentVersions: { type: 'string', enum: ['exclude', 'include', 'only'] },
  deleteMarkers: { type: 'string', enum: ['exclude', 'include', 'only'] },
  exactMatch: flag,
};

export const listSchema: Schema = {
  type: 'object',
  properties: {
    prefix: text,
    limit: count(1),
    offset: count(0),
    sortBy: sortBy(['name', 'updated_at', 'created_at', 'last_accessed_at']),
    search: text,
    ...versions,
  },
  required: ['prefix'],
};

export const listV2Schema: Schema = {
  type: 'object',
  properties: {
    prefix: text,
    limit: count(1),
    cursor: text,
    with_delimiter: flag,
    sortBy: sortBy(['name', 'updated_at', 'created_at']),
    ...versions,
  },
};

const transferProperties: Readonly<Record<string, Schema>> = {
  bucketId: text,
  sourceKey: text,
  destinationBucket: text,
  destinationKey: text,
  sourceVersionId: text,
};

export const moveSchema: Schema = {
  type: 'object',
  properties: transferProperties,
  required: ['bucketId', 'sourceKey', 'destinationKey'],
};

export const copySchema: Schema = {
  type: 'object',
  properties: {
    ...transferProperties,
    metadata: {
      type: 'object',
      properties: { cacheControl: text, mimetype: text, contentEncoding: text },
    },
    copyMetadata: flag,
  },
  required: ['sourceKey', 'bucketId', 'destinationKey'],
};
