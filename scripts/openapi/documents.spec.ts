import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';
import {
  fieldsOf,
  Form,
  GROUP_A_OPERATIONS,
  GROUP_B_OPERATIONS,
  readDeviceMessage,
  SessionRequest,
  validateMessage,
  type GroupAOperationRow,
  type JsonSchema,
} from '@app/gateway-protocol';

interface Body {
  readonly schema?: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Body>> };
  readonly responses: Readonly<Record<string, object>>;
}
type Paths = Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', Operation>>>>>;
interface OpenApi {
  readonly paths: Paths;
  readonly webhooks?: Paths;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The committed files; `npm run openapi:check` compares them with the code. */
const FILES = ['group-a.json', 'group-b.json', 'merchant-server.json', 'operator.json'] as const;
const named = (file: (typeof FILES)[number]): OpenApi =>
  JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'openapi', file), 'utf8')) as OpenApi;

const operationsOf = ({ paths }: Pick<OpenApi, 'paths'>): readonly (readonly [path: string, operation: Operation])[] =>
  Object.entries(paths).flatMap(([path, item]) => Object.values(item).map((operation): readonly [string, Operation] => [path, operation]));
const refsIn = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
};
/** @returns what compiles one of the document's schemas, each with those that it refers to once */
const compilerOf = ({ components }: OpenApi) => {
  const ajv = new Ajv2020({ strict: true, formats: { email: true, uri: true, 'date-time': true }, allowUnionTypes: true });
  const $defs = JSON.parse(JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/')) as object;
  ajv.addSchema({ $id: 'document', $defs });
  return (name: string) => ajv.compile({ $ref: `document#/$defs/${name}` });
};

describe.each(FILES)('%s', (file) => {
  const document = named(file);
  const compiled = compilerOf(document);

  it('has the members of OpenAPI 3.1, and its references and schemas match one to one', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.any(String), version: '2' },
      servers: [{ url: expect.stringMatching(/^http/) }],
    });
    const refs = new Set([document.paths, document.webhooks, document.components].flatMap(refsIn));
    const names = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...refs].filter((ref) => !names.includes(ref))).toStrictEqual([]);
    expect(names.filter((name) => !refs.has(name))).toStrictEqual([]);
  });

  it('gives each operation a unique id, a response, and exactly the parameters of its path', () => {
    const operations = operationsOf(document);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [path, { parameters = [], responses, summary }] of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect([path, inPath]).toStrictEqual([path, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)]);
      expect(parameters.every(({ required, in: place }) => place !== 'path' || required)).toBe(true);
      expect(Object.keys(responses).length).toBeGreaterThan(0);
      expect(summary).not.toBe('');
    }
  });

  it('contains only schemas that compile', () => {
    for (const name of Object.keys(document.components.schemas)) expect(() => compiled(name)).not.toThrow();
  });
});

