/** GET /openapi.json: the whole interface as OpenAPI 3.1, generated from the contract. */
import * as z from 'zod';
import { endpoints } from '../../contract/endpoints.ts';
import { ErrorBody, openErrors } from '../../contract/errors.ts';
import { extensions, extensionsHeader, idempotencyHeader } from '../../contract/extensions.ts';
import type { RateLimit } from '../../contract/limits.ts';
import {
  Action,
  BuildRequest,
  CatalogEntry,
  Credential,
  Identity,
  Job,
  SearchResult,
} from '../../contract/resources.ts';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly success: number;
  readonly answer: z.ZodType;
  readonly errors: Readonly<Record<string, ErrorRule>>;
  readonly rateLimit?: RateLimit;
  /** Takes the header Idempotency-Key. */
  readonly idempotent?: boolean;
}

interface ErrorRule {
  readonly httpStatus: number;
  readonly condition: string;
  readonly extra?: Readonly<Record<string, z.ZodType>>;
}

type Io = 'input' | 'output';

/** The document, with `servers` at the prefix that this service answers under. */
export function openApiDocument(apiPrefix: string): unknown {
  const components = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({
    Action,
    BuildRequest,
    CatalogEntry,
    Credential,
    Identity,
    Job,
    SearchResult,
  })) {
    components.add(schema, { id });
  }
  const { schemas } = z.toJSONSchema(components, { uri: (id) => `#/components/schemas/${id}` });
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, endpoint] of Object.entries<Endpoint>(endpoints)) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(operationId, endpoint),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Catalog and task automation service',
      version: '1',
      description:
        'Discovery of catalogs and actions, tasks and jobs, identities and login, requests for new actions.',
    },
    servers: [{ url: apiPrefix }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([id, schema]) => [id, withoutDialect(schema)]),
      ),
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    },
  };
}

function operation(operationId: string, endpoint: Endpoint): unknown {
  const query = endpoint.query === undefined ? [] : Object.entries(endpoint.query.shape);
  return {
    operationId,
    summary: endpoint.summary,
    ...(endpoint.rateLimit && { description: limitText(endpoint.rateLimit) }),
    parameters: [
      ...[...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...query.map(([name, schema]) => ({
        name,
        in: 'query',
        required: false,
        schema: jsonSchema(schema, 'input'),
      })),
      ...(endpoint.idempotent === true ? [idempotencyParameter] : []),
    ],
    ...(endpoint.body && {
      requestBody: { required: true, content: content(jsonSchema(endpoint.body, 'input')) },
    }),
    responses: responses(endpoint),
  };
}

const idempotencyParameter = {
  name: idempotencyHeader,
  in: 'header',
  required: false,
  description:
    'Extension `idempotency`. A repeat with the same key and body is answered with the job or build of the first ' +
    'request and is not charged. Keys belong to the user; the key of a refused request can be used again.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

const extensionsResponseHeader = {
  description: 'The extensions of the interface that this service implements, separated by commas',
  schema: { type: 'string', const: extensions.join(', ') },
};

const limitText = ({ requests, perSeconds, scope }: RateLimit): string =>
  `At most ${requests} requests per ${perSeconds} seconds and ${scope === 'ip' ? 'client address' : 'user'}.`;

const {
  INVALID_BODY,
  INVALID_INPUT,
  INVALID_PARAMS,
  BODY_TOO_LARGE,
  UNSUPPORTED_MEDIA_TYPE,
  NOT_FOUND,
  IDEMPOTENCY_KEY_REUSED,
  OUTCOME_UNKNOWN,
} = openErrors;
const bodyErrors = { INVALID_BODY, INVALID_INPUT, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE };
/** What the specification leaves open for POST /task. */
const taskChoices = { INVALID_PARAMS, NOT_FOUND };

/** One answer for each HTTP status; several codes of one status are alternatives. */
function responses(endpoint: Endpoint): Record<string, unknown> {
  const byStatus = new Map<number, z.ZodType[]>([[endpoint.success, [endpoint.answer]]]);
  const conditions = new Map<number, string[]>([[endpoint.success, ['Success']]]);
  const rules: Record<string, ErrorRule> = {
    UNAUTHORIZED: openErrors.UNAUTHORIZED,
    ...(endpoint.rateLimit && { RATE_LIMITED: openErrors.RATE_LIMITED }),
    ...(endpoint.query && { INVALID_INPUT: openErrors.INVALID_INPUT }),
    ...(endpoint.body && bodyErrors),
    ...(endpoint.path === endpoints.submitTask.path && taskChoices),
    ...(endpoint.idempotent === true && { IDEMPOTENCY_KEY_REUSED, OUTCOME_UNKNOWN }),
    ...endpoint.errors,
  };
  if (endpoint.path === endpoints.submitTask.path) {
    byStatus.set(200, [Job]);
    conditions.set(200, ['The finished job of a sync action']);
  }
  for (const [code, { httpStatus, condition, extra }] of Object.entries(rules)) {
    const error = ErrorBody.extend({ code: z.literal(code), ...extra });
    byStatus.set(httpStatus, [
      ...(byStatus.get(httpStatus) ?? []),
      z.looseObject({ status: z.literal('error'), error }),
    ]);
    conditions.set(httpStatus, [...(conditions.get(httpStatus) ?? []), `${code}: ${condition}`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, [first, ...others]]) => [
      String(status),
      {
        description: conditions.get(status)?.join('; ') ?? '',
        headers: { [extensionsHeader]: extensionsResponseHeader },
        content: content(
          first !== undefined && others.length === 0
            ? jsonSchema(first, 'output')
            : {
                anyOf: [first, ...others].flatMap((schema) => (schema ? [jsonSchema(schema, 'output')] : [])),
              },
        ),
      },
    ]),
  );
}

const content = (schema: unknown) => ({ 'application/json': { schema } });

const jsonSchema = (schema: z.ZodType, io: Io) => withoutDialect(z.toJSONSchema(schema, { io }));

/** OpenAPI names the dialect itself, and a component is known by its place. */
function withoutDialect(schema: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id'));
}