describe('group-a.json', () => {
  const document = named('group-a.json');
  const compiled = compilerOf(document);

  const rows: readonly GroupAOperationRow[] = Object.values(GROUP_A_OPERATIONS);

  it('has every path by endpoint and by group, with the fields of its message class in order', () => {
    const documented = rows.flatMap(({ paths, message, proof, isKeyed }) =>
      paths.flatMap((path) =>
        ['{endpointId}', 'group/{groupId}'].map((at) => {
          const { requestBody, security, parameters } = document.paths[`/api/${path}/${at}`]?.post ?? {};
          const body = requestBody?.content['application/x-www-form-urlencoded']?.schema?.$ref ?? '';
          const schema = document.components.schemas[body.slice('#/components/schemas/'.length)];
          expect(Object.keys(schema?.properties ?? {})).toStrictEqual(fieldsOf(message).map(({ name }) => name));
          expect([path, security]).toStrictEqual([path, proof.kind === 'oauth' ? [{ oauth: [] }] : []]);
          expect([path, parameters?.some(({ name }) => name === 'Idempotency-Key')]).toStrictEqual([path, isKeyed]);
          return `/api/${path}/${at}`;
        }),
      ),
    );
    expect(Object.keys(document.paths)).toStrictEqual([...documented, '/view-receipt/{endpointId}/{receiptId}']);
  });

  it("has examples that pass the service's validation", () => {
    for (const { paths, message } of rows) {
      const { requestBody } = document.paths[`/api/${paths[0]}/{endpointId}`]?.post ?? {};
      const example = requestBody?.content['application/x-www-form-urlencoded']?.examples?.['sandbox']?.value;
      expect([paths[0], validateMessage(message, Form.of(Object.entries(example as Readonly<Record<string, string>>)))]).toMatchObject([
        paths[0],
        { ok: expect.anything() as unknown },
      ]);
    }
  });

  it('describes the callback that the gateway sends', () => {
    const { requestBody, parameters } = document.webhooks?.['orderCallback']?.post ?? {};
    expect(requestBody?.content['application/json']?.schema).toStrictEqual({ $ref: '#/components/schemas/Callback' });
    expect(parameters?.map(({ name }) => name)).toStrictEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
  });

  it('requires exactly the mandatory fields of a sale (decisions, section 10)', () => {
    const { required, properties } = document.components.schemas['SaleRequest'] as JsonSchema;
    expect(required).toEqual(expect.arrayContaining(['client_orderid', 'amount', 'currency', 'credit_card_number', 'phone', 'control']));
    for (const name of ['first_name', 'state', 'merchant_data', 'server_callback_url', 'ssn']) expect(required).not.toContain(name);
    expect(properties).toMatchObject({
      client_orderid: { type: 'string', maxLength: 128 },
      order_desc: { maxLength: 65_536 },
      amount: { maxLength: 16 },
      phone: { maxLength: 15 },
      server_callback_url: { maxLength: 1_024, format: 'uri' },
    });
  });

  it('accepts the same field values as the service', () => {
    const validate = compiled('GetCardInfoRequest');
    const { message } = GROUP_A_OPERATIONS.getCardInfo;
    const text = fc.oneof(
      fc.string({ maxLength: 140 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom('a', 'a\n', 'x'.repeat(20), 'x'.repeat(21)),
    );
    const trimmed = text.map((value) => Form.of([['x', value]]).text('x')).filter((value) => value !== '' && !value.includes('\0'));
    fc.assert(
      fc.property(fc.record({ login: trimmed, cardrefid: trimmed, control: trimmed }), (fields) => {
        const isTaken = 'ok' in validateMessage(message, Form.of(Object.entries(fields)));
        expect([fields, validate(fields)]).toStrictEqual([fields, isTaken]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('group-b.json', () => {
  const document = named('group-b.json');
  const compiled = compilerOf(document);

  it('has the seven operations of the interface, section 4.2', () => {
    const documented = Object.values(GROUP_B_OPERATIONS).map(({ path }) => `/${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(documented).toHaveLength(7);
    expect(Object.keys(document.paths)).toStrictEqual(documented);
  });

  it('accepts the same session requests as the service', () => {
    const validate = compiled('SessionRequest');
    const text = fc.oneof(fc.string({ maxLength: 140 }), fc.constantFrom('x'.repeat(32), 'x'.repeat(128), 'x'.repeat(129), 'x'.repeat(16)));
    const wellFormed = text.filter((value) => !value.includes('\0'));
    fc.assert(
      fc.property(wellFormed, wellFormed, (accessToken, token) => {
        const body = { session: { accessToken, token } };
        expect([body, validate(body)]).toStrictEqual([body, 'ok' in readDeviceMessage(SessionRequest, body)]);
      }),
    );
  });
});

describe('operator.json', () => {
  const document = named('operator.json');
  const compiled = compilerOf(document);

  it('accepts only actions that the operator port accepts', () => {
    const validate = compiled('ResolveRequest');
    const action = { as: 'approved', reason: 'The acquirer says so', actor: 'kim' };
    expect(validate(action)).toBe(true);
    expect(validate({ ...action, merchant: 'acme' })).toBe(true);
    for (const wrong of [
      { as: 'maybe' },
      { reason: '' },
      { actor: '7kim' },
      { actor: 'k123456789012' },
      { force: true },
      { merchant: '' },
    ]) {
      expect([wrong, validate({ ...action, ...wrong })]).toStrictEqual([wrong, false]);
    }
    expect(validate({ as: 'approved' })).toBe(false);
    expect(validate({ as: 'approved', reason: 'x' })).toBe(true);
  });

  it('requires a token and names the role for every operation except health, metrics and sign-in', () => {
    const open = ['live', 'ready', 'scrape', 'signIn', 'installation', 'startAtHouse', 'finishAtHouse'];
    for (const [path, { operationId, security, description, responses }] of operationsOf(document)) {
      const isOpen = open.includes(operationId);
      expect([path, security]).toStrictEqual([path, isOpen ? [] : [{ operator: [] }]]);
      if (isOpen) continue;
      expect([path, Object.keys(responses)]).toStrictEqual([path, expect.arrayContaining(['401', '403'])]);
      expect(description).toMatch(/^Needs the role (viewer|investigator|operator|admin)/);
    }
  });
});
